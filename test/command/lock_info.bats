#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel lock info: command lines. test/live/locks_perf.sh has the rest.

@test "it wants to know what to list" {
	run "$CUPEL" lock info
	[ "$status" -eq 2 ]
	[[ $output == *"-t threads"* ]]
}
