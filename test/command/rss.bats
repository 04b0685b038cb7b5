#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel rss: command lines. test/live/rss.sh has the rest.

@test "a program or a process is required, not both" {
	run "$CUPEL" rss
	[ "$status" -eq 2 ]
	[[ $output == *"no program"* ]]
	run "$CUPEL" rss -p 1 -- true
	[ "$status" -eq 2 ]
}

@test "one process is watched" {
	run "$CUPEL" rss -p "$$,1"
	[ "$status" -ne 0 ]
	[[ $output == *"one process"* ]]
}

@test "the picture's name says its format" {
	run "$CUPEL" rss --flamegraph rss.png -- true
	[ "$status" -ne 0 ]
	[[ $output == *rss.png* ]]
}
