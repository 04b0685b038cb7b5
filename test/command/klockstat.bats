#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel klockstat: arguments and its shape.

@test "orders have names" {
	run "$CUPEL" klockstat -S nonsense
	[ "$status" -eq 2 ]
}

@test "it prints BCC's heading, and says what it has not" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	run "$CUPEL" klockstat -- true
	[ "$status" -eq 0 ] || skip "locks of the kernel cannot be watched here"
	[[ $output == *"Tracing mutex/sem lock events...  Hit Ctrl-C to end"* ]]
	[[ $output == *"Caller  Avg Wait    Count   Max Wait   Total Wait"* ]]
	[[ $output == *"how long locks are held"* ]]
}

@test "nothing stands before a refusal" {
	for tool in klockstat offcputime wakeuptime offwaketime; do
		if [ "$(id -u)" -eq 0 ]; then
			run setpriv --bounding-set -all --inh-caps -all "$CUPEL" $tool
		else
			run "$CUPEL" $tool
		fi
		[ "$status" -ne 0 ] || skip "this user may load BPF programs"
		[[ ${lines[0]} == "cupel: $tool: "* ]]
	done
}
