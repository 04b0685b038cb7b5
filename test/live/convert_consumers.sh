#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What cupel convert writes, read by the tools it is written for, as far as they are installed:
# callgrind_annotate, flamegraph.pl (FLAMEGRAPH_DIR), pprof, and Python's JSON parser with the columns
# that the Firefox profiler's importer wants to be equally long.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v python3 >/dev/null || {
	echo "no python3"
	exit 77
}
printf '%s\n' 'dd 1/1 [000] 1.0: 600 cpu-clock: ' '	3 hot+0x1 (/bin/dd)' '  hot.c:7' '	1 main+0x1 (/bin/dd)' '' \
	'dd 1/2 [000] 1.1: 300 cpu-clock: ' '	4 in (inlined)' '	4 warm+0x1 (/bin/dd)' '	1 main+0x1 (/bin/dd)' '' \
	'dd 1/1 [001] 1.2: 5 faults: ' '	ffffffff81000000 do_fault ([kernel.kallsyms])' '' >"$work/in.txt"
checked='json'
for format in speedscope firefox chrome-trace; do
	"$CUPEL" convert --format $format "$work/in.txt" -o "$work/$format.json"
done
python3 - "$work" <<'PYTHON'
import json, sys

def load(name):
    return json.load(open(f"{sys.argv[1]}/{name}.json"))

# speedscope.app/file-format-schema.json: what is required, and sums
file = load("speedscope")
assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
for profile in file["profiles"]:
    assert profile["type"] == "sampled" and profile["name"] and profile["unit"]
    assert len(profile["samples"]) == len(profile["weights"])
    assert sum(profile["weights"]) == profile["endValue"] - profile["startValue"]
    assert all(f < len(file["shared"]["frames"]) for stack in profile["samples"] for f in stack)
assert sum(p["endValue"] for p in file["profiles"]) == 905

# the profiler's importer: tables of columns with one length, indexes inside their tables
file = load("firefox")
assert len(file["meta"]["categories"]) == 4 and len(file["threads"]) == 3
for thread in file["threads"]:
    for table in ("frameTable", "funcTable", "stackTable", "resourceTable", "samples", "markers"):
        for column, cells in thread[table].items():
            if isinstance(cells, list):
                assert len(cells) == thread[table]["length"], (table, column)
    rows = lambda table: thread[table]["length"]
    assert all(0 <= i < rows("frameTable") for i in thread["stackTable"]["frame"])
    assert all(p is None or p < i for i, p in enumerate(thread["stackTable"]["prefix"]))
    assert all(0 <= i < rows("funcTable") for i in thread["frameTable"]["func"])
    assert all(0 <= i < len(thread["stringArray"]) for i in thread["funcTable"]["name"])
    assert all(-1 <= i < rows("resourceTable") for i in thread["funcTable"]["resource"])
    assert all(i < len(file["libs"]) for i in thread["resourceTable"]["lib"])
    assert thread["samples"]["time"] == sorted(thread["samples"]["time"])
assert any(1 in t["frameTable"]["inlineDepth"] for t in file["threads"])

# trace events: spans of a thread nest
spans = [e for e in load("chrome-trace")["traceEvents"] if e["ph"] == "X"]
assert {e["name"] for e in spans} == {"main", "hot", "warm", "in", "do_fault"}
for a in spans:
    for b in spans:
        if (a["pid"], a["tid"]) == (b["pid"], b["tid"]) and a["ts"] < b["ts"] < a["ts"] + a["dur"]:
            assert b["ts"] + b["dur"] <= a["ts"] + a["dur"]
PYTHON

if command -v callgrind_annotate >/dev/null; then
	"$CUPEL" convert --format callgrind "$work/in.txt" -o "$work/callgrind.out"
	callgrind_annotate --inclusive=yes --auto=no "$work/callgrind.out" >"$work/annotated"
	grep -q '^ *900 .*main \[/bin/dd\]' "$work/annotated" || {
		cat "$work/annotated"
		exit 1
	}
	checked="$checked callgrind_annotate"
fi
if [ -n "${FLAMEGRAPH_DIR:-}" ]; then
	"$CUPEL" convert --format folded --event-filter cpu-clock "$work/in.txt" |
		"$FLAMEGRAPH_DIR/flamegraph.pl" >"$work/out.svg"
	grep -q 'hot (600 samples, 66.67%)' "$work/out.svg"
	checked="$checked flamegraph.pl"
fi
if command -v pprof >/dev/null; then
	"$CUPEL" convert "$work/in.txt" "$work/out.pb.gz"
	pprof -sample_index=cpu-clock -unit=ns -raw "$work/out.pb.gz" >"$work/raw"
	pprof -sample_index=cpu-clock -unit=ns -top "$work/out.pb.gz" >"$work/top"
	grep -q '600ns 66.67%.* hot' "$work/top" || {
		cat "$work/top"
		exit 1
	}
	checked="$checked pprof"
fi
echo "checked by $checked"
