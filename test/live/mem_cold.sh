#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel mem --cold of a program with known blocks: small ones that it reads all the time, small ones
# that it never reads again, a large one of which it reads half, one that it never touched. A process
# that runs already; SIGKILL of cupel: DAMON is off afterwards; what is refused.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
pid=
trap '[[ -n $pid ]] && kill -9 "$pid" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
used=/sys/kernel/mm/damon/admin/kdamonds/nr_kdamonds
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

cat >known.c <<'C'
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define HIDE __attribute__((noinline, noclone))
#define BLOCKS 4000
#define LARGE  (4 << 20)
static char *volatile hot[BLOCKS], *volatile cold[BLOCKS];
HIDE static void get_hot(int i) { hot[i] = malloc(1000); memset(hot[i], 1, 1000); }
HIDE static void get_cold(int i) { cold[i] = malloc(1000); memset(cold[i], 1, 1000); }
HIDE static char *get_half(void) { char *p = malloc(LARGE); memset(p, 1, LARGE); return p; }
HIDE static char *get_untouched(void) { return malloc(LARGE); }
int main(int argc, char **argv)
{
	char *half, *none;
	volatile char sum = 0;

	(void)argv;
	if (argc > 1)
		while (access("go", F_OK))
			usleep(10000);
	for (int i = 0; i < BLOCKS; i++)
		get_hot(i);
	for (int i = 0; i < BLOCKS; i++)
		get_cold(i);
	half = get_half();
	none = get_untouched();
	for (;;) {
		for (int i = 0; i < BLOCKS; i++)
			sum += hot[i][0] + hot[i][999];
		for (int i = 0; i < LARGE / 2; i += 1024)
			sum += half[i];
		usleep(2000);
	}
	return none == half;
}
C
gcc -O1 -g -o known known.c || exit 1

"$CUPEL" mem --cold --rate 16K --after 300ms -d 600ms --json -o cold.json -- ./known 2>log
status=$?
if [[ $status -ne 143 && $status -ne 0 ]] && grep -q 'DAMON' log; then
	echo "no DAMON here: $(grep -m 1 cupel: log)"
	exit 77
fi
grep -q 'clears the accessed bits' log || fail "no warning: $(cat log)"
cat >check.py <<'PY'
import json, sys
sites = json.load(open(sys.argv[1]))["sites"]
rows = {}
for row in sites["rows"]:
    for frame in row["stack"]:
        if frame["function"].startswith("get_"):
            mine = rows.setdefault(frame["function"], {"cold": 0, "resident": 0, "live": 0})
            for name in mine:
                mine[name] += row[name] or 0
if sites["looked_at"] < 0.5 * sites["pages"]: # the kernel has new pages in its lists late
    print(f"not tested: {sites['looked_at']} of {sites['pages']} pages were looked at")
    sys.exit()
def share(name):
    return rows[name]["cold"] / rows[name]["resident"]
# A page that both kinds of small blocks are in is touched; so is what shares one with the program's data.
if share("get_cold") < 0.9 or share("get_hot") > 0.1 or not 0.4 < share("get_half") < 0.6:
    sys.exit(f"FAIL: {rows}")
if rows["get_untouched"]["live"] < 4 << 20 or rows["get_untouched"]["resident"] > 100 << 10:
    sys.exit(f"FAIL: untouched: {rows}")
PY
python3 check.py cold.json || failed=1

./known x &
pid=$!
"$CUPEL" mem --cold --sites -p "$pid" --rate 16K --after 900ms -d 600ms --json -o process.json --save process.data 2>log &
watcher=$!
# its header is written after the probes are on
for _ in $(seq 500); do
	[[ -s process.data ]] && break
	sleep 0.01
done
touch go
wait "$watcher" || fail "-p: $(cat log)"
python3 check.py process.json || failed=1
kill -0 "$pid" || fail "the process ended"

# Killed while DAMON is on.
"$CUPEL" mem --cold --sites -p "$pid" --after 10ms -d 30 >/dev/null 2>&1 &
watcher=$!
for _ in $(seq 500); do
	grep -qx on "${used%/*}/0/state" 2>/dev/null && break
	sleep 0.01
done
grep -qx on "${used%/*}/0/state" || fail "DAMON is not on"
"$CUPEL" mem --cold --sites -p "$pid" -d 1 >/dev/null 2>log && fail "two at a time"
grep -q 'DAMON is in use' log || fail "two at a time: $(cat log)"
kill -9 "$watcher"
wait "$watcher" 2>/dev/null
for _ in $(seq 500); do
	[[ $(cat "$used") == 0 ]] && break
	sleep 0.01
done
[[ $(cat "$used") == 0 ]] || fail "DAMON is on after SIGKILL"
kill -0 "$pid" || fail "the process ended with cupel"

"$CUPEL" mem --cold --after 5 -- true >/dev/null 2>log && fail "a program that ends"
grep -q 'the run ended before the time of --after was over' log || fail "a program that ends: $(cat log)"
exit $failed
