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
# as perf reads it: the address, and no other field is moved
if [ "$("$CUPEL" script -i faults.data -F addr 2>log | sort -u | wc -l)" -lt 1900 ]; then
	echo "FAIL: addresses: $(cat log)"
	failed=1
fi
exit $failed
