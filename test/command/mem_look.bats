#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel mem without a subcommand: what it needs.

@test "a program or a process, not both" {
	run "$CUPEL" mem --stalls
	[ "$status" -eq 2 ]
	run "$CUPEL" mem --stalls -p 1 -- true
	[ "$status" -eq 2 ]
}

@test "wrong values are refused" {
	run "$CUPEL" mem --stalls --rate 0 -- true
	[ "$status" -eq 2 ]
	run "$CUPEL" mem --stalls --flamegraph x.pdf -- true
	[ "$status" -eq 2 ]
}
