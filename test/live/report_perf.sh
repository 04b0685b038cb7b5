#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# in turn: stock perf aborts while other processes load BPF programs
# cupel report and stock perf report on the same recordings, of perf and of cupel, in every mode: the
# same number of samples and the same top 20 rows (one sample more or less is allowed).
set -u
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"

command -v perf >/dev/null || { echo "stock perf is not installed"; exit 77; }
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
perf record -e cpu-clock -o probe.data true >probe.log 2>&1 || {
	echo "perf cannot record here: $(tail -n 1 probe.log)"
	exit 77
}

failed=0
compared=0
missing=

cat >load.py <<'PY'
import subprocess, zlib
data = bytes(range(256)) * 4000
for _ in range(12):
    zlib.compress(data, 6)
    sum(i * i for i in range(150000))
    subprocess.run(["/bin/true"])
PY

# compare NAME FILE
compare() {
	perf report -f -i "$2" --stdio --no-children -g none -t '|' -n --sort dso,sym >perf.txt 2>perf.err
	status=$?
	if [ $status -eq 134 ]; then # perf crashed
		missing="$missing $1"
		echo "not tested: $1: $(tail -n 1 perf.err)"
		return
	elif [ $status -ne 0 ]; then
		echo "FAIL $1: stock perf cannot read it: $(tail -n 1 perf.err)"
		failed=1
		return
	fi
	if ! "$CUPEL" report -i "$2" --no-children -g none -t '|' -n \
		--sort dso,sym >cupel.txt 2>cupel.err; then
		echo "FAIL $1: $(cat cupel.err)"
		failed=1
		return
	fi
	python3 - "$1" <<'PY' || failed=1
import re, sys

def read(path):
    events, rows = [], None
    for line in open(path, errors="replace"):
        if line.startswith("# Samples"):
            rows = {}
            events.append(rows)
        if line.startswith("#") or line.count("|") < 3 or rows is None:
            continue
        cells = [c.strip() for c in line.rstrip("\n").split("|")]
        name = re.sub(r"@@?(GLIBC|GCC|GLIBCXX)[\w.]*", "", cells[3])
        key = (re.sub(r"^perf-(\d+)\.map$", r"[JIT] tid \1", cells[2]), name)
        rows[key] = rows.get(key, 0) + int(cells[1])
    return events

perf, cupel = read("perf.txt"), read("cupel.txt")
perf = [e for e in perf if e]
name, bad = sys.argv[1], []
if len(perf) != len(cupel):
    bad.append(f"{len(cupel)} events, perf has {len(perf)}")
for p, c in zip(perf, cupel):
    if sum(p.values()) != sum(c.values()):
        bad.append(f"{sum(c.values())} samples, perf has {sum(p.values())}")
    for key, count in sorted(p.items(), key=lambda kv: -kv[1])[:20]:
        if abs(c.get(key, 0) - count) > 1:
            bad.append(f"{key}: {c.get(key, 0)} samples, perf has {count}")
total = sum(sum(e.values()) for e in cupel)
if total == 0:
    bad.append("no samples at all")
print(("FAIL " if bad else "same ") + name + f": {total} samples")
for b in bad:
    print("     ", b)
sys.exit(bool(bad))
PY
	compared=$((compared + 1))
}

# recorded NAME ARGS...: records with stock perf. A crash of perf is a skip, not a failure; it leaves half
# a file.
recorded() {
	name=$1
	shift
	perf record -o "perf-$name.data" "$@" >"$name.log" 2>&1 && return
	rm -f "perf-$name.data"
	missing="$missing $name"
	echo "not tested: perf's $name: $(tail -n 1 "$name.log")"
	return 1
}

stock() {
	recorded "$@" && compare "perf's $1" "perf-$1.data"
}

ours() {
	name=$1
	shift
	if "$CUPEL" record -o "cupel-$name.data" "$@" >"$name.log" 2>&1; then
		compare "our $name" "cupel-$name.data"
	else
		echo "FAIL our $name: $(cat "$name.log")"
		failed=1
	fi
}

