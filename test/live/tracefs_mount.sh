#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where tracefs is mounted nowhere, root has tracepoints, stacks below system calls and ftrace all the
# same, by a mount that no other process sees; an instance of a killed ftrace is removed as well.
set -u
: "${CUPEL:?path of the cupel binary}"
. "$(dirname "$0")/wait_for.bash"
if [ "${1:-}" != inside ]; then
	unshare -m true 2>/dev/null || { echo "no mount namespaces here"; exit 77; }
	exec unshare -m "$0" inside
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
while umount /sys/kernel/tracing 2>/dev/null || umount /sys/kernel/debug/tracing 2>/dev/null; do :; done
umount /sys/kernel/debug 2>/dev/null # below it the kernel mounts tracefs by itself
if grep -q ' tracefs ' /proc/mounts; then
	echo "tracefs cannot be unmounted here"
	exit 77
fi
"$CUPEL" trace -o probe.txt -- true 2>log || { echo "no tracing here: $(head -n 1 log)"; exit 77; }
"$CUPEL" list sched:sched_switch >list 2>log && grep -q sched:sched_switch list || {
	echo "no mount of our own here: $(head -n 1 log)"
	exit 77
}
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}
"$CUPEL" trace -g -e clock_nanosleep,sched:sched_process_exit -o calls -- sleep 0.1 2>log || fail "trace: $(cat log)"
grep -q 'clock_nanosleep(' calls && grep -q '^             .*libc' calls && grep -q sched_process_exit calls ||
	fail "trace: $(cat calls)"
"$CUPEL" record -q -o data -e sched:sched_process_exec -- sh -c 'exec true' 2>log || fail "record: $(cat log)"
"$CUPEL" script -i data 2>log | grep -q 'sched_process_exec: filename=' || fail "script: $(cat log)"
"$CUPEL" argdist --json -C 't:sched:sched_process_exit():char*:args->comm' -- true >values 2>log
grep -q 'args->comm = \\"true\\"' values || fail "argdist: $(cat values log)"
"$CUPEL" ftrace -e sched:sched_switch -o lines 2>log &
pid=$!
has_lines() {
	[ -s lines ] || ! kill -0 $pid 2>/dev/null
}
wait_for has_lines
kill -KILL $pid
wait $pid 2>/dev/null
grep -q sched_switch lines || fail "ftrace: $(cat log)"
! grep -q ' tracefs ' /proc/mounts || fail "a mount is seen"
mount -t tracefs nodev /sys/kernel/tracing || exit 1
is_gone() {
	[ ! -e "/sys/kernel/tracing/instances/cupel-$pid" ]
}
wait_for is_gone || fail "an instance stayed behind"
exit "$failed"
