#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel flamegraph -e page-faults: what each page fault was for, of a program that takes known ones.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat >faults.c <<'C'
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#define PAGES 1000
static volatile char data[PAGES * 4096] __attribute__((aligned(4096))) = { 1 };
__attribute__((noinline)) static void touches(void)
{
	volatile char *p = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise((void *)p, PAGES * 4096, MADV_NOHUGEPAGE);
	for (int i = 0; i < PAGES; i++)
		p[i * 4096] = 1;
}
__attribute__((noinline)) static void changes(void)
{
	for (int i = 0; i < PAGES; i++)
		data[i * 4096]++;
}
__attribute__((noinline)) static void reads(int fd)
{
	volatile const char *p = mmap(NULL, PAGES * 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	for (int i = 0; i < PAGES; i++)
		(void)p[i * 4096];
}
__attribute__((noinline)) static void copies(void)
{
	changes();
}
int main(int argc, char **argv)
{
	(void)argc;
	touches();
	changes();
	reads(open(argv[1], O_RDONLY));
	if (!fork()) {
		copies();
		_exit(0);
	}
	wait(NULL);
	return 0;
}
C
gcc -g -O1 -fno-optimize-sibling-calls -o faults faults.c || exit 77
head -c 4096000 /dev/zero >file.dat
"$CUPEL" flamegraph -e page-faults:u -c 1 --save faults.data -o faults.svg -- ./faults file.dat 2>log || {
	echo "page faults cannot be recorded here: $(head -n 1 log)"
	exit 77
}
failed=0
# under FUNCTION: the samples by kind in the boxes below it
"$CUPEL" flamegraph faults.data -o again.svg 2>log || { echo "FAIL: $(cat log)"; failed=1; }
for file in faults.svg again.svg; do
	grep -o '<title>[^<]*' $file | sed 's/<title>//; s/,\([0-9]\)/\1/g' >titles
	grep -q 'written: anonymous memory\] (\(9[0-9][0-9]\|1[0-9][0-9][0-9]\) samples' titles ||
		grep -q 'page fault: anonymous memory\]' titles || { echo "FAIL: anonymous memory"; failed=1; }
	grep -q 'page fault[a-z, ]*: file.dat\] (' titles || { echo "FAIL: the mapped file"; failed=1; }
	if grep -q '\[page fault, written' titles; then
		grep -q '\[copy on write: faults variables\] (\(9[5-9][0-9]\|10[0-9][0-9]\) samples' titles ||
			{ echo "FAIL: copies on write"; failed=1; }
	else
		echo "not tested: kinds of access: the kernel does not say them here"
	fi
done
[ $failed = 0 ] || cat titles
# Those that are over: huge pages, swap, and what major ones waited for.
cat >over.c <<'C'
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#define MB (1L << 20)
#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif
__attribute__((noinline)) static void huge(void)
{
	char *p = mmap(NULL, 18 * MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	p = (char *)(((unsigned long)p + 2 * MB - 1) & ~(unsigned long)(2 * MB - 1));
	madvise(p, 16 * MB, MADV_HUGEPAGE);
	for (long i = 0; i < 16 * MB; i += 4096)
		((volatile char *)p)[i] = 1;
}
__attribute__((noinline)) static void swapped(void)
{
	volatile char *p = mmap(NULL, 4 * MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise((void *)p, 4 * MB, MADV_NOHUGEPAGE);
	for (int turn = 0; turn < 2; turn++, madvise((void *)p, 4 * MB, MADV_PAGEOUT))
		for (long i = 0; i < 4 * MB; i += 4096)
			p[i]++;
}
__attribute__((noinline)) static void reads(const char *path)
{
	int fd = open(path, O_RDONLY);
	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	volatile const char *p = mmap(NULL, 4000 * 1024, PROT_READ, MAP_PRIVATE, fd, 0);
	madvise((void *)p, 4000 * 1024, MADV_RANDOM);
	for (long i = 0; i < 4000 * 1024; i += 65536)
		(void)p[i];
}
int main(int argc, char **argv)
{
	(void)argc;
	huge();
	swapped();
	reads(argv[1]);
	return 0;
}
C
gcc -g -O1 -fno-optimize-sibling-calls -o over over.c || exit 1
# Its own file system: data of one in memory never leaves it.
on_disk=$(mktemp -p /var/tmp)
trap 'rm -rf "$work" "$on_disk"' EXIT
cp file.dat "$on_disk"
"$CUPEL" flamegraph -e minor-faults:u,major-faults:u -c 1 --save over.data -o over.html -- ./over "$on_disk" 2>log ||
	{ echo "FAIL: faults that are over: $(cat log)"; failed=1; }
"$CUPEL" flamegraph over.data -o over.svg --event-filter minor-faults:u 2>log
grep -o '<title>[^<]*' over.svg >titles
if ! grep -q '\[page fault, written' titles; then
	echo "not tested: what was done for page faults: the kernel does not say it here"
else
	if [ "$(cat /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null)" = "always madvise [never]" ]; then
		echo "not tested: huge pages: there are none here"
	elif ! grep -q 'page fault, written, huge page: anonymous memory' titles; then
		echo "FAIL: huge pages"
		failed=1
	fi
	if [ "$(wc -l </proc/swaps)" -lt 2 ]; then
		echo "not tested: pages from swap: there is none here"
	elif ! grep -q 'page fault, [a-z]*, from swap: anonymous memory' titles; then
		echo "FAIL: swap"
		failed=1
	fi
	"$CUPEL" flamegraph over.data -o wait.svg --event-filter major-faults:u 2>log
	if ! grep -q 'page fault, read: ' wait.svg; then
		echo "not tested: waits: nothing was read from a disk"
	else
		"$CUPEL" flamegraph over.data -o wait.svg --event-filter major-fault-wait 2>log
		grep -q "<title>\[page fault, read: ${on_disk##*/}\] ([1-9][0-9.,]* ns" wait.svg ||
			{ echo "FAIL: waits: $(cat log; grep -o '<title>[^<]*' wait.svg)"; failed=1; }
	fi
fi

# as perf reads it: the address, and no other field is moved
if [ "$("$CUPEL" script -i faults.data -F addr 2>log | sort -u | wc -l)" -lt 1900 ]; then
	echo "FAIL: addresses: $(cat log)"
	failed=1
fi
exit $failed
