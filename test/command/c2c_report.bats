#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel c2c report: options and messages; test/live/mem_perf.sh compares its tables with stock perf's.

@test "unknown words are usage errors" {
	for words in "-d sideways" "-c offset,color"; do
		# shellcheck disable=SC2086 # words
		run "$CUPEL" c2c report $words -i none.data
		[ "$status" -eq 2 ]
		[[ $output == *"expected"* ]]
	done
}

@test "an input without samples of accesses" {
	printf 'main;work 3\n' >"$BATS_TEST_TMPDIR/folded"
	run "$CUPEL" c2c report -i "$BATS_TEST_TMPDIR/folded"
	[ "$status" -eq 1 ]
	[[ $output == *"folded"* ]]
}
