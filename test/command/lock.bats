#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel lock: command lines. test/live/locks.sh has the rest.

@test "it wants something to watch" {
	run "$CUPEL" lock
	[ "$status" -eq 2 ]
	[[ $output == *"nothing to watch"* ]]
}

@test "only one target" {
	run "$CUPEL" lock -a -p 1
	[ "$status" -eq 2 ]
}
