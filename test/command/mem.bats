#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel mem: its commands.

@test "a look is required" {
	run "$CUPEL" mem
	[ "$status" -eq 2 ]
	[[ $output == *"cupel mem --stalls"* ]]
	run "$CUPEL" mem -- true
	[ "$status" -eq 2 ]
}

@test "help lists the commands" {
	run "$CUPEL" mem --help
	[ "$status" -eq 0 ]
	[[ $output == *look* ]]
}
