#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# alone: it compares recordings of the whole machine with perf
# cupel script prints the same lines as stock perf 6.1, except for the differences listed in
# doc/script.md, which the test removes from both sides.
set -u
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
: "${CUPEL:?path of the cupel binary}"
case $(perf version 2>/dev/null) in
"perf version 6.1."*) ;;
*)
	echo "needs stock perf 6.1 for comparison"
	exit 77
	;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export HOME="$work" LC_ALL=C
cat >spin.c <<'C'
#include <stdlib.h>
static __attribute__((noinline)) unsigned long leaf(unsigned long n)
{
	volatile unsigned long sum = 0;

	for (unsigned long i = 0; i < n; i++)
		sum += i * i;
	return sum;
}
static __attribute__((noinline)) unsigned long middle(unsigned long n)
{
	return leaf(n) + 1;
}
int main(void)
{
	unsigned long sum = 0;

	for (int i = 0; i < 60; i++) {
		char *p = malloc(100000);

		sum += middle(400000);
		free(p);
	}
	return sum == 0;
}
C
cc -O1 -g -fno-omit-frame-pointer -o spin spin.c || exit 1
perf record -q -e cpu-clock -o probe ./spin 2>log || {
	echo "perf cannot record here: $(head -n 1 log)"
	exit 77
}
failed=0
lines=0

# Intended differences: symbol versions, names of PLT entries, deleted files that only one of the
# programs can still open, trailing rounds, and loaded BPF programs.
normal() {
	sed -E 's/@@?[A-Z][A-Za-z]*_[0-9.]+//; s/ [^ ]*@plt/ @plt/;
		s/ (_dl_start_user(\+0x0)?|_start(\+0x8)?) (.*ld-linux)/ start \4/' | grep -v '(deleted)\|^# bpf_prog_info\|^# .sub_prog\|^# btf info of id'
}

# compare FILE OPTIONS...
compare() {
	file=$1
	shift
	perf script -f -i "$file" "$@" 2>/dev/null | normal >want
	"$CUPEL" script -i "$file" "$@" 2>errors | normal >got
	lines=$((lines + $(wc -l <want)))
	if [ ! -s want ]; then
		echo "perf script -i $file $*: printed nothing"
		failed=1
	elif ! cmp -s want got; then
		echo "script -i $file $*: $(diff want got | grep -c '^[<>]') lines differ"
		diff want got | head -n 6
		cat errors
		failed=1
	fi
}

# record NAME OPTIONS...
record() {
	name=$1
	shift
	perf record -q -o "$name" "$@" ./spin 2>log >/dev/null && return
	echo "not tested: perf record $*: $(head -n 1 log)"
	return 1
}

record default -e cpu-clock && {
	compare default
	compare default -F comm,tid,time,ip
	compare default --ns
	compare default --reltime
	compare default --deltatime --ns
	compare default -F -period,+pid
	compare default -F +misc,+flags
	compare default -S leaf
	compare default --show-mmap-events --show-task-events
	compare default --header
}
record user -e cpu-clock:u && compare user -F ip,sym,insn,insnlen
record userchains -e cpu-clock:u -g && compare userchains -F +insn --no-inline
record chains -e cpu-clock -g && {
	compare chains --no-inline
	compare chains -G
	compare chains --max-stack 2 --no-inline
	compare chains -F ip,sym,dso --no-inline
	compare chains -F comm,ip
	compare chains -F comm,tid,time
}
record dwarf -e cpu-clock --call-graph dwarf && {
	compare dwarf --no-inline
	compare dwarf -G -F +uregs
}
record machine -e cpu-clock -a && {
	compare machine
	compare machine -C 0
	compare machine --comms spin
	compare machine --time 10%-50%
	compare machine --show-task-events --show-mmap-events -F +misc
	compare machine --show-round-events
}
record packed -e cpu-clock -g -z && compare packed --no-inline
record several -e cpu-clock,task-clock,page-faults -g && compare several --no-inline
record group -e '{cpu-clock,task-clock}' && compare group
# perf prints no period there.
record leader -e '{cpu-clock,task-clock}:S' && compare leader -F -period
record tracepoints -e sched:sched_switch,sched:sched_wakeup -a -R && {
	compare tracepoints
	compare tracepoints -F event,trace
	compare tracepoints -F +ip
}
record payloads -e 'kmem:*,sched:*,irq:*,signal:*,syscalls:sys_enter_*' -a -R && compare payloads
record mixed -e cpu-clock,sched:sched_process_exit -g && {
	compare mixed --no-inline
	compare mixed -G
	compare mixed -F trace:comm,trace --no-inline
}
record data -e cpu-clock -d -W && {
	compare data -F +addr,+weight,+data_src
	compare data -F +ins_lat
}
record switches -e cpu-clock --switch-events -a && compare switches --show-switch-events -F +misc
record namespaces -e cpu-clock --namespaces && compare namespaces --show-namespace-events
record cgroups -e cpu-clock --all-cgroups && compare cgroups --show-cgroup-events
record clock -e cpu-clock -k mono && compare clock -F +tod
record registers -e cpu-clock -I && compare registers -F +iregs
perf record -q -e cpu-clock -g -o - ./spin 2>/dev/null >pipe
compare pipe --no-inline

echo "$lines lines compared"
exit "$failed"