stock default -e cpu-clock -- python3 load.py
stock g -e cpu-clock -g -- python3 load.py
stock dwarf -e cpu-clock --call-graph dwarf -- python3 load.py
stock a -e cpu-clock -a -g -- python3 load.py
stock z -e cpu-clock -g -z -- python3 load.py
stock events -e cpu-clock,task-clock,page-faults -- python3 load.py
if perf record -e cpu-clock -g -o - -- python3 load.py >perf-pipe.data 2>pipe.log; then
	compare "perf's pipe" perf-pipe.data
fi
if grep -q sched_switch /sys/kernel/tracing/available_events 2>/dev/null ||
	grep -q sched_switch /sys/kernel/debug/tracing/available_events 2>/dev/null; then
	stock tracepoints -e sched:sched_switch,sched:sched_wakeup -R -a -- python3 load.py
	ours tracepoints -e sched:sched_switch,sched:sched_wakeup -R -a -- python3 load.py
else
	echo "skip tracepoints: tracefs is not mounted"
fi
ours default -- python3 load.py
ours flat --call-graph none -- python3 load.py
ours dwarf --call-graph dwarf -- python3 load.py
ours a -a -- python3 load.py
ours z -z -- python3 load.py
ours events -e cpu-clock,task-clock,page-faults -- python3 load.py
if "$CUPEL" record -o - -- python3 load.py >cupel-pipe.data 2>pipe.log; then
	compare "our pipe" cupel-pipe.data
else
	echo "FAIL our pipe: $(cat pipe.log)"
	failed=1
fi

# data other than stacks
if [ -e perf-g.data ] && ! diff <(perf report -f --stats -i perf-g.data 2>/dev/null) \
	<("$CUPEL" report --stats -i perf-g.data); then
	echo "FAIL --stats"
	failed=1
fi
# The other layouts, line by line, except additional lines of cupel and the names of versioned or
# inlined symbols, and of entries of the procedure linkage table, which this perf does not name. Widths
# follow the longest name.
plain() {
	sed 's/@@*GLIBC[A-Z_0-9.]*//; s/[^ ]*@plt/@plt/; s/\.\.*/./g; s/  */ /g; s/ *$//' | grep -v '^# \(User stacks\|Frames without\|Samples without\|95% intervals\|(Tip\|$\)\|^#$\|^$'
}

# layout FILE ARGS...
layout() {
	[ -e "$1" ] || return
	perf report -f --stdio -i "$@" 2>/dev/null | plain | sort >perf.txt
	"$CUPEL" report -i "$@" | plain | sort >cupel.txt
	lines=$(wc -l <perf.txt)
	other=$(diff perf.txt cupel.txt | grep -c '^[<>]')
	if [ "$lines" -gt 5 ] && [ "$other" -le $((lines / 10)) ]; then
		echo "same layout: $*: $lines lines, $other differ"
	else
		echo "FAIL layout: $*: $other of $lines lines differ"
		diff perf.txt cupel.txt | grep '^[<>]' | head -n 10
		failed=1
	fi
}

cat >load.sh <<'SH'
for i in 1 2 3; do
	ls -lR /usr/include >list
	sort list >sorted
done
SH
recorded short -e cpu-clock -- sh load.sh
recorded group -e '{cpu-clock,task-clock}' -c 500000 -- sh load.sh
layout perf-short.data --hierarchy
layout perf-short.data --tasks
layout perf-short.data --no-children --hide-unresolved
layout perf-short.data --sort comm,sym --dsos '[kernel.kallsyms]' --percentage relative
layout perf-group.data --sort comm,dso
layout perf-group.data --sort comm,dso --hierarchy
layout perf-group.data --no-group -n --sort comm,dso
layout perf-short.data --dump-raw-trace

echo "$compared recordings compared${missing:+, not recorded by perf:$missing}"
exit $failed
