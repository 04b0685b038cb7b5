#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# in turn: stock perf aborts while other processes load BPF programs
# cupel mem report and c2c report beside stock perf's, of one recording with sources of data: the same words,
# rows and counts. Differences that are meant: perf keeps accesses of the kernel's code to a line apart, so
# samples in the kernel are left out here;
# and its dcacheline prints no offset of a symbol that makes sense.
set -u
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"

command -v perf >/dev/null || { echo "stock perf is not installed"; exit 77; }
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat >prog.c <<'C'
#include <pthread.h>
#include <stdio.h>
volatile long line[8] __attribute__((aligned(64))) = { 1 };
volatile long table[4096] = { 1 };
static volatile int done;
__attribute__((noinline)) static void writer(void) { while (!done) line[0]++; }
__attribute__((noinline)) static void reader(void)
{
	for (long i = 0; i < 300000000; i++)
		table[i & 4095] += line[1];
}
static void *run(void *none) { writer(); return none; }
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, run, NULL);
	reader();
	done = 1;
	pthread_join(thread, NULL);
	return 0;
}
C
gcc -g -O1 -pthread -o prog prog.c || exit 77
"$CUPEL" c2c record -e cpu-clock:u -F 997 -o plain.data -- ./prog 2>record.err ||
	{ echo "cannot record here: $(tail -n 1 record.err)"; exit 77; }
python3 "$here/access_samples.py" plain.data prog data.data || exit 1
perf report -i data.data --stdio >/dev/null 2>perf.err || { echo "perf cannot read it: $(tail -n 1 perf.err)"; exit 77; }
failed=0

# differ_by_rounding A B: perf rounds a mean cost of N.5 down or up, as its sum of fractions happens to be. The
# three means stand between the address of code, and the two counts before the function.
differ_by_rounding() {
	python3 - "$1" "$2" <<'PY'
import re, sys
a, b = (open(name).read().splitlines() for name in sys.argv[1:])
means = re.compile(r"^(.* 0x[0-9a-f]+) (\d+) (\d+) (\d+) (\d+ \d+ \[.*)$")
def alike(x, y):
    of_x, of_y = means.match(x), means.match(y)
    return x == y or bool(of_x and of_y and of_x.group(1, 5) == of_y.group(1, 5) and
                          all(abs(int(of_x[i]) - int(of_y[i])) <= 1 for i in (2, 3, 4)))
sys.exit(len(a) != len(b) or not all(map(alike, a, b)))
PY
}

# same NAME PERF-OUTPUT CUPEL-OUTPUT
same() {
	if [ -s "$2" ] && { diff "$2" "$3" || differ_by_rounding "$2" "$3"; } >difference; then
		echo "ok: $1: $(wc -l <"$2") lines"
	else
		echo "FAIL: $1"
		head -n 20 difference
		failed=1
	fi
}

# rows: those of a table with a separator, without blanks at the end of fields, in order of their text
rows() {
	grep -v '^#' | sed 's/ *|/|/g; s/| */|/g; s/^ *//; s/ *$//' | grep -v '^$' | LC_ALL=C sort
}

keys=local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,local_ins_lat
perf mem -x '|' -i data.data report --stdio --sort "$keys" 2>/dev/null | cut -d '|' -f -13 | rows >perf.txt
"$CUPEL" mem report -x '|' -i data.data | rows >cupel.txt
same "mem report" perf.txt cupel.txt
for key in snoop tlb locked blocked dso_daddr weight; do
	perf mem -x '|' -i data.data report --stdio --sort "sym,$key" 2>/dev/null | cut -d '|' -f -4 | rows >perf.txt
	"$CUPEL" mem report -x '|' -i data.data --sort "sym,$key" | rows >cupel.txt
	same "mem report --sort $key" perf.txt cupel.txt
done
perf mem -x '|' -t store -i data.data report --stdio 2>/dev/null | cut -d '|' -f -9 | rows >perf.txt
"$CUPEL" mem report -x '|' -t store -i data.data | rows >cupel.txt
same "mem report -t store" perf.txt cupel.txt
perf mem -D -x, -i data.data report 2>/dev/null | LC_ALL=C sort >perf.txt
"$CUPEL" mem report -D -x, -i data.data | LC_ALL=C sort >cupel.txt
same "mem report -D" perf.txt cupel.txt

# plain: rules and headings end at different places, columns of names have their own widths, and Cupel names the
# object of a line
plain() {
	grep -v '^#' | sed 's/^\( *[0-9]* .* 0x[0-9a-f]*\)  [a-z+0-9]*$/\1/; s/  */ /g; s/ *$//'
}

for options in "-d tot" "-d lcl" "-d rmt -c pid,iaddr" "-d peer" "-NN" "-d tot --stats" "-c pid"; do
	# shellcheck disable=SC2086 # words
	perf c2c report -i data.data --stdio $options 2>/dev/null | plain >perf.txt
	# shellcheck disable=SC2086
	"$CUPEL" c2c report -i data.data --stdio $options | plain >cupel.txt
	same "c2c report $options" perf.txt cupel.txt
done
"$CUPEL" c2c report -i data.data --json -o c2c.json && "$CUPEL" mem report -i data.data --json -o mem.json &&
	python3 - <<'PY' || { echo "FAIL: JSON"; failed=1; }
import json
c2c, mem = json.load(open("c2c.json")), json.load(open("mem.json"))
line = max(c2c["lines"], key=lambda line: line["counts"]["entries"])
assert line["object"] == "line" and line["offset"] == 0, line
assert {entry["function"] for entry in line["entries"]} == {"reader", "writer"}, line
rows = mem["events"][0]["rows"]
assert sum(row["samples"] for row in rows) == c2c["all"]["entries"]
assert {row["symbol_daddr"] for row in rows} >= {"[.] line+0x8", "[.] table+0x40"}
PY
exit $failed
