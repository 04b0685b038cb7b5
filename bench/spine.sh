#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The main path against stock perf and FlameGraph, in one run on the same files: time and peak memory
# of making a flame graph and a report, of unwinding, and of recording. Prints each command that was
# timed, then the ratios with their goals; exit status 1 when a goal is missed.
#
# Environment: CUPEL; BENCH_SAMPLES (500000) and BENCH_DWARF_SAMPLES (30000), how large the recordings
# are; BENCH_FOLDER, where they are kept and found again (a temporary folder); FLAMEGRAPH_DIR, a
# checkout of FlameGraph, without which its rows are left out; BENCH_LIMIT (1800), seconds after which
# a peer is stopped: its ratio is then a lower bound and says so.
set -u
export LC_ALL=C
bench=$(cd "$(dirname "$0")" && pwd)
samples=${BENCH_SAMPLES:-500000}
dwarf_samples=${BENCH_DWARF_SAMPLES:-30000}
limit=${BENCH_LIMIT:-1800}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=${BENCH_FOLDER:-$work}
mkdir -p "$folder"
export HOME="$work" # perf keeps copies of binaries there
missed=0

need() {
	for tool; do
		if ! command -v "$tool" >/dev/null; then
			echo "bench: $tool is missing" >&2
			exit 1
		fi
	done
}

# timed NAME COMMAND: runs it and keeps seconds, CPU seconds, peak KiB and status in $work/NAME.
timed() {
	echo "+ $2"
	/usr/bin/time -q -o "$work/$1" -f '%e %U %S %M %x' timeout "$limit" bash -c "$2" \
		2>"$work/$1.errors" >/dev/null </dev/null
	read -r wall user system peak status <"$work/$1"
	printf '    %8.2f s wall  %8.2f s CPU  %7.1f MB peak%s\n' "$wall" \
		"$(echo "$user $system" | awk '{ print $1 + $2 }')" \
		"$(echo "$peak" | awk '{ print $1 / 1024 }')" \
		"$([ "$status" -eq 0 ] || echo "  status $status")"
	if [ "$status" -ne 0 ] && [ "$status" -ne 124 ]; then
		head -n 3 "$work/$1.errors"
	fi
}

# ratio WHAT PEER OURS COLUMN GOAL: column 1 is wall time, 4 peak memory.
ratio() {
	if [ ! -s "$work/$2" ] || [ ! -s "$work/$3" ]; then
		printf '%-58s not measured\n' "$1"
		return
	fi
	paste -d ' ' "$work/$2" "$work/$3" | awk -v what="$1" -v column="$4" -v goal="$5" '{
		peer = $column
		ours = $(column + 5)
		if ($10 != 0) {
			printf "%-58s cupel failed\n", what
			exit 1
		}
		if ($5 != 0 && $5 != 124) {
			printf "%-58s the peer failed\n", what
			exit 0
		}
		ours = ours > 0.01 ? ours : 0.01
		bound = $5 == 124 ? ">" : " "
		verdict = (peer / ours >= goal) ? "ok" : "MISSED"
		printf "%-58s %s%8.1fx  goal %5.1fx  %s\n", what, bound, peer / ours, goal, verdict
		exit verdict != "ok"
	}' || missed=1
}

# Records the load with stock perf until there are enough samples: record_peer FILE SAMPLES RATE ...
record_peer() {
	file=$1
	seconds=$(($2 / ($3 * $(nproc) * 8 / 10) + 2))
	[ -s "$file" ] && return
	echo "+ perf record -a -F $3 ${*:4} -o ${file##*/} -- sleep $seconds"
	"$bench/load.sh" "$((seconds + 1))" &
	perf record -q -a -F "$3" "${@:4}" -o "$file" -- sleep "$seconds" 2>/dev/null
	wait
}

count_samples() {
	perf report -i "$1" --stats 2>/dev/null | awk '/SAMPLE events:/ { print $3; exit }'
}

show() {
	fp=$folder/fp.data
	record_peer "$fp" "$samples" 12000 -g
	echo "fp.data: $(count_samples "$fp") samples, $(stat -c %s "$fp") bytes"
	timed perf-script "perf script -i $fp"
	if [ -n "${FLAMEGRAPH_DIR:-}" ]; then
		timed perf-svg "perf script -i $fp | $FLAMEGRAPH_DIR/stackcollapse-perf.pl |
			$FLAMEGRAPH_DIR/flamegraph.pl"
	fi
	timed cupel-svg "$CUPEL flamegraph $fp"
	timed perf-report "perf report -i $fp --stdio --no-children -g none"
	timed cupel-report "$CUPEL report -i $fp --stdio --no-children -g none"
}

unwind() {
	dwarf=$folder/dwarf.data
	record_peer "$dwarf" "$dwarf_samples" 999 --call-graph dwarf,8192
	echo "dwarf.data: $(count_samples "$dwarf") samples, $(stat -c %s "$dwarf") bytes"
	timed perf-dwarf "perf script --no-inline -i $dwarf"
	timed cupel-dwarf "$CUPEL collapse --no-inline $dwarf"
	timed perf-inline "perf script --inline -i $dwarf"
	timed cupel-inline "$CUPEL collapse $dwarf"
}

# The same ten seconds of load for each recorder; its own cost is what is timed, the load runs beside.
record() {
	for who in perf cupel; do
		command=$([ "$who" = perf ] && echo perf || echo "$CUPEL")
		"$bench/load.sh" 13 &
		sleep 2
		timed "$who-record" "$command record -a -g -F 1999 -o $work/$who.data -- sleep 10"
		wait
		bytes=$(stat -c %s "$work/$who.data" 2>/dev/null || echo 0)
		count=$(count_samples "$work/$who.data")
		echo "    $bytes bytes, ${count:-0} samples"
		echo "$((bytes / (${count:-0} > 0 ? count : 1))) 0 0 0 0" >"$work/$who-bytes"
		awk '{ print $2 + $3, 0, 0, 0, $5 }' "$work/$who-record" >"$work/$who-cpu"
	done
}

need perf /usr/bin/time gzip xz python3 perl cc "$CUPEL"
show
unwind
record
echo
ratio "flame graph: perf script | FlameGraph, time" perf-svg cupel-svg 1 40
ratio "flame graph: perf script alone, time" perf-script cupel-svg 1 10
ratio "flame graph: perf script, peak memory" perf-script cupel-svg 4 2
ratio "report: perf report, time" perf-report cupel-report 1 4
ratio "unwinding and symbols: perf script --no-inline, time" perf-dwarf cupel-dwarf 1 10
ratio "with inlined functions: perf script, time" perf-inline cupel-inline 1 50
ratio "recording: bytes per sample" perf-bytes cupel-bytes 1 1
ratio "recording: own CPU time" perf-cpu cupel-cpu 1 2
ratio "recording: peak memory" perf-record cupel-record 4 2
exit "$missed"
