#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel kwork report, latency, timehist and top: command lines. test/live/kwork.sh has the rest.

@test "a missing file is named" {
	for command in report latency timehist top; do
		run "$CUPEL" kwork $command -i "$BATS_TEST_TMPDIR/none.data"
		[ "$status" -eq 1 ]
		[[ $output == *none.data* ]]
	done
}

@test "a recording without such events says what records them" {
	printf 'main;work 3\n' >"$BATS_TEST_TMPDIR/x.folded"
	run "$CUPEL" kwork report -i "$BATS_TEST_TMPDIR/x.folded"
	[ "$status" -eq 1 ]
	[[ $output == *"cupel kwork record"* ]]
}
