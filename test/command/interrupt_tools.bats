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
	for tool in hardirqs softirqs; do
		run "$CUPEL" $tool -c 99999999 1 1
		[ "$status" -eq 2 ]
		[ -d /sys/devices/system/cpu ] || continue
		run "$CUPEL" $tool -c 65000 1 1
		[ "$status" -eq 2 ]
		[[ $output == *"-c: there is no CPU 65000"* ]]
	done
}
