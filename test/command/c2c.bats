#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel c2c: what it needs; test/live/mem_watch.sh has the findings.

@test "an address and a process are required" {
	run "$CUPEL" c2c
	[ "$status" -eq 2 ]
	[[ $output == *"--watch"* ]]
	run "$CUPEL" c2c --watch x
	[ "$status" -eq 2 ]
}

@test "a variable that is not there" {
	run "$CUPEL" c2c --watch no_such_variable -p $$
	[ "$status" -eq 1 ]
	[[ $output == *"no variable of this name"* ]]
}

@test "an address where nothing is mapped" {
	for words in "c2c --watch 0x10" "mem --watch 0x10 -d 10ms"; do
		# shellcheck disable=SC2086 # words
		run "$CUPEL" $words -p $$
		[ "$status" -eq 1 ]
		[[ $output == *"0x10: process $$ has nothing mapped there"* ]]
	done
}
