#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel lock report: command lines. test/live/locks_perf.sh has the rest.

@test "orders have names" {
	run "$CUPEL" lock report -k nonsense
	[ "$status" -eq 2 ]
}
