#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# in turn: stock perf aborts while other processes load BPF programs
# Reads stock perf's recordings of every mode: the same number of samples as perf counts, and the same
# lines of evlist, buildid-list and the header.
set -u
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
: "${CUPEL:?path of the cupel binary}"
command -v perf >/dev/null || {
	echo "stock perf is not installed"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
# perf looks up build ids in its cache below HOME
export HOME="$work" LC_ALL=C
cat >spin.c <<'C'
int main(void)
{
	volatile unsigned long sum = 0;

	for (unsigned long i = 0; i < 30000000; i++)
		sum += i;
	return 0;
}
C
cc -O1 -g -fno-omit-frame-pointer -o spin spin.c || exit 1
perf record -q -e cpu-clock -o probe ./spin 2>log || {
	echo "perf cannot record here: $(head -n 1 log)"
	exit 77
}
failed=0

# same NAME: the two files must be equal
same() {
	cmp -s want got && return
	echo "$1 differs:"
	diff want got | head -n 10
	failed=1
}

check() {
	name=$1
	perf script -f -F ip -G -i "$name" 2>/dev/null | wc -l >want
	"$CUPEL" script -F ip -G -i "$name" | wc -l >got
	[ "$(cat want)" -gt 0 ] || {
		echo "$name: perf shows no sample"
		failed=1
	}
	same "$name: number of samples"
	for option in "" -v -F -g --trace-fields; do
		# shellcheck disable=SC2086 # an empty option is none
		perf evlist -f $option -i "$name" 2>/dev/null | grep -v '^# Tip' >want
		# shellcheck disable=SC2086
		"$CUPEL" evlist $option -i "$name" | grep -v '^# Tip' >got
		same "$name: evlist $option"
	done
	for option in -i -Hi; do
		perf buildid-list -f $option "$name" 2>/dev/null | grep -v deleted | sort >want
		"$CUPEL" buildid-list $option "$name" | grep -v deleted | sort >got
		same "$name: buildid-list $option"
	done
	# perf script shows the sections of a pipe only on the way
	# only perf lists the loaded BPF programs
	perf report -f -I --header-only -i "$name" 2>/dev/null |
		grep -v '^$\|^# bpf_prog_info\|^# .sub_prog\|^# btf info of id' >want
	"$CUPEL" script -I --header-only -i "$name" >got
	same "$name: header"
}

# record NAME OPTIONS...: an unsupported mode of perf is counted as not tested
record() {
	name=$1
	shift
	if perf record -q -o "$name" "$@" ./spin 2>log >/dev/null; then
		check "$name"
	else
		echo "not tested: perf record $*: $(head -n 1 log)"
	fi
}

record default -e cpu-clock
record chains -e cpu-clock -g
record dwarf -e cpu-clock --call-graph dwarf
record machine -e cpu-clock -a
record packed -e cpu-clock -g -z
record several -e cpu-clock,task-clock,page-faults -g
record group -e '{cpu-clock,task-clock}'
record leader -e '{cpu-clock,task-clock}:S'
record tracepoints -e sched:sched_switch,sched:sched_process_exit -a -R
record mixed -e cpu-clock,sched:sched_process_exit -g
record data -e cpu-clock -d -W
record cpus -e cpu-clock --sample-cpu -s
record switches -e cpu-clock --switch-events -a
record namespaces -e cpu-clock --namespaces
record cgroups -e cpu-clock --all-cgroups
record clock -e cpu-clock -k mono
record registers -e cpu-clock -I
perf record -q -e cpu-clock -g -o - ./spin 2>/dev/null >pipe
check pipe

perf buildid-list -i spin >want
"$CUPEL" buildid-list -i spin >got
same "build id of an ELF file"
perf buildid-list -k >want 2>/dev/null
"$CUPEL" buildid-list -k >got
same "build id of the kernel"

# perf 6.1 fails here, so the test compares with a recording of the same program without compression.
perf record -q -e cpu-clock -z -o - ./spin 2>/dev/null >packed_pipe
"$CUPEL" script -F ip -G -i packed_pipe | grep -q . || {
	echo "a compressed pipe gives no sample"
	failed=1
}
"$CUPEL" script -F ip -G -i - <pipe >want
gzip -c pipe | "$CUPEL" script -F ip -G -i - >got
same "gzip of a pipe"
exit "$failed"
