#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel kwork: its commands.

@test "a command is required" {
	run "$CUPEL" kwork
	[ "$status" -eq 2 ]
	run "$CUPEL" kwork nonsense
	[ "$status" -eq 2 ]
}
