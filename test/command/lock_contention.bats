#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel lock contention: command lines. test/live/locks_perf.sh has the rest.

@test "only one kind of rows" {
	run "$CUPEL" lock contention -t -l
	[ "$status" -eq 2 ]
}

@test "owners need -b" {
	run "$CUPEL" lock contention -o
	[ "$status" -eq 2 ]
	[[ $output == *"use -b"* ]]
}
