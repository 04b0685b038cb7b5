#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel mem record and c2c record: the refusal where the machine has no such counters.

@test "without counters the refusal says what works instead" {
	for pmu in cpu/events/mem-loads cpu_core/events/mem-loads ibs_op; do
		[ ! -e "/sys/bus/event_source/devices/$pmu" ] || skip "this machine has $pmu"
	done
	for command in mem c2c; do
		run "$CUPEL" "$command" record -- true
		[ "$status" -eq 1 ]
		[[ $output == *"accesses to memory: "*"hint: it takes PEBS"*"cupel mem --stalls"* ]]
	done
}
