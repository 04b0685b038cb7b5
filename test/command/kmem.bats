#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel kmem: its commands.

@test "a command is required" {
	run "$CUPEL" kmem
	[ "$status" -eq 2 ]
	run "$CUPEL" kmem nonsense
	[ "$status" -eq 2 ]
}
