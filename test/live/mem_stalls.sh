#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel mem --stalls on a program that reads known arrays at random: two variables, an array of
# structs, a block of the heap, a mapping, a linked list. At least 90 % of the samples in the
# function that reads must be of the right object, whatever the machine's load. A process that runs
# already; JSON, a picture.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
pid=
trap '[[ -n $pid ]] && kill -9 "$pid" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
"$CUPEL" mem --stalls -o /dev/null -- true 2>log || {
	echo "samples with registers cannot be taken here: $(head -n 1 log)"
	exit 77
}
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

cat >known.c <<'C'
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HIDE  __attribute__((noinline, noclone))
#define WORDS (4u << 20)
#define ITEMS (1u << 19)

uint64_t table_a[WORDS];
static uint64_t table_b[WORDS];
static struct { uint64_t key, value[5], hot, spare; } items[ITEMS];
struct node { struct node *next; long pad[7]; };
static uint64_t *block, *mapped, sum, x = 1;
static struct node *nodes;

static uint64_t next(void) { return (x = x * 6364136223846793005u + 1442695040888963407u) >> 33; }
HIDE static void make_block(void)
{
	block = malloc(WORDS * 8);
	memset(block, 1, WORDS * 8);
}
HIDE static void make_nodes(void)
{
	nodes = malloc(ITEMS * sizeof(*nodes));
	for (long i = 0; i < ITEMS; i++)
		nodes[i].next = &nodes[(i * 1103515245 + 12345) & (ITEMS - 1)];
}
HIDE static void make_mapped(void)
{
	mapped = mmap(NULL, WORDS * 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(mapped, 1, WORDS * 8);
}
HIDE static void reads(uint64_t *from, long n)
{
	while (n--)
		sum += from[next() & (WORDS - 1)];
}
HIDE static void read_items(long n)
{
	while (n--)
		sum += items[next() & (ITEMS - 1)].hot;
}
HIDE static void walk(long n)
{
	struct node *p = nodes;

	while (n--)
		p = p->next;
	sum += p->pad[0];
}
HIDE static void writes(long n)
{
	while (n--)
		table_b[next() & (WORDS - 1)] += 3;
}

int main(int argc, char **argv)
{
	char what = argc > 1 ? argv[1][0] : 'a';

	memset(table_a, 1, sizeof(table_a));
	memset(table_b, 1, sizeof(table_b));
	memset(items, 1, sizeof(items));
	make_block();
	make_nodes();
	make_mapped();
	do {
		switch (what) {
		case 'a': reads(table_a, 20000000); break;
		case 'b': writes(20000000); break;
		case 'i': read_items(20000000); break;
		case 'h': reads(block, 20000000); break;
		case 'm': reads(mapped, 20000000); break;
		default: walk(3000000); break;
		}
	} while (argc > 2);
	return 0;
}
C
gcc -O2 -g -o known known.c || exit 1

# check LETTER FUNCTION KIND OBJECT-OR-ALLOCATOR
check() {
	"$CUPEL" mem --stalls --json -o "$1.json" -- ./known "$1" 2>log || fail "$1: $(cat log)"
	python3 - "$@" <<'PY' || failed=1
import json, sys
letter, function, kind, name = sys.argv[1:5]
rows = json.load(open(letter + ".json"))["rows"]
known = right = 0
for row in rows:
    samples = sum(f["samples"] for f in row["functions"] if f["function"] == function)
    if row["kind"] in ("kernel", "none"): # no access: the loop's arithmetic, interrupts
        continue
    known += samples
    names = [row["object"]] + [f["function"] for f in row["stack"]]
    if row["kind"] == kind and (not name or name in names):
        right += samples
print(f"{letter}: {right} of {known} samples of {function} are of the right object")
if known < 20:
    print(f"not tested: {letter}: only {known} samples of {function}")
elif right < 0.9 * known:
    sys.exit(f"FAIL: {letter}: {[(r['kind'], r['object'], r['samples']) for r in rows]}")
PY
}
check a reads global table_a
check b writes global table_b
check i read_items global items
check h reads block make_block
check m reads anonymous ''
check w walk block make_nodes

# the field that is read is the only word
python3 - <<'PY' || failed=1
import json
rows = json.load(open("i.json"))["rows"]
words = [w for r in rows if r["object"] == "items" for w in r["words"]]
total = sum(w["samples"] for w in words)
hot = sum(w["samples"] for w in words if w["offset"] % 64 == 48)
if hot < 0.9 * total:
    raise SystemExit(f"FAIL: {hot} of {total} samples are of the field that is read")
PY

# the types: of a variable, of what a pointer points at, of a load that overwrites its address
python3 - <<'PY' || failed=1
import json
for letter, want in ("i", "items[].hot (uint64_t)"), ("a", "table_a[] (uint64_t)"), ("h", "uint64_t"), \
        ("w", "struct node.next (struct node*)"):
    fields = {}
    for row in json.load(open(letter + ".json"))["rows"]:
        for field in row["fields"]:
            fields[field["field"]] = fields.get(field["field"], 0) + field["samples"]
    total = sum(fields.values())
    if total < 20:
        print(f"not tested: types of {letter}: only {total} samples have one")
    elif fields.get(want, 0) < 0.9 * total:
        raise SystemExit(f"FAIL: {letter}: {want} among {fields}")
PY

# a process that runs already: its heap is anonymous memory
./known h x &
pid=$!
"$CUPEL" mem --stalls -p "$pid" -d 2 --json -o p.json --flamegraph p.svg 2>log || fail "-p: $(cat log)"
kill -0 "$pid" || fail "the process ended"
grep -q 'anonymous memory' p.svg || fail "no object in the picture"

"$CUPEL" mem --stalls --no-heap -- ./known a >text 2>log || fail "text: $(cat log)"
grep -q '^Where it stalled: ' text || fail "text: $(cat text)"
"$CUPEL" mem --stalls -- ./missing 2>/dev/null
[[ $? -eq 127 ]] || fail "status of a program that is not there"
"$CUPEL" mem --stalls -o /dev/null -- sh -c 'exit 7' 2>/dev/null
[[ $? -eq 7 ]] || fail "status of the program"
exit $failed
