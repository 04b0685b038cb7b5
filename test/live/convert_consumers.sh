#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# callgrind_annotate, if installed, reads the output of cupel convert, and Python's JSON parser
# checks it by the rules of speedscope's schema and of the Firefox profiler. Tests with the programs
# themselves: speedscope in test/web/speedscope.sh, the Firefox profiler in firefox_profiler.sh,
# pprof in convert_pprof.sh, FlameGraph's scripts in convert_flamegraph.sh.
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

# speedscope.app/file-format-schema.json: required fields, and sums
file = load("speedscope")
assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
for profile in file["profiles"]:
    assert profile["type"] == "sampled" and profile["name"] and profile["unit"]
    assert len(profile["samples"]) == len(profile["weights"])
    assert sum(profile["weights"]) == profile["endValue"] - profile["startValue"]
    assert all(f < len(file["shared"]["frames"]) for stack in profile["samples"] for f in stack)
assert sum(p["endValue"] for p in file["profiles"]) == 905

# trace events: the time of a thread does not decrease, and slices nest
edges = [e for e in load("chrome-trace")["traceEvents"] if e["ph"] in "BE"]
assert {e["name"] for e in edges} == {"main", "hot", "warm", "in", "do_fault"}
open_spans, now = {}, {}
for e in edges:
    thread = e["pid"], e["tid"]
    assert e["ts"] >= now.get(thread, 0)
    now[thread] = e["ts"]
    if e["ph"] == "B":
        open_spans.setdefault(thread, []).append(e["name"])
    else:
        assert open_spans[thread].pop() == e["name"]
assert not any(open_spans.values())
PYTHON

# Names that are not UTF-8, weights with fractions, several lines of one function, and an empty profile.
printf 'a;b\377\001";c 5\na;"<&>]]>--;d 2.125\n[unknown];0xyz 3\n' >"$work/hostile.txt"
tr -d '\377\001' <"$work/hostile.txt" >"$work/odd.txt"
printf '%s\n' 'dd 1/1 [000] 1.0: 600 cpu-clock: ' '	3 hot+0x1 (/bin/dd)' '  hot.c:7' '' \
	'dd 1/1 [000] 1.1: 300 cpu-clock: ' '	5 hot+0x3 (/bin/dd)' '  hot.c:9' '' \
	'dd 1/2 [000] 1.2: 100 cpu-clock: ' '' >"$work/lines.txt"
firefox() { # INPUT SUMS
	"$CUPEL" convert --format firefox "$work/$1.txt" -o "$work/firefox.json"
	sums=$(python3 "$(dirname "$0")/firefox_rules.py" "$work/firefox.json")
	if [ "$sums" != "$2" ]; then
		echo "$1 as a Firefox profile: $sums, not $2"
		exit 1
	fi
}
firefox in 'samples=5.000000 tracing-ms=0.000900'
firefox lines 'tracing-ms=0.001000'
firefox hostile 'samples=10.125000'

# Weights, threads, events, inlined functions and lines survive a round trip. FORMAT INPUT OPTIONS
same() {
	"$CUPEL" collapse --whole-names --all-events "${@:3}" "$work/$2.txt" | sed 's/;\[unknown\] / /' >"$work/want"
	"$CUPEL" convert --format "$1" "$work/$2.txt" -o "$work/round"
	"$CUPEL" collapse --whole-names --all-events "${@:3}" "$work/round" | sed 's/;\[unknown\] / /' |
		diff "$work/want" - || {
		echo "$2 as $1 and back with ${*:3}"
		exit 1
	}
}
for format in perf-script pprof firefox speedscope; do
	same $format in --tid --srcline --inline
	same $format in --event-filter faults
	same $format lines --tid --srcline
	same $format odd
done
same chrome-trace in --tid
same chrome-trace odd
same folded odd
"$CUPEL" convert --format callgrind "$work/hostile.txt" -o "$work/round"
[ "$("$CUPEL" collapse "$work/round" | awk '{ sum += $NF } END { print sum }')" = 10.125 ]

if command -v callgrind_annotate >/dev/null; then
	"$CUPEL" convert --format callgrind "$work/in.txt" -o "$work/callgrind.out"
	callgrind_annotate --inclusive=yes --auto=no "$work/callgrind.out" >"$work/annotated"
	grep -q '^ *900 .*main \[/bin/dd\]' "$work/annotated" || {
		cat "$work/annotated"
		exit 1
	}
	"$CUPEL" convert --format callgrind "$work/lines.txt" -o "$work/callgrind.out"
	grep -q '^9 300$' "$work/callgrind.out"
	# a call counts once per sample, even if a recursion makes it from several lines
	printf '%s\n' 'dd 1/1 1.0: 10 cpu-clock: ' '	3 f (/bin/dd)' '  f.c:7' '	2 f (/bin/dd)' \
		'  f.c:8' '	1 f (/bin/dd)' '  f.c:9' '' >"$work/recursion.txt"
	"$CUPEL" convert --format callgrind "$work/recursion.txt" -o "$work/callgrind.out"
	[ "$(grep -c '^calls=' "$work/callgrind.out")" -eq 1 ]
	checked="$checked callgrind_annotate"
fi
echo "checked by $checked"
