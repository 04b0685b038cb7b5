#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Waits for locks that are watched. test/live/locks.sh has the rest.

@test "processes that are gone are named" {
	run "$CUPEL" lock -p 4194303 -d 100ms
	[ "$status" -ne 0 ]
	[[ $output == *4194303* ]]
}
