#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What cupel heap costs the program: a loop of malloc and free with nothing else, in one and in two
# threads, and Python making objects; alone, sampled, with every allocation, and with heaptrack if it is
# here, in turn. Compared is the CPU time of the program's own loop, the median of the ratios to the run
# alone right before, so that a busy machine and the start count little.
#
# Environment: CUPEL; BENCH_PAIRS (3000000) of malloc and free, a thirtieth of them with every
# allocation; BENCH_RUNS (5).
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
CUPEL=$(realpath "${CUPEL:-$here/../build/cupel}")
pairs=${BENCH_PAIRS:-3000000}
runs=${BENCH_RUNS:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
missed=0
# shellcheck source=bench/timing.bash
. "$here/timing.bash"
need cc python3

cat >pairs.c <<'C'
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SLOTS 1024

static long count;

/* Blocks of 16 to 271 bytes, now and then of up to 4 KiB, in slots at random. */
static void *work(void *result)
{
	void *slots[SLOTS] = { 0 };
	struct timespec from, to;
	uint64_t random = 88172645463325252u;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	for (long i = 0; i < count; i++) {
		void **slot;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		slot = &slots[random % SLOTS];
		free(*slot);
		*slot = malloc(16 + (random >> 32 & (random >> 20 & 15 ? 255 : 4095)));
	}
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	*(double *)result = ((double)(to.tv_sec - from.tv_sec) * 1e9 +
			     (double)(to.tv_nsec - from.tv_nsec)) / (double)count;
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	double result[16], sum = 0;
	pthread_t thread[16];

	count = atol(argv[1]);
	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, work, &result[i]);
	for (int i = 0; i < threads; i++) {
		pthread_join(thread[i], NULL);
		sum += result[i];
	}
	printf("%f\n", sum / threads);
	return 0;
}
C
cat >objects.py <<'PY'
import time
begin = time.process_time()
kept = []
for i in range(200000):
    kept.append({"name": str(i), "values": [i] * 20})
    if i % 5:
        kept.pop()
print((time.process_time() - begin) * 1e9 / 200000)
PY
cc -O2 -fno-builtin -o pairs pairs.c -lpthread || exit 1

median() {
	sort -g | awk '{ a[NR] = $1 } END { if (NR) printf "%.3f", a[int((NR + 1) / 2)] }'
}

# measure NAME PROGRAM...: ns of it alone, and with what is in the array `with`; keeps the median ratio
# in $ratio and both medians in words.
measure() {
	name=$1
	shift
	: >alone
	: >ratios
	: >watched
	for _ in $(seq "$runs"); do
		plain=$("$@" | tail -n 1)
		other=$(timeout -s KILL 120 "${with[@]}" "$@" 2>errors | grep -E '^[0-9.]+$' | tail -n 1)
		[ -n "$plain" ] && [ -n "$other" ] || {
			echo "$name: $(head -n 2 errors)"
			continue
		}
		echo "$plain" >>alone
		echo "$other" >>watched
		awk -v a="$plain" -v b="$other" 'BEGIN { print b / a }' >>ratios
	done
	ratio=$(median <ratios)
	printf '%-48s %10s ns alone %10s ns watched\n' "$name" "$(median <alone)" "$(median <watched)"
}

few=$((pairs / 30))
with=("$CUPEL" heap -o /dev/null --)
measure "malloc and free" ./pairs "$pairs"
goal "malloc and free, sampled" "$ratio" x 1.10
measure "malloc and free, two threads" ./pairs "$pairs" 2
goal "malloc and free in two threads, sampled" "$ratio" x 1.15
measure "Python objects" python3 objects.py
goal "Python objects, sampled" "$ratio" x 1.03
with=("$CUPEL" heap --exact -o /dev/null --)
measure "malloc and free, every allocation" ./pairs "$few"
goal "malloc and free, every allocation" "$ratio" x 3
if command -v heaptrack >/dev/null; then
	with=(heaptrack -o heaptrack.out)
	measure "malloc and free, heaptrack" ./pairs "$few"
	echo "heaptrack: $ratio x"
else
	echo "heaptrack is not here"
fi
exit $missed
