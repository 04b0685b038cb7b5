#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel kmem: sums of a recording of ours are those that stock perf kmem prints of the same file, where
# there is one; the same of a file with stacks; places have names; what a program allocates and keeps is
# live, what it frees is not.
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

# Of the program's end: one too short for the clock would have no samples at all.
"$CUPEL" record -q -o other.data -c 1 -e sched:sched_process_exit -- true 2>log || fail "no recording: $(cat log)"
"$CUPEL" kmem stat -i other.data >out 2>log && fail "a recording without allocations has a table"
grep -q 'cupel kmem record' log || fail "no hint: $(cat log)"
exit $failed
