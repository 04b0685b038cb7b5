#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What cupel lock costs: a loop that takes a free mutex, two threads that take one all the time, and
# threads that wait for the kernel's lock of their address space; alone, watched, and with perf lock
# record as the peer, in turn. Compared is the time that the program measures for its own loop, the
# median of the ratios to the run alone right before. Also how long a program that does nothing takes,
# and the peak memory.
#
# Environment: CUPEL; BENCH_OPERATIONS (5000000) of free locks, a tenth of them contended; BENCH_RUNS (5).
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
CUPEL=$(realpath "${CUPEL:-$here/../build/cupel}")
operations=${BENCH_OPERATIONS:-5000000}
runs=${BENCH_RUNS:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
missed=0
# shellcheck source=bench/timing.bash
. "$here/timing.bash"
need cc /usr/bin/time

cat >locks.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static long count;
static int kernel;
static volatile long shared;

static void *work(void *unused)
{
	pthread_barrier_wait(&barrier);
	for (long i = 0; i < count; i++) {
		if (kernel) {
			char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			page[0] = 1;
			munmap(page, 4096);
			continue;
		}
		pthread_mutex_lock(&mutex);
		for (int k = 0; k < 20; k++)
			shared++;
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

int main(int argc, char **argv)
{
	int threads = atoi(argv[1]);
	struct timespec from, to;
	pthread_t thread[64];

	count = atol(argv[2]);
	kernel = argc > 3;
	pthread_barrier_init(&barrier, NULL, (unsigned)threads + 1);
	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	clock_gettime(CLOCK_MONOTONIC, &from);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	clock_gettime(CLOCK_MONOTONIC, &to);
	fprintf(stderr, "%f\n", ((double)(to.tv_sec - from.tv_sec) * 1e9 +
				 (double)(to.tv_nsec - from.tv_nsec)) / (double)count);
	return 0;
}
C
cc -O2 -o locks locks.c -lpthread || exit 1

median() {
	sort -g | awk '{ a[NR] = $1 } END { if (NR) printf "%.3f", a[int((NR + 1) / 2)] }'
}

# ns_of COMMAND...: of the program's own loop; it is the last number on standard error.
ns_of() {
	"$@" 2>&1 >/dev/null | grep -E '^[0-9.]+$' | tail -n 1
}

# rows NAME WORDS...: ratios of watched runs of `locks WORDS` to those right before.
rows() {
	name=$1
	shift
	: >"$name.cupel"
	: >"$name.perf"
	for _ in $(seq "$runs"); do
		alone=$(ns_of ./locks "$@")
		watched=$(ns_of "$CUPEL" lock -o /dev/null -- ./locks "$@")
		awk -v a="$alone" -v w="$watched" 'BEGIN { if (a && w) print w / a }' >>"$name.cupel"
		command -v perf >/dev/null || continue
		alone=$(ns_of ./locks "$@")
		watched=$(ns_of perf lock record -o perf.data -- ./locks "$@")
		awk -v a="$alone" -v w="$watched" 'BEGIN { if (a && w) print w / a }' >>"$name.perf"
	done
}

rows free 1 "$operations"
goal "free mutex, one thread" "$(median <free.cupel)" x 1.02
rows contended 2 $((operations / 10))
goal "contended mutex, two threads" "$(median <contended.cupel)" x 1.1
rows kernel 4 $((operations / 100)) kernel
printf '%-58s %9s x  (perf lock record: %s x)\n' "mmap and munmap, four threads" \
	"$(median <kernel.cupel)" "$(median <kernel.perf)"

for _ in $(seq "$runs"); do
	/usr/bin/time -q -a -o nothing -f '%e %M' "$CUPEL" lock -o /dev/null -- true >/dev/null 2>&1
	/usr/bin/time -q -a -o peer -f '%e %M' perf lock record -o perf.data -- true >/dev/null 2>&1
done
goal "start and end, a program that does nothing" \
	"$(awk '{ print $1 * 1000 }' nothing | median)" ms 160
goal "peak memory" "$(awk '{ print $2 / 1024 }' nothing | median)" MB 30
printf '%-58s %9s ms\n' "perf lock record of the same" "$(awk '{ print $1 * 1000 }' peer | median)"
exit "$missed"
