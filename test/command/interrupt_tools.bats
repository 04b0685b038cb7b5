#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel hardirqs and softirqs: arguments. test/live/interrupts.sh tests what they show.

@test "counts have no times" {
	for tool in hardirqs softirqs; do
		run "$CUPEL" $tool -C -N 1 1
		[ "$status" -eq 2 ]
		run "$CUPEL" $tool -C -d 1 1
		[ "$status" -eq 2 ]
	done
}

@test "CPUs are numbers" {
	run "$CUPEL" softirqs -c none 1 1
	[ "$status" -eq 2 ]
	run "$CUPEL" softirqs -c 99999999 1 1
	[ "$status" -eq 2 ]
}
