#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel report: columns of accesses to data belong to cupel mem report.

@test "a column of accesses names the command that has it" {
	printf 'main;work 3\n' >"$BATS_TEST_TMPDIR/folded"
	run "$CUPEL" report --stdio --sort symbol_daddr -i "$BATS_TEST_TMPDIR/folded"
	[ "$status" -eq 2 ]
	[[ $output == *"cupel mem report"* ]]
}
