#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel trace: what comes in between system calls, and how many lines.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	"$CUPEL" trace -o out -e sched:sched_switch -- true 2>log ||
		skip "no events can be traced here: $(head -n 1 log)"
}

@test "page faults have their places, in order with the calls" {
	"$CUPEL" trace -F all -o out -- cat /etc/hostname
	grep -Eq 'cat/[0-9]+ minfault \[[^]]+\+0x[0-9a-f]+\] => /.*@0x[0-9a-f]+ \(r' out
	grep -q ' openat(AT_FDCWD, "/etc/hostname", O_RDONLY) = ' out
	python3 - <<-'PY'
		import re
		at = 0
		for line in list(open("out")):
		    if "execve(" in line:
		        continue  # began before the first line
		    start, took = re.match(r" *([\d.]+) \(\s*([\d.]*)", line).groups()
		    end = float(start) + float(took or 0)
		    assert end >= at - 0.002, (at, line)
		    at = end
	PY
	"$CUPEL" trace -F all --no-syscalls --json -o faults -- true
	python3 -c 'import json; assert all(json.loads(l)["event"] == "minfault" for l in open("faults"))'
	[ -s faults ]
}

@test "tracepoints come in between, alone without calls" {
	"$CUPEL" trace -e 'clock_nanosleep,sched:sched_switch' -o out -- sleep 0.02
	grep -Eq ' sched:sched_switch\(prev_comm=sleep .*prev_state=S' out
	[ "$(grep -c ' clock_nanosleep(' out)" -eq 1 ]
	[ "$(tail -n 1 out | grep -c clock_nanosleep)" -eq 1 ]
	"$CUPEL" trace -e sched:sched_switch -o out -- sleep 0.02
	grep -q sched_switch out
	run grep -c nanosleep out
	[ "$output" -eq 0 ]
	"$CUPEL" trace --sched -e clock_nanosleep -o out -- sh -c 'sleep 0.02; i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done'
	grep -Eq ' sched:sched_stat_runtime\(comm=sh pid=[0-9]+ runtime=[0-9]+' out
	run "$CUPEL" trace -e sched:no_such_event -- true
	[ "$status" -ne 0 ]
	run "$CUPEL" trace -s -F all -- true
	[ "$status" -eq 2 ]
}

@test "tracepoints of system calls are events like others" {
	"$CUPEL" trace -e raw_syscalls:sys_enter,syscalls:sys_exit_write -o out -- sh -c 'echo a; echo b' >/dev/null
	grep -Eq ' raw_syscalls:sys_enter\(NR [0-9]+ \(' out
	[ "$(grep -c ' syscalls:sys_exit_write(0x2)' out)" -eq 2 ]
}

@test "stacks come below lines and events" {
	"$CUPEL" trace -g -e sched:sched_process_exec,exit_group -o out -- sh -c '/bin/true; :'
	grep -A 3 'exit_group(0) = ?' out | grep -q '^             [^ ].* (.*)$'
	"$CUPEL" trace --call-graph none -e exit_group -o out -- true
	! grep -q '^             ' out || false
	run -2 "$CUPEL" trace -g -s -- true
	[[ $output == *--by-caller* ]]
	run -2 "$CUPEL" trace -g -e raw_syscalls:sys_exit -- true
	[[ $output == *"leave -e raw_syscalls:sys_exit out"* ]]
}

@test "--max-events ends it" {
	"$CUPEL" trace --max-events 3 -o out -- sh -c 'cat /etc/hostname; cat /etc/hostname'
	[ "$(wc -l <out)" -eq 3 ]
	"$CUPEL" trace --max-events 5 -F all -o out -- true
	[ "$(wc -l <out)" -eq 5 ]
	sleep 30 &
	sleeper=$!
	timeout 20 "$CUPEL" trace --max-events 1 -a -o out
	[ "$(wc -l <out)" -eq 1 ]
	kill "$sleeper"
}

@test "perf's other options are accepted or name what to use" {
	"$CUPEL" trace --syscalls --errno-summary --sort-events -f -m 512 -s -o out -- true
	for option in '-C 0' '-D 10' '--switch-on sched:sched_switch' '--switch-off x:y' --print-sample; do
		# shellcheck disable=SC2086
		run "$CUPEL" trace $option -- true
		[ "$status" -eq 2 ]
	done
}
