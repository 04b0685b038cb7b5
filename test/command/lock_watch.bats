#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel lock watch: command lines. test/live/locks.sh has the rest.

@test "--user and --kernel cannot be combined" {
	run "$CUPEL" lock watch --user --kernel -- true
	[ "$status" -eq 2 ]
}

@test "a program that does not exist is named" {
	run "$CUPEL" lock watch -- /nonexistent/program
	[ "$status" -ne 0 ]
	[[ $output == *nonexistent* ]]
}
