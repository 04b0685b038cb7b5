#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel kmem record: command lines. test/live/kmem.sh has the rest.

@test "a program that does not exist is named" {
	run "$CUPEL" kmem record -o "$BATS_TEST_TMPDIR/x.data" -- /proc/nonexistent/program
	[ "$status" -ne 0 ]
}
