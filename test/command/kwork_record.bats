#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel kwork record: command lines. test/live/kwork.sh has the rest.

@test "a program that does not exist fails" {
	run "$CUPEL" kwork record -o "$BATS_TEST_TMPDIR/x.data" -- /nonexistent/program
	[ "$status" -ne 0 ]
}
