#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What recording costs, beside stock perf, in one run: own CPU time, peak memory and bytes per sample
# of system-wide recordings of the same busy machine by frame pointers and by stack copies, samples
# lost, and how much longer `true` takes when it is recorded. Prints each command before its figures.
#
# Environment: CUPEL; BENCH_SECONDS (5), length of each recording.
set -u
export LC_ALL=C
seconds=${BENCH_SECONDS:-5}
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
export HOME="$work" # perf keeps copies of binaries there
for tool in perf python3 /usr/bin/time; do
	command -v $tool >/dev/null || {
		echo "bench: $tool is missing" >&2
		exit 1
	}
done

# cost FILE COMMAND…: CPU ms, peak KiB and wall ms of the command itself into FILE. Python measures
# finer than time(1), but a child of it starts with its peak memory.
cost() {
	file=$1
	shift
	echo "+ $*"
	python3 - "$@" <<'PYTHON' >"$file"
import os, sys, time
start = time.monotonic()
pid = os.fork()
if pid == 0:
    null = os.open("/dev/null", os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(os.open("log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    os.execvp("/usr/bin/time", ["time", "-q", "-o", "peak", "-f", "%M"] + sys.argv[1:])
_, _, use = os.wait4(pid, 0)
wall = time.monotonic() - start
print("%.1f %s %.1f" % ((use.ru_utime + use.ru_stime) * 1e3, open("peak").read().split()[-1],
                        wall * 1e3))
PYTHON
}

row() {
	printf '%-28s %12s %12s %9s\n' "$@"
}

# compare TITLE FIELD PEER OURS
compare() {
	read -r -a peer <"$3"
	read -r -a ours <"$4"
	row "$1" "${peer[$2]}" "${ours[$2]}" \
		"$(awk -v a="${peer[$2]}" -v b="${ours[$2]}" 'BEGIN { printf "%.2f", b / a }')"
}

# A lot of stacks on every CPU; no short-lived processes, because their number would differ between the
# recordings and with it the bytes.
for _ in $(seq "$(nproc)"); do
	python3 -c 'while True: sum(i * i for i in range(1000))' &
done
sleep 0.5

for mode in fp dwarf; do
	cost perf.cost perf record -a -F 1999 --call-graph $mode -o perf.data sleep "$seconds"
	cp log perf.log
	cost cupel.cost "$CUPEL" record -a -F 1999 --call-graph $mode -o cupel.data \
		--duration "$seconds"
	row "$mode" perf cupel ratio
	compare "own CPU time, ms" 0 perf.cost cupel.cost
	compare "peak memory, KiB" 1 perf.cost cupel.cost
	for who in perf cupel; do
		count=$(perf script -f -i $who.data -F event -G 2>/dev/null | grep -c .)
		[ "$count" -gt 0 ] || echo "$who.data: perf script reads no sample"
		echo "$(($(stat -c %s $who.data) / (count + !count))) $count" >$who.size
	done
	compare "bytes per sample" 0 perf.size cupel.size
	compare "samples" 1 perf.size cupel.size
	echo "loss told: perf: $(grep -o 'lost [0-9.]*%' perf.log || echo none)," \
		"cupel: $(grep -o '[0-9,]* lost' log | head -1)"
done
# shellcheck disable=SC2046 # several words
kill $(jobs -p)
wait 2>/dev/null

echo "start and end: wall ms of true, best of 10"
best() {
	for _ in $(seq 10); do
		cost one "$@" >/dev/null
		cut -d' ' -f3 one
	done | sort -n | head -1
}
row "" alone perf cupel
row true "$(best true)" "$(best perf record -o perf.data true)" \
	"$(best "$CUPEL" record -o cupel.data true)"
