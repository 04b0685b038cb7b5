#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The scheduler's tables against stock perf's on one recording of a pipe that two processes on one CPU
# pass a byte through, in turns, and what recording it costs: bytes per switch, and the time of the pipe. Prints
# the ratios with their goals; exit status 1 when a goal is missed.
#
# Environment: CUPEL; PERF (perf), 6.12 or newer if possible; BENCH_EVENTS (1000000).
set -u
: "${CUPEL:?path of the cupel binary}"
export LC_ALL=C
bench=$(cd "$(dirname "$0")" && pwd)
events=${BENCH_EVENTS:-1000000}
perf=${PERF:-perf}
limit=300
runs=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work"
# Stock perf shall not copy every binary it meets, which crashes it now and then.
printf '[record]\n\tbuild-id = no-cache\n' >"$HOME/.perfconfig"
missed=0
# shellcheck source=bench/timing.bash
. "$bench/timing.bash"
need "$perf" cc taskset /usr/bin/time

cat >"$work/pingpong.c" <<'C'
#include <stdlib.h>
#include <unistd.h>

static void pass(int from, int to, long count)
{
	char byte = 0;

	for (long i = 0; i < count; i++)
		if (read(from, &byte, 1) != 1 || write(to, &byte, 1) != 1)
			_exit(1);
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1;
	int there[2], back[2];

	if (pipe(there) || pipe(back) || write(there[1], "", 1) != 1)
		return 1;
	if (fork() == 0) {
		pass(there[0], back[1], count);
		_exit(0);
	}
	pass(back[0], there[1], count);
	return 0;
}
C
cc -O2 -o "$work/pingpong" "$work/pingpong.c" || exit 1
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
rounds=$((events / 6)) # two switches, two wakeups and two of sched_stat_runtime each
load="taskset -c $cpu $work/pingpong $rounds"

# shellcheck disable=SC2086 # words
"$perf" sched record -q -m 64M -o "$work/perf.data" -- $load 2>/dev/null
# shellcheck disable=SC2086
"$CUPEL" sched record -q -m 64M -o "$work/cupel.data" -- $load
# switches FILE
switches() {
	"$CUPEL" sched timehist -s -i "$1" | awk '/context switches:/ { print $NF }'
}

echo "$("$perf" --version): $(stat -c %s "$work/perf.data") bytes, $(switches "$work/perf.data") switches"
# five COMMAND: five times, as the clock that is read has steps of 10 ms
five() {
	echo "for _ in 1 2 3 4 5; do $1; done"
}
for _ in 1 2 3 4 5; do
	for table in latency timehist map; do
		timed "perf-$table" "$(five "$perf sched $table -i $work/perf.data")"
		timed "cupel-$table" "$(five "$CUPEL sched $table -i $work/perf.data")"
	done
done
timed perf-script "$perf sched script -i $work/perf.data"
timed cupel-script "$CUPEL sched script -i $work/perf.data"
echo
ratio "sched latency: time" perf-latency cupel-latency 1 10
ratio "sched timehist: time" perf-timehist cupel-timehist 1 3
ratio "sched map: time" perf-map cupel-map 1 3
ratio "sched script: time" perf-script cupel-script 1 1
own=$(switches "$work/cupel.data")
goal "sched record: bytes per switch" "$(($(stat -c %s "$work/cupel.data") / own))" bytes 32
exit "$missed"
