#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel ftrace: its options, and that nothing is left behind.

# shellcheck source=test/command/ftrace.bash
. "$BATS_TEST_DIRNAME/ftrace.bash"

# Waits until no instance of process $1 is left.
wait_gone() {
	wait_for [ ! -e "$tracefs/instances/cupel-$1" ]
}

@test "invalid command lines are refused with a reason" {
	run "$CUPEL" ftrace latency -- true
	[ "$status" -eq 2 ]
	[[ $output == *"one of these is required: -T FUNC, or -e FIRST,SECOND"* ]]
	run "$CUPEL" ftrace latency -T a --min-latency 3 -- true
	[ "$status" -eq 2 ]
	[[ $output == *"require --bucket-range"* ]]
	run "$CUPEL" ftrace latency -e sched:sched_switch -- true
	[ "$status" -eq 2 ]
	[[ $output == *"SYSTEM:FIRST,SYSTEM:SECOND"* ]]
	run "$CUPEL" ftrace --graph-opts depht=3 -- true
	[ "$status" -eq 2 ]
	[[ $output == *"option 'depht=3': expected nosleep-time, noirqs, verbose"* ]]
	run "$CUPEL" ftrace --filter 'a > 1' -e sched:sched_switch -- true
	[ "$status" -eq 2 ]
	[[ $output == *"--filter must follow the event"* ]]
	run "$CUPEL" ftrace -a -- true
	[ "$status" -eq 2 ]
	run "$CUPEL" ftrace profile -s size -- true
	[ "$status" -eq 2 ]
}

@test "the first word chooses the command, others are the program's" {
	run "$CUPEL" ftrace --help
	[ "$status" -eq 0 ]
	[[ $output == *latency*profile* ]]
	run "$CUPEL" ftrace profile --help
	[[ $output == "usage: cupel ftrace profile"* ]]
	needs_tracefs
	run "$CUPEL" ftrace -e sched:sched_process_exec -o out -- echo profile
	[ "$status" -eq 0 ]
	[ "$output" = profile ]
}

@test "nothing is left after any end" {
	needs_tracefs
	before=$(cat $tracefs/kprobe_events $tracefs/uprobe_events 2>/dev/null || :)
	for signal in INT TERM KILL KILL KILL KILL KILL KILL KILL KILL KILL KILL KILL KILL KILL KILL KILL KILL KILL KILL KILL KILL; do
		"$CUPEL" ftrace -e sched:sched_switch --timeout 30s -o out 3>&- &
		pid=$!
		for _ in {1..100}; do
			[ ! -s out ] || break
			sleep 0.02
		done
		kill -$signal $pid
		wait $pid || :
		rm -f out
		wait_gone $pid
	done
	[ "$before" = "$(cat $tracefs/kprobe_events $tracefs/uprobe_events 2>/dev/null || :)" ]
}

@test "an instance of a process that is gone is removed by the next start" {
	needs_tracefs
	sh -c 'exit 0' &
	gone=$!
	wait $gone
	mkdir "$tracefs/instances/cupel-$gone"
	"$CUPEL" ftrace -e sched:sched_process_exec -o out -- true
	[ ! -e "$tracefs/instances/cupel-$gone" ]
}
