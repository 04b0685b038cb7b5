#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What cupel heap costs the program: a loop of malloc and free with nothing else, in one and in two
# threads, a compiler run, sqlite3 and Python making objects; alone, sampled from the start or attached
# to, with every allocation, and with heaptrack if it is here, in turn; how long a process stands still
# when it is attached to, and what memory Cupel takes. Compared is the CPU time of the program's own loop, the median of the ratios to the run
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
#include <unistd.h>

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
	while (argc > 3 && access(argv[3], F_OK))
		usleep(1000);
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

# As `measure` does, but the process runs already when it is watched.
measure_attached() {
	name=$1
	: >alone
	: >ratios
	: >watched
	: >stopped
	: >memory
	for _ in $(seq "$runs"); do
		plain=$(./pairs "$pairs" 1 | tail -n 1)
		rm -f go
		./pairs "$pairs" 1 go >attached &
		pid=$!
		"$CUPEL" heap -p $pid --json -o watched.json 2>errors &
		cupel=$!
		until grep -qs libcupel_heap_attach "/proc/$pid/maps"; do kill -0 $cupel || break; done
		sleep 1 # the probes are there
		touch go
		while kill -0 $pid 2>/dev/null; do
			sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$cupel/status" >peak 2>/dev/null
			sleep 0.02
		done
		wait $pid
		cat peak >>memory
		wait $cupel || head -n 2 errors
		sed -n 's/.*"stopped_ns": \([0-9]*\).*/\1/p' watched.json >>stopped
		cat attached >>watched
		echo "$plain" >>alone
		awk -v a="$plain" -v b="$(cat attached)" 'BEGIN { print b / a }' >>ratios
	done
	ratio=$(median <ratios)
	printf '%-48s %10s ns alone %10s ns watched\n' "$name" "$(median <alone)" "$(median <watched)"
}

# cpu PROGRAM…: its CPU time in seconds, without what watches it
cat >cpu <<'SH'
#!/bin/bash
TIMEFORMAT='%3U %3S'
{ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ printf "%.0f\n", ($1 + $2) * 1e9 }'
SH
chmod +x cpu
{
	echo '#include <stdio.h>'
	for i in $(seq 3000); do
		echo "int f$i(int a, const char *b) { return printf(\"%d %s\\n\", a * $i, b + a % 7); }"
	done
} >large.c
few=$((pairs / 30))
with=("$CUPEL" heap -o /dev/null --)
measure "malloc and free" ./pairs "$pairs"
goal "malloc and free, sampled" "$ratio" x 1.10
measure "malloc and free, two threads" ./pairs "$pairs" 2
goal "malloc and free in two threads, sampled" "$ratio" x 1.15
measure "Python objects" python3 objects.py
goal "Python objects, sampled" "$ratio" x 1.03
if command -v sqlite3 >/dev/null; then
	measure "sqlite3" ./cpu sqlite3 :memory: \
		'with recursive n(i) as (select 1 union all select i + 1 from n where i < 600000) select count(distinct i % 5000), max(hex(i)) from n group by i % 3'
	goal "sqlite3, sampled" "$ratio" x 1.03
fi
measure "a compiler run" ./cpu cc -O1 -c -o /dev/null large.c
goal "a compiler run, sampled" "$ratio" x 1.03
measure_attached "malloc and free, attached to"
goal "malloc and free, attached to" "$ratio" x 1.10
goal "attaching, stopped" "$(awk '{ print $1 / 1e6 }' stopped | median)" ms 10
goal "memory of cupel heap -p" "$(awk '{ print $1 / 1024 }' memory | median)" MiB 16
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
