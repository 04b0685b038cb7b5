#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel mem --stalls: messages; test/live/mem_stalls.sh has the figures.

@test "a program that is not there" {
	run "$CUPEL" mem --stalls --no-heap -- ./no-such-program
	[ "$status" -ne 0 ]
	[[ $output == *no-such-program* ]]
}
