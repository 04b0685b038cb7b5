#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel mem --watch: messages; test/live/mem_watch.sh has the findings.

@test "a variable that is not there" {
	run "$CUPEL" mem --watch no_such_variable -- true
	[ "$status" -eq 1 ]
	[[ $output == *"no variable of this name"*"-p PID"* ]]
}

@test "wrong addresses are refused" {
	run "$CUPEL" mem --watch 12x -- true
	[ "$status" -eq 2 ]
}
