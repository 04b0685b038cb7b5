#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel lock contention: command lines. test/live/locks_perf.sh has the rest.

@test "only one kind of rows" {
	run "$CUPEL" lock contention -t -l
	[ "$status" -eq 2 ]
}

@test "options of perf without an effect" {
	run "$CUPEL" lock contention --max-stack 4 --map-nr-entries 100 -i /nonexistent
	[ "$status" -eq 1 ]
	[[ $output == *"/nonexistent"* ]]
}

@test "owners need -b" {
	run "$CUPEL" lock contention -o
	[ "$status" -eq 2 ]
	[[ $output == *"use -b"* ]]
}
