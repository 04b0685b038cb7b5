#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Counts of programs with exactly N system calls, page faults and waits. The counts of CPUs and of
# intervals add up to the total.
set -u
[ "$(id -u)" -eq 0 ] || { echo "needs root: tracepoints"; exit 77; }
command -v cc >/dev/null || { echo "no C compiler"; exit 77; }
"$CUPEL" stat -e raw_syscalls:sys_enter -o /dev/null true 2>/dev/null || {
	echo "no tracepoints here"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O1 -o "$work/count" "$(dirname "$0")/stat_counts.c" || exit 1
cd "$work" || exit 1
number=$(printf '#include <sys/syscall.h>\nSYS_sched_get_priority_max' | cc -E -P - | tail -n 1)
calls="id == $number"
failed=0

# counted OPTIONS… -- PROGRAM…: the first field of CSV, summed.
counted() {
	"$CUPEL" stat -x, -o out "$@" || failed=1
	grep -v '^#' out | grep .
}
is() { # WHAT VALUE EXPECTED
	[ "$2" -eq "$3" ] && return
	echo "$1: $2, expected $3"
	failed=1
}

for n in 0 1 1000 54321; do
	is "system calls of a program" \
		"$(counted -e raw_syscalls:sys_enter --filter "$calls" ./count calls $n | cut -d, -f1)" $n
	is "system calls of the machine" \
		"$(counted -a -e raw_syscalls:sys_enter --filter "$calls" ./count calls $n | cut -d, -f1)" $n
	is "system calls, summed over CPUs" \
		"$(counted -a -A -e raw_syscalls:sys_enter --filter "$calls" ./count calls $n |
			awk -F, '{ sum += $2 } END { print sum }')" $n
	is "system calls, summed over intervals" \
		"$(counted -I 1 -e raw_syscalls:sys_enter --filter "$calls" ./count calls $n |
			awk -F, '$2 ~ /^[0-9]/ { sum += $2 } END { print sum }')" $n
	is "system calls without children" \
		"$(counted -i -e raw_syscalls:sys_enter --filter "$calls" ./count calls $n | cut -d, -f1)" \
		$((n / 2))
done
is "the mean of three runs" \
	"$(counted -r 3 -e raw_syscalls:sys_enter --filter "$calls" ./count calls 77 | cut -d, -f1)" 77

# Pages in a separate mapping. The program has more faults; some depend on the contents of memory.
place='address >= 0x200000000000 && address < 0x210000000000'
base=$(counted -e page-faults ./count faults 0 | cut -d, -f1)
for n in 0 1 100 5000; do
	faults=$(counted -e page-faults ./count faults $n | cut -d, -f1)
	[ $((faults - base)) -ge $((n - 20)) ] && [ $((faults - base)) -le $((n + 20)) ] ||
		is "page faults" $((faults - base)) $n
	[ ! -d /sys/kernel/tracing/events/exceptions/page_fault_user ] ||
		is "page faults at an address" "$(counted -e exceptions:page_fault_user \
			--filter "$place" ./count faults $n | cut -d, -f1)" $n
done

# A wait is a switch from the CPU in a state other than "running"; other switches are preemptions.
waits='prev_comm == "count" && prev_state != 0 && prev_state != 256'
for n in 10 200; do
	is "waits" "$(counted -e sched:sched_switch --filter "$waits" ./count waits $n | cut -d, -f1)" $n
	switches=$(counted -e context-switches ./count waits $n | cut -d, -f1)
	[ "$switches" -ge $n ] || is "context switches" "$switches" $n
done

# The events of a group run together. The CPU clock of a busy program equals its run time.
"$CUPEL" stat -x, -o out -e '{task-clock,page-faults}' ./count calls 300000
awk -F, '/task-clock/ { clock = $4 } /page-faults/ { faults = $4 }
	END { exit !(clock > 0 && faults / clock > 0.99 && faults / clock < 1.01) }' out || {
	echo "a group's members did not run together:"
	cat out
	failed=1
}
exit $failed
