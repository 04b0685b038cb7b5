#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel mem report: options and messages; test/live/mem_perf.sh compares its tables with stock perf's.

@test "types are load and store" {
	run "$CUPEL" mem report -t jump -i none.data
	[ "$status" -eq 2 ]
	[[ $output == *"load, store or load,store"* ]]
}

@test "an unknown column is a usage error that names the known ones" {
	printf 'main;work 3\n' >"$BATS_TEST_TMPDIR/folded"
	run "$CUPEL" mem report --sort nothing -i "$BATS_TEST_TMPDIR/folded"
	[ "$status" -eq 2 ]
	[[ $output == *"unknown sort key 'nothing'"* ]]
}
