#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel c2c -p PID: processes without a line to find; test/live/mem_watch.sh has the others.

@test "a process that is not there is not searched" {
	run "$CUPEL" c2c -p 4194303
	[ "$status" -eq 1 ]
}

@test "what is searched is a process" {
	run "$CUPEL" c2c -- true
	[ "$status" -eq 2 ]
	[[ $output == *"-p PID"* ]]
}
