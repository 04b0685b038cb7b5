#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The store and the agent: bytes a sample of what the agent sees on a busy machine; bytes, ingest and
# queries of 10 million samples of a day (made up: 50 services, 4,000 stacks each); CPU and memory of
# the agent at 19 Hz; 200 agents that post to one server. Exit status 1 if a goal is missed.
#
# Environment: CUPEL, a program in its build folder; BENCH_SAMPLES (10000000);
# BENCH_SECONDS (40), how long the agent runs.
set -u
export LC_ALL=C
bench=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
load=
trap '[ -z "$load" ] || kill $load 2>/dev/null; rm -rf "$work"' EXIT
missed=0
limit=60
# shellcheck source=bench/timing.bash
. "$bench/timing.bash"
need python3 ninja xz
build=$(dirname "$CUPEL")
ninja -C "$build" store_samples >/dev/null || exit 1

echo "+ ${BENCH_SAMPLES:-10000000} made-up samples of 24 hours"
"$build/store_samples" "$work/store" "${BENCH_SAMPLES:-10000000}" >"$work/figures" || exit 1
read -r rate bytes query all <"$work/figures"
goal "ingest, µs a sample, a core" "$rate" us 2
printf '%-58s %9s\n' "bytes a sample, made-up, with dictionary and roll-ups" "$bytes"
goal "query of 24 hours, one service" "$query" s 0.1
printf '%-58s %9s s\n' "query of 24 hours, everything" "$all"

seconds=${BENCH_SECONDS:-40}
echo "+ cupel agent, 19 Hz, $seconds s, beside a busy shell and a compressor"
sh -c 'while :; do :; done' &
load=$!
sh -c 'while :; do head -c 20000000 /dev/urandom | xz -1 >/dev/null; done' &
load="$load $!"
"$CUPEL" agent --store "$work/agent" --duration "$seconds" --budget none \
	--listen "$work/socket" 2>/dev/null &
agent=$!
sleep "$((seconds - 3))"
# All its processes: CPU time so far, and memory, shared pages by their share.
read -r cpu rss < <(python3 - "$agent" "$((seconds - 3))" <<'PY'
import os, sys

def words(pid):
    return open("/proc/%s/stat" % pid).read().rsplit(")", 1)[1].split()

parents = {}
for pid in filter(str.isdigit, os.listdir("/proc")):
    try:
        parents.setdefault(words(pid)[1], []).append(pid)
    except OSError:
        pass
todo, ticks, kb = [sys.argv[1]], 0, 0
while todo:
    pid = todo.pop()
    todo += parents.get(pid, [])
    ticks += int(words(pid)[11]) + int(words(pid)[12])
    for line in open("/proc/%s/smaps_rollup" % pid):
        kb += int(line.split()[1]) if line.startswith("Pss:") else 0
print("%.3f %.1f" % (100 * ticks / os.sysconf("SC_CLK_TCK") / float(sys.argv[2]), kb / 1000))
PY
)
wait "$agent"
goal "agent, % of a CPU" "$cpu" % 0.2
goal "agent, memory" "$rss" MB 60
samples=$("$CUPEL" query --store "$work/agent" series --json | python3 -c 'import json, sys
print(sum(json.loads(line)["samples"] for line in sys.stdin))')
printf '%-58s %9s\n' "samples (with waits)" "$samples"
printf '%-58s %9s\n' "bytes a sample, blocks" \
	"$(awk -v b="$(cat "$work"/agent/2*/10s | wc -c)" -v n="$samples" 'BEGIN { printf "%.2f", b / n }')"
printf '%-58s %9s\n' "bytes of the dictionary" "$(cat "$work"/agent/2*/dictionary | wc -c)"

echo "+ 200 agents that post to one cupel serve, 5 batches of 10 s each"
mkdir "$work/posted"
read -r rate bytes samples cpu < <(python3 "$bench/store_agents.py" "$CUPEL" "$work/posted") || exit 1
printf '%-58s %9s\n' "batches a second (200 agents send 20)" "$rate"
printf '%-58s %9s\n' "bytes of a batch" "$bytes" "samples of a batch" "$samples"
printf '%-58s %9s s\n' "CPU time of the server for a batch" "$cpu"
exit "$missed"
