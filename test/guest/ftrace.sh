#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's tracers: function, function_graph (which exists once here), latencies; nothing is
# left of them after an end of any kind. Few functions are traced: all of them are too much for an
# emulated CPU.
# seconds: 300
failed=0
tracefs=/sys/kernel/tracing
[ -e $tracefs/trace ] || mount -t tracefs nodev $tracefs || exit 1

# fails WHAT
fail() {
	echo "$1"
	failed=1
}

# has FILE PATTERN
has() {
	grep -Eq "$2" "$1" || {
		fail "no line with $2:"
		head -n 30 "$1"
	}
}

# All that could stay behind.
state() {
	for file in current_tracer tracing_on set_ftrace_filter set_ftrace_notrace set_graph_function \
		set_graph_notrace max_graph_depth tracing_thresh set_ftrace_pid tracing_cpumask \
		kprobe_events uprobe_events options/funcgraph-tail options/funcgraph-proc \
		options/sleep-time options/function-fork; do
		[ ! -e $tracefs/$file ] || echo "$file: $(cat $tracefs/$file)"
	done
	ls $tracefs/instances
}

# same WHEN: waits until everything is as it was
same() {
	for _ in $(seq 160); do
		state >now
		cmp -s before now && return
		sleep 0.5
	done
	fail "left behind after $1:"
	diff before now
}

state >before

"$CUPEL" ftrace -T 'vfs_*' -o function -- dd if=/proc/version of=/dev/null bs=64 2>/dev/null || fail "function: $?"
has function '^# tracer: function$'
has function ' dd-[0-9]+ .*: vfs_read <-'
same function

"$CUPEL" ftrace -T vfs_read -T rw_verify_area -T seq_read -T proc_reg_read_iter -G vfs_read --graph-opts depth=2,tail -o graph -- dd if=/proc/version of=/dev/null bs=64 2>/dev/null || fail "graph: $?"
has graph '^# tracer: function_graph$'
has graph '^ [0-9]\).* us +\|  } /\* vfs_read \*/$'
! grep -Eq '^ [0-9]\).*\|      [a-z]' graph || fail "functions below the depth are there"
same function_graph

"$CUPEL" ftrace --json -T vfs_read -G vfs_read -o json -- dd if=/proc/version of=/dev/null bs=64 2>/dev/null || fail "json: $?"
has json '"type":"(leaf|exit)","cpu":[0-9],"comm":"dd","tid":[0-9]+,"time_ns":[0-9]+,"depth":[0-9]+,"duration_ns":[0-9]+'

"$CUPEL" ftrace latency -T vfs_read -o latency -- dd if=/proc/version of=/dev/null bs=64 2>/dev/null || fail "latency: $?"
has latency '^       count: +[1-9]'
"$CUPEL" ftrace latency -n --bucket-range 1000 --json -T vfs_read -o latency -- sh -c 'dd if=/proc/version of=/dev/null bs=64 2>/dev/null; :' || fail "latency -n: $?"
has latency '"count":[1-9][0-9]*,"total_ns":[1-9]'

"$CUPEL" ftrace profile -s count -T 'vfs_*' -o profile -- dd if=/proc/version of=/dev/null bs=64 2>/dev/null || fail "profile: $?"
has profile '^# Total \(us\)   Avg \(us\)   Max \(us\)      Count   Function$'
has profile '^ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[1-9][0-9]*   vfs_read$'
same profile

"$CUPEL" ftrace -T vfs_reed -- true 2>errors && fail "an unknown function is taken"
has errors "no function 'vfs_reed' that can be traced"
has errors "did you mean 'vfs_read'"
"$CUPEL" ftrace -F 'vfs_rea*' >list || fail "list: $?"
has list '^vfs_read$'

for tracer in irqsoff wakeup wakeup_rt hwlat osnoise; do
	grep -qw $tracer $tracefs/available_tracers || {
		echo "not tested: $tracer: this kernel does not have it"
		continue
	}
	"$CUPEL" ftrace -t $tracer --timeout 300ms -o $tracer.txt || fail "$tracer: $?"
	has $tracer.txt "^# tracer: $tracer$"
done
same "latency tracers"

"$CUPEL" ftrace -e sched:sched_process_exec --trigger stacktrace -o events -- /bin/true || fail "events: $?"
has events 'sched_process_exec: '
has events '^ => '
"$CUPEL" ftrace -e sched:sched_switch --trigger 'hist:keys=next_comm' -o hist -- sleep 0.1 || fail "hist: $?"
has hist 'Totals:'

# a user's own setting is kept
echo vfs_write >$tracefs/set_ftrace_filter
echo 5 >$tracefs/max_graph_depth
state >before
"$CUPEL" ftrace profile -T 'vfs_*' --graph-opts depth=2 -o profile -- dd if=/proc/version of=/dev/null bs=64 2>/dev/null || fail "profile: $?"
same "a profile beside a user's settings"
echo function >$tracefs/current_tracer
"$CUPEL" ftrace -t function_graph -- true 2>errors && fail "a tracer in use is taken away"
has errors 'in use by the tracer function'
echo nop >$tracefs/current_tracer
echo >$tracefs/set_ftrace_filter
echo 0 >$tracefs/max_graph_depth
state >before

for signal in INT TERM; do
	for mode in '-T vfs_*' '-T vfs_read -G vfs_read' '-e sched:sched_switch' 'profile -T vfs_*'; do
		# shellcheck disable=SC2086
		"$CUPEL" ftrace $mode --timeout 20s -o ended 2>/dev/null &
		sleep 0.4
		kill -$signal $!
		wait $!
		same "$signal of $mode"
	done
done
for mode in '-T vfs_*' '-e sched:sched_switch' '-T vfs_read -G vfs_read' 'profile -T vfs_*'; do
	for after in 0.1 0.4; do # while it is set up, and while it traces
		# shellcheck disable=SC2086
		"$CUPEL" ftrace $mode --timeout 20s -o ended 2>/dev/null &
		sleep $after
		kill -KILL $!
		wait $!
		same "KILL of $mode"
	done
done
exit $failed
