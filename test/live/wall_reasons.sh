#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel wall on waits inside the kernel with known results: a throttled cgroup, a kernel lock with its
# holder, a slow disk, pages missing in the cache, programs that share one CPU, and wakeups by timers
# and devices, which have no waking thread.
set -u
: "${CUPEL:?path of the cupel binary}"
# shellcheck source=test/live/wall.bash
. "$(dirname "$0")/wall.bash"
groups=
tidy_up() {
	for group in $groups; do
		rmdir "$group" 2>/dev/null
	done
	rm -rf "$work"
}
cat >reasons.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FILE_BYTES (16 << 20)
#define WRITE_BYTES (256 << 20)

static int fd;
static char *data;
static volatile long sum;

static void nap(long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static void burn(long ms)
{
	struct timespec from, to;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	while ((to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000 < ms);
}

static void pin(void)
{
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	for (int cpu = 0, first = 1; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && !first--)
			CPU_CLR(cpu, &set);
	for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && seen++)
			CPU_CLR(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/*
 * A write holds the file's lock as long as it copies. Both threads share a CPU: a thread that waits for a lock
 * with a holder that runs on another CPU spins there and never blocks.
 */
static void *large(void *unused)
{
	pthread_setname_np(pthread_self(), "large");
	for (int i = 0; i < 3; i++)
		sum += pwrite(fd, data, WRITE_BYTES, 0);
	return unused;
}

static void *small(void *unused)
{
	pthread_setname_np(pthread_self(), "small");
	for (int i = 0; i < 40; i++) {
		nap(5);
		sum += pwrite(fd, "x", 1, 0);
	}
	return unused;
}

static void write_together(void)
{
	pthread_t thread[2];

	pin();
	data = malloc(WRITE_BYTES);
	memset(data, 1, WRITE_BYTES);
	pthread_create(&thread[0], NULL, large, NULL);
	pthread_create(&thread[1], NULL, small, NULL);
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
}

static void hog(const char *name, long ms)
{
	if (fork())
		return;
	prctl(PR_SET_NAME, name);
	burn(ms);
	_exit(0);
}

static void read_direct(long bytes)
{
	void *page;

	if (posix_memalign(&page, 4096, 1 << 16))
		abort();
	prctl(PR_SET_NAME, "reader");
	for (long at = 0; at < bytes; at += 1 << 16)
		if (pread(fd, page, 1 << 16, at) != 1 << 16)
			abort();
}

static void touch_pages(long bytes)
{
	const char *page = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);

	madvise((void *)page, bytes, MADV_RANDOM);
	for (long at = 0; at < bytes; at += 4096)
		sum += page[at];
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	fd = open("file", O_RDWR | O_CREAT | (strcmp(what, "direct") == 0 ? O_DIRECT : 0), 0600);
	if (strcmp(what, "make") == 0)
		return ftruncate(fd, 0) || !(data = calloc(1, FILE_BYTES)) ||
		       write(fd, memset(data, 7, FILE_BYTES), FILE_BYTES) != FILE_BYTES ||
		       fsync(fd) || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	if (strcmp(what, "lock") == 0) {
		write_together();
	} else if (strcmp(what, "hogs") == 0) {
		pin();
		hog("first", 300);
		hog("second", 300);
	} else if (strcmp(what, "timers") == 0) {
		pin();
		hog("hog", 400);
		for (int i = 0; i < 40; i++)
			nap(5);
	} else if (strcmp(what, "direct") == 0) {
		pin();
		if (argc > 2)
			hog("hog", 300);
		read_direct(argc > 2 ? FILE_BYTES : 1 << 20);
	} else if (strcmp(what, "pages") == 0) {
		touch_pages(argc > 2 ? FILE_BYTES : 1 << 20);
	} else {
		burn(argc > 2 ? atol(argv[2]) : 50);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
C
cc -O1 -pthread -Wno-unused-result -o reasons reasons.c || exit 1

# group CONTROLLER FILE: the path of a new cgroup with that file, version 2 or 1; empty if not possible
group() {
	local root=/sys/fs/cgroup path
	[ "$(stat -f -c %T $root 2>/dev/null)" = cgroup2fs ] || root=$root/$1
	path=$root/cupel_test_$$_$1
	[ ! -d "$root" ] || mkdir "$path" 2>/dev/null || return
	[ -e "$path/$2" ] && echo "$path" && return
	rmdir "$path" 2>/dev/null
}

# in_group PATH PROGRAM...
in_group() {
	local path=$1
	shift
	# shellcheck disable=SC2016
	watch "$1 $2" sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$path" "$@"
}

# 50 ms of CPU time, 5 of each 100 ms: the program waits for most of nine periods, less if other
# programs use the CPU
path=$(group cpu cpu.max)
[ -n "$path" ] && echo 5000 100000 >"$path/cpu.max"
if [ -z "$path" ]; then
	path=$(group cpu cpu.cfs_quota_us)
	[ -n "$path" ] && echo 5000 >"$path/cpu.cfs_quota_us"
fi
if [ -n "$path" ]; then
	groups="$groups $path"
	in_group "$path" ./reasons burn
	ask "a cgroup without CPU time" 'reason("throttle") >= 150'
else
	echo "no cgroup can be throttled here"
fi

# works_in PATH: the program is in that group and runs
works_in() {
	local pid
	pid=$(head -n 1 "$1/cgroup.procs") && is_program "$pid" reasons && has_used "$pid" 10
}

# has_stopped PATH: no thread of that group runs
has_stopped() {
	grep -qsx FROZEN "$1/freezer.state" || grep -qsx 'frozen 1' "$1/cgroup.events"
}

# a second of CPU time, and half a second in which the group is stopped
freezer() {
	path=$1 file=$2 word=$3
	[ -n "$path" ] || return
	groups="$groups $path"
	(wait_for works_in "$path" && echo "$word" >"$path/$file" && wait_for has_stopped "$path" && sleep 0.5
	echo "$4" >"$path/$file") &
	in_group "$path" ./reasons burn 1000
	wait $!
	ask "a frozen group" 'reason("stopped") >= 400 and reason("page-fault") < 300'
}
path=$(group freezer freezer.state)
if [ -n "$path" ]; then
	freezer "$path" freezer.state FROZEN THAWED
else
	freezer "$(group cpu cgroup.freeze)" cgroup.freeze 1 0
fi

watch lock ./reasons lock
if grep -q 'lock:contention_begin' /sys/kernel/tracing/available_events 2>/dev/null; then
	ask "a lock of the kernel, its holder and what that did" '
reason("kernel-lock") > 0 and [b for b in by("small") if b["relation"] == "held-by" and b["lock"]
 and b["reason"] == "kernel-lock" and b["holder"].startswith("large:") and did(b, "running") > 0]'
fi

watch hogs ./reasons hogs
ask "each of two hogs waits while the other runs" '
reason("preempted") >= 250 and [b for b in r["ran_instead"] if b["waiter"].startswith("first:")
 and b["holder"].startswith("second:") and b["ns"] >= 50e6]'
watch timers ./reasons timers
ask "timers are not the thread they interrupt" '
reason("sleep") >= 199 and all(b["holder"] == "[timer]" for b in by("reasons") if b["reason"] == "sleep")'

./reasons make || exit 1
device=$(stat -c '%Hd:%Ld' .)
disk=$(lsblk -no MAJ:MIN "$(df --output=source . | tail -n 1)" 2>/dev/null | tr -d ' ')
if ! dd if=file of=/dev/null bs=64k count=1 iflag=direct 2>/dev/null; then
	echo "no direct reads in $PWD"
else
	watch direct ./reasons direct hog
	ask "a device is not the thread it interrupts" '
reason("disk") > 0 and not [b for b in by("reader") if b["reason"] == "disk" and b["holder"].startswith("hog:")]'
	# a fast disk may be done before the thread waits, so only a slow one is tested
	path=$(group blkio blkio.throttle.read_bps_device)
	if [ -n "$path" ] && echo "${disk:-$device} 2097152" >"$path/blkio.throttle.read_bps_device"; then
		groups="$groups $path"
		in_group "$path" ./reasons direct # a megabyte, two in a second
		ask "a slow disk" 'reason("disk") >= 300'
		name=$(basename "$(readlink -f "/sys/dev/block/${disk:-$device}")")
		ask "the slow disk is named" "
[d for x in r['reasons'] if x['reason'] == 'disk' for d in x['devices'] if d['device'] == '$name' and d['max_ns'] >= 1e6]
and [b for b in by('reader') if b['reason'] == 'disk' and b.get('device') == '$name']"
		in_group "$path" ./reasons pages
		ask "pages that are not in the cache, and their disk" "reason('page-fault') >= 300 and
sum(d['ns'] for x in r['reasons'] if x['reason'] == 'page-fault' for d in x['devices'] if d['device'] == '$name') >= 150e6"
	else
		echo "no disk can be made slow here"
		watch pages ./reasons pages all
		ask "pages that are not in the cache" 'reason("page-fault") > 0'
	fi
fi
exit "$failed"
