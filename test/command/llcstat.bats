#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel llcstat: arguments; where there are no counters it fails and says why.

@test "words" {
	run "$CUPEL" llcstat 1 2
	[ "$status" -eq 2 ]
	run "$CUPEL" llcstat -c 0 1
	[ "$status" -eq 2 ]
}

@test "its table, or why there is none" {
	run "$CUPEL" llcstat 100ms
	if [ "$status" -eq 0 ]; then
		[[ $output == *"NAME             CPU     REFERENCE         MISS    HIT%"* ]]
	else
		[ "$status" -eq 1 ]
		[[ $output == *cache-references* || $output == *permission* ]]
	fi
}
