#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel kmem: sums of a recording of ours are those that stock perf kmem prints of the same file, where
# there is one; the same of a file with stacks; places have names; what a program allocates and keeps is
# live, what it frees is not; pages likewise.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$CUPEL" kmem record -q -o plain.data -- ls / >/dev/null 2>log || {
	echo "the kernel's allocations cannot be recorded here: $(head -n 1 log)"
	exit 77
}
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

# sums FILE: the lines that both programs print.
sums() {
	sed -n -e 's/,//g' -e 's/^\(Total bytes [a-z]*\):  */\1: /p' -e '/^Net total/p' \
		-e '/^Internal frag/p' "$1"
}

"$CUPEL" kmem stat -i plain.data >ours || fail "no table"
grep -q '^ [a-z_][A-Za-z0-9_.]*+[0-9a-f]* ' ours || [ -n "$(grep ' 0x' ours)" ] || fail "no places"
if perf kmem -i plain.data stat --caller >theirs 2>/dev/null && grep -q SUMMARY theirs; then
	[ "$(sums ours)" = "$(sums theirs)" ] || fail "sums: $(diff <(sums ours) <(sums theirs))"
else
	echo "not tested: sums beside stock perf: it has no kmem"
fi

# Each open pipe is memory of the kernel: one kind stays open.
cat >pipes.py <<'P'
import os
kept = [os.pipe() for _ in range(200)]
for _ in range(200):
    for end in os.pipe():
        os.close(end)
P
# Only of the program: a busy machine allocates a million times a second.
timeout 300 "$CUPEL" record -g -c 1 -e kmem:kmalloc,kmem:kmem_cache_alloc,kmem:kfree,kmem:kmem_cache_free \
	-o pipes.data -- python3 pipes.py 2>log || fail "with stacks: $(cat log)"
"$CUPEL" kmem stat -i pipes.data --stacks --json -o pipes.json || fail "no JSON"
python3 - <<'P' || failed=1
import json, sys
rows = json.load(open('pipes.json'))['rows']
hits = live = 0
for row in rows:
    if any(f['function'] == 'alloc_pipe_info' for f in row['stack']):
        hits += row['hits']
        live += row['live_hits']
if not hits:
    print('not tested: pipes: they have no function of their own in this kernel')
elif hits < 400 and ' 0 lost' not in open('log').read():
    print('not tested: pipes: this busy machine lost samples')
elif hits < 400:
    print(f'FAIL: {hits} allocations of 400 pipes')
    sys.exit(1)
P
"$CUPEL" kmem stat -i pipes.data --live -l 5 >live || fail "no table of what is live"
grep -q 'Live/Per' live || fail "no such column"

"$CUPEL" kmem stat --alloc -i pipes.data -l 3 >out 2>log
grep -q '^ Alloc Ptr ' out && grep -q '^ 0x[0-9a-f]* ' out || fail "single objects: $(cat out log)"

# Pages: what a program touches and gives back is freed, what it writes into a file in memory stays.
cat >pages.c <<'C'
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#define HIDE __attribute__((noinline, noclone))
#define BYTES (4L << 20)
HIDE static void touches(void)
{
	char *p = mmap(0, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, BYTES, MADV_NOHUGEPAGE);
	for (long i = 0; i < BYTES; i += 4096)
		p[i] = 1;
	munmap(p, BYTES);
}
HIDE static void keeps(const char *path)
{
	static char block[4096];
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	for (long i = 0; i < BYTES; i += (long)sizeof(block))
		if (write(fd, block, sizeof(block)) < 0)
			_exit(1);
	close(fd);
}
int main(int argc, char **argv)
{
	(void)argc;
	touches();
	keeps(argv[1]);
	return 0;
}
C
kept=/dev/shm/cupel-kmem-$$
trap 'rm -rf "$work" "$kept"' EXIT
cc -O1 -g -fno-optimize-sibling-calls -o pages pages.c || exit 1
if "$CUPEL" record -g -c 1 -e kmem:mm_page_alloc,kmem:mm_page_free -o pages.data -- ./pages "$kept" 2>log &&
	[ -s "$kept" ]; then
	"$CUPEL" kmem stat --page -i pages.data --json -o pages.json 2>errors || fail "pages: $(cat errors)"
	python3 - <<'P' || failed=1
import json, sys
run = json.load(open('pages.json'))
have = {}
for row in run['rows']:
    names = {f['function'] for f in row['stack']}
    # The first stacks through libc may end there: on a busy machine its table comes later.
    if 'ksys_write' in names:
        names.add('keeps')
    for name in names:
        sums = have.setdefault(name, [0, 0])
        sums[0] += row['allocated']
        sums[1] += row['live']
touched, kept = have.get('touches', [0, 0]), have.get('keeps', [0, 0])
# Page tables, and pages that come in larger pieces, are on top.
if ' 0 lost' not in open('log').read():
    print('not tested: sums of pages: this busy machine lost samples')
elif not (touched[0] >= 4 << 20 and touched[1] < 1 << 20 and kept[1] >= 3 << 20):
    print(f'FAIL: pages: touched {touched}, kept {kept}')
    sys.exit(1)
P
	"$CUPEL" kmem stat --page -i pages.data -l 3 >out 2>log
	grep -q 'page allocator' out || fail "pages: $(cat out log)"
	grep -q '^ *[0-9]* | *[0-9]* | *0 | MOVABLE *| [A-Z_|]*GFP' out || fail "columns of pages: $(cat out)"
	grep -q '^Order .*UNMOVABLE.* MOVABLE' out && grep -q '^    0 ' out || fail "orders of pages: $(cat out)"
	"$CUPEL" kmem stat --page --alloc -i pages.data -l 3 >out 2>log
	grep -q '^ *PFN |' out && grep -q '^ *0x[0-9a-f]* | *4 | ' out || fail "single pages: $(cat out log)"
	"$CUPEL" kmem stat -i pages.data >out 2>log && fail "small objects of a recording of pages"
else
	echo "not tested: pages: $(head -n 1 log)"
fi
"$CUPEL" kmem record -q --page -o page.data -- true 2>log && "$CUPEL" kmem stat --page -i page.data >out 2>log ||
	fail "kmem record --page: $(cat log)"

# Of the program's end: one too short for the clock would have no samples at all.
"$CUPEL" record -q -o other.data -c 1 -e sched:sched_process_exit -- true 2>log || fail "no recording: $(cat log)"
"$CUPEL" kmem stat -i other.data >out 2>log && fail "a recording without allocations has a table"
grep -q 'cupel kmem record' log || fail "no hint: $(cat log)"
exit $failed
