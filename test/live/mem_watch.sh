#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel mem --watch and cupel c2c --watch on a program with known writers: a variable that two
# functions write to four times, and two counters in one cache line, each with a thread; cupel c2c
# finds such a line, and says that there is none in a program that has none.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
pid=
trap '[[ -n $pid ]] && kill -9 "$pid" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

cat >known.c <<'C'
#include <pthread.h>
#include <unistd.h>
#define HIDE __attribute__((noinline, noclone))

struct { volatile long first, second, third; } counters __attribute__((aligned(64)));
volatile long lone __attribute__((aligned(64)));

static void rest(void) { for (volatile int i = 0; i < 20000; i++); }
HIDE static void *adds_first(void *x)
{
	for (;;) {
		counters.first++;
		rest();
	}
	return x;
}
HIDE static void *adds_second(void *x)
{
	for (;;) {
		counters.second++;
		rest();
	}
	return x;
}
HIDE static void once(void) { lone = 7; }
HIDE static void thrice(void) { for (int i = 0; i < 3; i++) lone++; }

int main(int argc, char **argv)
{
	pthread_t a, b;

	(void)argv;
	once();
	thrice();
	if (argc < 2)
		return 3;
	pthread_create(&a, 0, adds_first, 0);
	pthread_create(&b, 0, adds_second, 0);
	pause();
}
C
gcc -O1 -g -pthread -o known known.c || exit 1
"$CUPEL" mem --watch lone --json -o lone.json -- ./known 2>log
status=$?
if [[ $status -ne 3 ]]; then
	echo "breakpoints cannot be set here: $(head -n 1 log)"
	exit 77
fi
python3 - <<'PY' || failed=1
import json
hits = {}
for row in json.load(open("lone.json"))["rows"]:
    leaf = row["stack"][0]["function"]
    hits[leaf] = hits.get(leaf, 0) + row["hits"]
if hits != {"once": 1, "thrice": 3}:
    raise SystemExit(f"FAIL: writers {hits}")
PY

./known x &
pid=$!
"$CUPEL" c2c --watch counters -p "$pid" --json -o line.json 2>log || fail "c2c: $(cat log)"
python3 - <<'PY' || failed=1
import json
line = json.load(open("line.json"))
words = {}
for row in line["rows"]:
    words.setdefault(row["offset"], set()).add(row["stack"][0]["function"])
if words != {0: {"adds_first"}, 8: {"adds_second"}} or line["sharing"] != "false":
    raise SystemExit(f"FAIL: {line['sharing']} sharing, words {words}")
PY
"$CUPEL" mem --watch counters+8 -p "$pid" -d 1 >text 2>log || fail "-p: $(cat log)"
grep -q 'adds_second' text && ! grep -q 'adds_first' text || fail "writers: $(cat text)"
kill -0 "$pid" || fail "the process ended"
kill -9 "$pid"
wait "$pid" 2>/dev/null

cat >hot.c <<'C'
#include <pthread.h>
#include <unistd.h>
#define HIDE __attribute__((noinline, noclone))

struct { long before[20]; volatile long first, second; long behind[6]; } counters __attribute__((aligned(64)));
struct { volatile long own; long rest[7]; } apart[2] __attribute__((aligned(64)));

HIDE static void *adds_first(void *x) { for (;;) counters.first++; return x; }
HIDE static void *adds_second(void *x) { for (;;) counters.second++; return x; }
HIDE static void *adds_own(void *x) { for (long i = (long)x;;) apart[i].own++; return x; }

int main(int argc, char **argv)
{
	pthread_t a, b;

	(void)argv;
	pthread_create(&a, 0, argc > 1 ? adds_own : adds_first, 0);
	pthread_create(&b, 0, argc > 1 ? adds_own : adds_second, (void *)1);
	pause();
}
C
gcc -O1 -g -pthread -o hot hot.c || exit 1
./hot &
pid=$!
# Both threads have to be sampled, and to write while each of the words is watched.
for _ in 1 2 3 4 5; do
	"$CUPEL" c2c -p "$pid" --json -o found.json 2>log && grep -q '"sharing": "false"' found.json && break
done
python3 - <<'PY' || fail "finding a line: $(cat log)"
import json
line = json.load(open("found.json"))
words = {}
for row in line["rows"]:
    words.setdefault(row["offset"], set()).add(row["stack"][0]["function"])
if line["name"] != "counters+128" or words != {32: {"adds_first"}, 40: {"adds_second"}}:
    raise SystemExit(f"FAIL: {line['name']}: {line['sharing']} sharing, words {words}")
PY
kill -9 "$pid"
wait "$pid" 2>/dev/null
./hot apart &
pid=$!
"$CUPEL" c2c -p "$pid" >text 2>log && fail "a line that is not shared: $(cat text)"
grep -q "no cache line that two threads write to" log || fail "no line: $(cat log)"
exit $failed
