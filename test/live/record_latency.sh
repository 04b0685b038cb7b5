#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record --latency: what runs alone has at least the share of the time that it has of the samples, and
# the recorder does not switch the program away at each switch that it records.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat >phases.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>

static volatile long sum;

__attribute__((noinline)) void alone(void)
{
	for (long i = 0; i < 300000000; i++)
		sum += i;
}

__attribute__((noinline)) void together(void)
{
	for (long i = 0; i < 300000000; i++)
		sum += i;
}

static void *run(void *argument)
{
	together();
	return argument;
}

int main(void)
{
	struct rusage usage;
	pthread_t thread;

	alone();
	pthread_create(&thread, NULL, run, NULL);
	together();
	pthread_join(thread, NULL);
	getrusage(RUSAGE_SELF, &usage);
	printf("%ld\n", usage.ru_nvcsw + usage.ru_nivcsw);
	return 0;
}
C
cc -O1 -pthread -o phases phases.c || exit 1
"$CUPEL" record --latency -o r.data -- ./phases >switches 2>log || {
	grep -qE 'perf_event_open|permission' log && {
		echo "no recording here: $(head -n 1 log)"
		exit 77
	}
	echo "FAIL: $(cat log)"
	exit 1
}
failed=0
share() {
	"$CUPEL" report --latency --no-children -g none -q -t '|' -F "$1,sym" -i r.data |
		awk -F'|' '/ alone/ { sub(/%/, "", $1); print $1 + 0 }'
}
of_samples=$(share overhead)
of_time=$(share latency)
awk -v a="$of_samples" -v b="$of_time" 'BEGIN { exit !(a > 0 && b >= a - 0.5) }' || {
	echo "FAIL: alone has $of_samples % of the samples, $of_time % of the time"
	failed=1
}
# two records each, and those of the program's start and of threads
recorded=$("$CUPEL" script -i r.data --show-switch-events | grep -c PERF_RECORD_SWITCH)
[ "$recorded" -gt 0 ] && [ "$recorded" -le $((2 * $(cat switches) + 200)) ] || {
	echo "FAIL: $recorded records of $(cat switches) switches"
	failed=1
}
# a recorder that wakes for each would switch the program away some 10,000 times a second
[ "$recorded" -lt 20000 ] || {
	echo "FAIL: $recorded records of switches"
	failed=1
}
exit $failed
