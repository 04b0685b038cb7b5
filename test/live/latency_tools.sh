#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# runqlat and cpudist on sleepers of known length: their waits are in the right buckets, and counts
# are as many as there were sleeps.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$CUPEL" wall --json -o probe.json -- true 2>log || {
	echo "the scheduler cannot be watched here: $(head -n 1 log)"
	exit 77
}
python3 -c 'import time
for i in range(300): time.sleep(0.005)' &
pid=$!
sleep 0.3
"$CUPEL" cpudist -O -p "$pid" --json 500ms 1 >off.json || exit 1
"$CUPEL" runqlat -p "$pid" 300ms 1 >runqlat.txt || exit 1
wait "$pid"
python3 - <<'PY' || exit 1
import json
buckets = json.load(open("off.json"))["histograms"][0]["buckets"]
slept = sum(b["count"] for b in buckets if 4096 <= b["from"] <= 8192)
assert 30 <= slept <= 101, buckets
rows = [line.split() for line in open("runqlat.txt") if "->" in line]
assert 15 <= sum(int(row[4]) for row in rows) <= 130, rows
print("%d sleeps of 5 ms in half a second" % slept)
PY
