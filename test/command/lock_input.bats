#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings that the commands of locks read.

@test "a missing file is named" {
	run "$CUPEL" lock contention -i "$BATS_TEST_TMPDIR/none.data"
	[ "$status" -eq 1 ]
	[[ $output == *none.data* ]]
}

@test "a recording without locks says what records them" {
	printf 'main;work 3\n' >"$BATS_TEST_TMPDIR/x.folded"
	run "$CUPEL" lock report -i "$BATS_TEST_TMPDIR/x.folded"
	[ "$status" -eq 1 ]
	[[ $output == *"cupel lock record"* ]]
}
