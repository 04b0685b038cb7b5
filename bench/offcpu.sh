#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What watching threads off the CPU costs them: two processes pinned to one CPU pass a byte to and fro,
# alone, watched by cupel with stacks and without, and by its peers, in turn; the median of the ratios
# to the run alone right before. Peers that are not installed are named.
#
# bcc's offcputime needs the running kernel's headers, so it is only said whether it is there.
#
# Environment: CUPEL; BENCH_ROUNDS (300000), each of two switches; BENCH_RUNS (5).
set -u
export LC_ALL=C
: "${CUPEL:?path of the cupel binary}"
here=$(cd "$(dirname "$0")" && pwd)
rounds=${BENCH_ROUNDS:-300000}
runs=${BENCH_RUNS:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
missed=0
# shellcheck source=bench/timing.bash
. "$here/timing.bash"
need cc
cat >pingpong.c <<'C'
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void play(long rounds, int in, int out, int begins)
{
	char c = 0;

	if (begins && write(out, &c, 1) != 1)
		abort();
	while (rounds--)
		if (read(in, &c, 1) != 1 || ((rounds || !begins) && write(out, &c, 1) != 1))
			abort();
}

int main(int argc, char **argv)
{
	long rounds = atol(argv[argc - 1]);
	struct timespec from, to;
	int there[2], back[2];
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	if (pipe(there) || pipe(back))
		return 1;
	if (fork() == 0) {
		play(rounds, there[0], back[1], 0);
		_exit(0);
	}
	clock_gettime(CLOCK_MONOTONIC, &from);
	play(rounds, back[0], there[1], 1);
	clock_gettime(CLOCK_MONOTONIC, &to);
	wait(NULL);
	fprintf(stderr, "switch %.0f ns\n",
		((to.tv_sec - from.tv_sec) * 1e9 + to.tv_nsec - from.tv_nsec) / (2.0 * rounds));
	return 0;
}
C
cc -O2 -D_GNU_SOURCE -o pingpong pingpong.c || exit 1

# once COMMAND…: ns of a switch
once() {
	"$@" ./pingpong "$rounds" 2>&1 >/dev/null | sed -n 's/^switch \([0-9]*\) ns$/\1/p'
}

# slowdown NAME COMMAND…: median ratio to the run alone, into $work/NAME; empty when it does not run
slowdown() {
	local name=$1 alone with
	shift
	rm -f "$name.ratios"
	for _ in $(seq "$runs"); do
		alone=$(once env)
		with=$(once "$@")
		[ -n "$with" ] &&
			awk -v a="$alone" -v w="$with" 'BEGIN { print w / a, a, w }' >>"$name.ratios"
	done
	[ -s "$name.ratios" ] && sort -n "$name.ratios" | sed -n "$(((runs + 1) / 2))p" >"$name"
	[ -s "$name" ] && awk -v name="$name" '{
		printf "%-34s %5.2fx  (%d ns a switch, %d alone)\n", name, $1, $3, $2 }' "$name"
}

slowdown stacks "$CUPEL" record -q -e off-cpu -o stacks.data --
slowdown ledger "$CUPEL" wall -o ledger.txt --
if command -v perf >/dev/null; then
	slowdown perf perf record -q -g -e sched:sched_switch -o perf.data --
else
	echo "perf is not installed"
fi
if command -v offcputime-bpfcc >/dev/null; then
	echo "offcputime-bpfcc is installed, but not measured here"
else
	echo "offcputime-bpfcc is not installed"
fi
goal "slowdown with stacks" "$(cut -d' ' -f1 stacks)" x 1.3
goal "slowdown of the ledger" "$(cut -d' ' -f1 ledger)" x 1.15
goal "bytes written per switch" "$(stat -c %s stacks.data | awk -v n="$rounds" '{ print $1 / n / 2 }')" B 4
exit "$missed"
