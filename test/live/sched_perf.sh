#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# in turn: stock perf aborts while other processes load BPF programs
# Compares sched latency, timehist and map with stock perf, on recordings of both. perf before 6.12
# misreads the state of a thread that left the CPU on kernels since 4.14, so delays are compared only
# from that version on; run times and the map always are. perf shows only the number of an exited
# thread; the comparison ignores that. Sums per thread are compared with the records, because perf from
# 6.9 on drops the data of exited threads.
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
export HOME="$work" LC_ALL=C
perf sched record -q -o perf.data -- true 2>log || {
	echo "perf cannot record the scheduler here: $(head -n 1 log)"
	exit 77
}
# shellcheck disable=SC2016
load='for i in 1 2 3 4 5 6; do ls /usr/bin | sort | cksum >sum; sleep 0.01; done'
failed=0

fail() {
	echo "$*"
	failed=1
}

# same NAME: want and got must be equal
same() {
	cmp -s want got && return
	fail "$1 differs:"
	diff want got | head -n 10
}

at_least_6_12() {
	perf --version | awk '{ split($3, v, "."); exit !(v[1] > 6 || (v[1] == 6 && v[2] >= 12)) }'
}

# delays WAKING PREEMPTED: delays of each thread, from the lines of perf script. WAKING: sched_waking
# ends a sleep. PREEMPTED: a thread that left the CPU in state R+ waits for a CPU.
delays() {
	awk -v waking="$1" -v preempted="$2" '
		function number(name) {
			match($0, " " name "=[0-9]+")
			return substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) + 0
		}
		/sched:sched_switch:/ {
			from = number("prev_pid"); to = number("next_pid")
			waits = preempted ? / prev_state=R/ : / prev_state=R /
			state[from] = waits ? "waits" : "asleep"
			if (to && (!(to in state) || state[to] == "waits")) count[to]++
			state[to] = "runs"
		}
		/sched:sched_waking:/ && !waking { next }
		/sched:sched_wak(ing|eup|eup_new):/ {
			to = number("pid")
			if (!(to in state) || state[to] == "asleep") state[to] = "waits"
		}
		END { for (t in count) print t, count[t] }' script.txt | sort
}

# counts: threads and numbers of delays, from the output of sched latency -p
counts() {
	awk -F '|' '$3 + 0 && !/TOTAL/ { n = split($1, name, ":"); print name[n] + 0, $3 + 0 }' | sort
}

# compare_counts FILE
compare_counts() {
	perf script -i "$1" -F cpu,time,event,trace 2>/dev/null >script.txt
	delays 1 1 >want
	"$CUPEL" sched latency -i "$1" -p | counts >got
	same "$1: number of delays"
	perf sched -i "$1" latency -p 2>/dev/null | counts >got
	for model in '1 1' '1 0' '0 1' '0 0'; do
		# shellcheck disable=SC2086
		delays $model >want
		cmp -s want got || continue
		echo "$1: delays: $(awk '{ n += $2 } END { print n }' got) by $(perf --version)," \
			"with (1) or without (0) sched_waking and preempted threads: $model"
		return
	done
	# from 6.9 on perf forgets threads that exited
	delays 1 1 >want
	[ "$(comm -23 got want | wc -l)" = 0 ] || fail "$1: no rule gives the counts of perf"
}

# Omits lines about threads without a name in perf from both.
compare() {
	perf sched -i "$1" map 2>/dev/null >perf.map
	"$CUPEL" sched map -i "$1" >cupel.map || fail "$1: map failed"
	[ -s cupel.map ] || fail "$1: the map is empty"
	grep -v ' :[0-9]*:[0-9]*$' perf.map >want
	paste -d '\n' perf.map cupel.map | awk 'NR % 2 { skip = / :[0-9]*:[0-9]*$/; next } !skip' >got
	same "$1: map"
	perf script -i "$1" -F event 2>/dev/null | grep -c 'sched:sched_switch' >want
	"$CUPEL" sched timehist -i "$1" -s | awk '/context switches:/ { print $NF }' >got
	same "$1: timehist -s: switches"
	# time, CPU, and how long the thread ran
	perf sched -i "$1" timehist 2>/dev/null | awk 'NR > 3 && /\[[0-9]+\]/ { print $1, $2, $NF }' >want
	"$CUPEL" sched timehist -i "$1" --no-call-graph | awk 'NR > 3 && /\[[0-9]+\]/ { print $1, $2, $NF }' >got
	same "$1: timehist"
	at_least_6_12 || return
	perf sched -i "$1" latency -p -s pid |
		grep -v '  :[0-9]*:\|INFO\|^ -\|TOTAL' | sort >want
	"$CUPEL" sched latency -i "$1" -p -s pid | grep -v 'INFO\|^ -\|TOTAL' |
		sort >got
	[ "$(comm -23 want got | wc -l)" = 0 ] || same "$1: latency"
}

perf sched record -q -o perf.data -- sh -c "$load" 2>log || fail "perf: $(head -n 1 log)"
compare perf.data
"$CUPEL" sched record -q -o cupel.data -- sh -c "$load" || fail "sched record failed"
compare cupel.data
# more runnable threads than CPUs
perf sched record -q -o busy.data -- sh -c "for n in 1 2 3 4; do ($load) & done; wait" 2>log ||
	fail "perf: $(head -n 1 log)"
compare_counts busy.data
compare_counts cupel.data
[ "$failed" = 0 ] && echo "map, timehist and latency agree"
exit "$failed"
