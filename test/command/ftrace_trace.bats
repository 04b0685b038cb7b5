#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel ftrace trace: events, and refusals.

# shellcheck source=test/command/ftrace.bash
. "$BATS_TEST_DIRNAME/ftrace.bash"

@test "a refusal of the kernel has its reason and what works instead" {
	needs_tracefs
	run "$CUPEL" ftrace -t no_such_tracer -- true
	[ "$status" -eq 1 ]
	[[ $output == *"no_such_tracer: this kernel does not have this tracer"*"it has: "*"nop"*"cupel ftrace -e"* ]]
	run "$CUPEL" ftrace -e sched:sched_swich -- true
	[ "$status" -eq 2 ]
	[[ $output == *"no such tracepoint"*"did you mean 'sched:sched_switch'"* ]]
	run "$CUPEL" ftrace -e sched:sched_switch --filter 'foo > 1' -- true
	[ "$status" -eq 2 ]
	[[ $output == *"filter 'foo > 1': Field not found"* ]]
	run "$CUPEL" ftrace -e sched:sched_switch --trigger nonsense -- true
	[ "$status" -eq 2 ]
	[[ $output == *"trigger 'nonsense'"*"this kernel has: "*stacktrace* ]]
}

@test "events come with filters, triggers and the program's status" {
	needs_tracefs
	run "$CUPEL" ftrace -e sched:sched_process_exec -o exec -- sh -c 'exit 5'
	[ "$status" -eq 5 ]
	grep -q '^# tracer: nop$' exec
	grep -q 'sched_process_exec: filename=' exec
	"$CUPEL" ftrace -e sched:sched_switch --filter 'prev_state == 1' --trigger stacktrace -o switch -- sleep 0.01
	grep -q 'prev_state=S ' switch
	! grep -q 'prev_state=R ' switch || false
	grep -q '^ => schedule$' switch
}

@test "children are traced, unless they are not wanted" {
	needs_tracefs
	"$CUPEL" ftrace --no-inherit -e sched:sched_process_exec -o alone -- sh -c '/bin/true; :'
	"$CUPEL" ftrace -e sched:sched_process_exec -o all -- sh -c '/bin/true; :'
	[ "$(grep -c sched_process_exec: alone)" -eq 1 ]
	[ "$(grep -c sched_process_exec: all)" -eq 2 ]
}

@test "threads belong to their program" {
	needs_tracefs
	cat >threads.py <<-'PY'
		import threading
		thread = threading.Thread(target=lambda: print(threading.get_native_id()))
		thread.start()
		thread.join()
	PY
	thread=$("$CUPEL" ftrace -e raw_syscalls:sys_exit -o all -- python3 threads.py)
	grep -q -- "-$thread " all
}

@test "JSON has an object for each event" {
	needs_tracefs
	"$CUPEL" ftrace --json -e sched:sched_switch --trigger stacktrace -o out -- sleep 0.01
	python3 - out <<-'PY'
		import json, sys
		rows = [json.loads(line) for line in open(sys.argv[1])]
		events = [r for r in rows if r["type"] == "event"]
		assert events and all(r["name"] == "sched_switch" and r["time_ns"] and "prev_comm" in r["arguments"] for r in events)
		assert any("schedule" in r["frames"] for r in rows if r["type"] == "stack")
	PY
}
