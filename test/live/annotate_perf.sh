#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares cupel annotate with stock perf annotate --stdio on the same recording: the same title,
# instructions and percentages. Source lines and inlined functions equal those of addr2line -i, for
# every instruction of an optimized program.
set -eu
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
here=$(realpath "$(dirname "$0")")
target=$(dirname "$CUPEL")/test/live/jit_target
for need in perf objdump addr2line python3 cc; do
	if ! command -v "$need" >/dev/null; then
		echo "needs $need"
		exit 77
	fi
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export HOME="$scratch"

cat >hot.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { unsigned key, weight; };
static inline unsigned rotate(unsigned x, unsigned by)
{
	return x << by | x >> (32 - by);
}
static inline unsigned mix(unsigned x)
{
	x ^= rotate(x, 13);
	x *= 0x85ebca6b;
	return x ^ rotate(x, 16);
}
__attribute__((noinline)) unsigned hot_items(struct item *items, unsigned count)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < count; i++) {
		items[i].key = mix(items[i].key + i);
		if (items[i].key & 1)
			sum += rotate(items[i].weight, 7);
		else
			sum ^= mix(sum);
		switch (items[i].key & 7) {
		case 3: items[i].weight++; break;
		case 5: items[i].weight += sum; break;
		case 6: memset(&items[i].key, (int)sum & 3, 3); break;
		}
	}
	return sum;
}
int main(void)
{
	struct item *items = calloc(4096, sizeof(*items));
	unsigned sum = 0;

	for (int i = 0; i < 20000; i++)
		sum += hot_items(items, 4096);
	return printf("%u\n", sum) < 0;
}
END
cc -O2 -g -o hot hot.c
timeout 60 "$CUPEL" record -e cpu-clock -o perf.data ./hot >/dev/null 2>&1
perf annotate -f --stdio -i perf.data -s hot_items >perf.text 2>/dev/null
"$CUPEL" annotate -q -i perf.data hot_items >cupel.text
"$CUPEL" annotate --json -i perf.data hot_items >cupel.json
python3 "$here/annotate_perf.py" perf.text cupel.text cupel.json hot

# Generated code, from its jitdump: a loop of two instructions.
"$CUPEL" record -q -e cpu-clock -F 199 -k mono -o jit.data "$target" dump 1 >/dev/null
"$CUPEL" annotate -i jit.data --json 'generated spin' >jit.json
python3 - <<'END'
import json
function, = json.load(open("jit.json"))["functions"]
rows = function["instructions"]
loop, = function["loops"]
inside = sum(row["counts"][0][0] for row in rows[loop["first"]:loop["last"] + 1])
assert loop["last"] == loop["first"] + 1 and rows[loop["last"]]["target"] == loop["first"], loop
assert inside > 0.9 * function["events"][0]["samples"], inside
print("jitdump: %d samples in the loop" % inside)
END
