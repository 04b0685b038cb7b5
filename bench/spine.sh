#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The main path against stock perf and FlameGraph, in one run on the same files: time and peak memory
# of making a flame graph and a report, of unwinding, and of recording. Prints each command that was
# timed, then the ratios with their goals; exit status 1 when a goal is missed.
#
# Environment: CUPEL; BENCH_SAMPLES (500000) and BENCH_DWARF_SAMPLES (30000), how large the recordings
# are; BENCH_FOLDER, where they are kept and found again (a temporary folder); FLAMEGRAPH_DIR, a
# checkout of FlameGraph, without which its rows are left out; BENCH_LIMIT (1800), seconds after which
# a peer is stopped: its ratio is then a lower bound, and marked as one.
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
# shellcheck source=bench/timing.bash
. "$bench/timing.bash"

# 0 for a file that perf cannot read.
count_samples() {
	perf report -i "$1" --stats 2>/dev/null |
		awk '/SAMPLE events:/ { count = $3; exit } END { print count + 0 }'
}

# Records the load with stock perf until there are enough samples: record_peer FILE SAMPLES RATE ...
# Perf 6.1 crashes now and then, above all beside another recording, and leaves a file
# without an end: then once more. A file from an earlier run that is like that is made again.
record_peer() {
	file=$1
	seconds=$(($2 / ($3 * $(nproc) * 8 / 10) + 2))
	for try in 1 2 3; do
		[ -s "$file" ] && [ "$(count_samples "$file")" -ge "$2" ] && return
		[ "$try" -eq 1 ] || seconds=$((seconds * 3 / 2))
		echo "+ perf record -a -F $3 ${*:4} -o ${file##*/} -- sleep $seconds"
		"$bench/load.sh" "$((seconds + 1))" &
		perf record -q -a -F "$3" "${@:4}" -o "$file" -- sleep "$seconds" 2>/dev/null
		wait
	done
	[ "$(count_samples "$file")" -ge "$2" ] || echo "    fewer samples than wanted"
}

show() {
	timed perf-script "perf script -i $fp"
	if [ -n "${FLAMEGRAPH_DIR:-}" ]; then
		timed perf-svg "perf script -i $fp | $FLAMEGRAPH_DIR/stackcollapse-perf.pl |
			$FLAMEGRAPH_DIR/flamegraph.pl"
	fi
	timed cupel-svg "$CUPEL flamegraph $fp"
	# Stock perf looks for inlined functions in stacks of --call-graph dwarf only, not in these.
	timed cupel-svg-plain "$CUPEL flamegraph --no-inline $fp"
	timed perf-report "perf report -i $fp --stdio --no-children -g none"
	timed cupel-report "$CUPEL report -i $fp --stdio --no-children -g none"
}

unwind() {
	timed perf-dwarf "perf script --no-inline -i $dwarf"
	timed cupel-dwarf-script "$CUPEL script --no-inline -i $dwarf"
	timed cupel-dwarf "$CUPEL flamegraph --no-inline $dwarf"
	timed cupel-inline-script "$CUPEL script -i $dwarf"
	timed cupel-inline "$CUPEL flamegraph $dwarf"
}

unwind_inlined() {
	# perf takes from minutes to hours: enough of it to decide whether the goal is reached twice over
	whole=$limit
	limit=$(awk -v whole="$whole" '{ most = 100 * $1 + 10; print int(most < whole ? most : whole) }' \
		"$work/cupel-inline-script")
	timed perf-inline "perf script --inline -i $dwarf"
	limit=$whole
}

# The same ten seconds of load for each recorder; the bench times the recorder; the load runs beside it.
record() {
	for recorder in perf cupel; do
		command=$([ "$recorder" = perf ] && echo perf || echo "$CUPEL")
		for try in 1 2 3; do # perf may crash, see above
			"$bench/load.sh" 13 &
			sleep 2
			rm -f "$work/$recorder-record.runs"
			timed "$recorder-record" \
				"$command record -a -g -F 1999 -o $work/$recorder.data -- sleep 10"
			wait
			count=$(count_samples "$work/$recorder.data")
			[ "$count" -eq 0 ] || break
			echo "    recording failed ($try)"
		done
		bytes=$(stat -c %s "$work/$recorder.data" 2>/dev/null || echo 0)
		echo "    $bytes bytes, $count samples"
		echo "$((bytes / (count > 0 ? count : 1))) 0 0 0 0" >"$work/$recorder-bytes"
		awk '{ print $2 + $3, 0, 0, 0, $5 }' "$work/$recorder-record" >"$work/$recorder-cpu"
	done
}

# The start and the end of a recording: `true` alone and recorded, by turns, in microseconds.
start_and_end() {
	program=$(type -P true)
	echo "+ $CUPEL record -o $work/true.data -- $program (21 times, beside $program)"
	for _ in $(seq 21); do
		begun=$(date +%s%N)
		"$program"
		between=$(date +%s%N)
		"$CUPEL" record -o "$work/true.data" -- "$program" >/dev/null 2>&1
		ended=$(date +%s%N)
		echo $(((between - begun) / 1000)) >>"$work/true-alone"
		echo $(((ended - between) / 1000)) >>"$work/true-recorded"
	done
}

median_ms() {
	sort -n "$1" | awk '{ value[NR] = $1 } END { printf "%.1f", value[int((NR + 1) / 2)] / 1000 }'
}

need perf /usr/bin/time gzip xz python3 perl cc "$CUPEL"
fp=$folder/fp.data
dwarf=$folder/dwarf.data
record_peer "$fp" "$samples" 12000 -g
record_peer "$dwarf" "$dwarf_samples" 999 --call-graph dwarf,8192
for file in "$fp" "$dwarf"; do
	echo "${file##*/}: $(count_samples "$file") samples, $(stat -c %s "$file") bytes"
done
for _ in 1 2 3; do
	show
	unwind
done
unwind_inlined
record
start_and_end
echo
ratio "flame graph: perf script | FlameGraph, time" perf-svg cupel-svg 1 40
ratio "flame graph: perf script alone, time" perf-script cupel-svg 1 10
ratio "flame graph: perf script, peak memory" perf-script cupel-svg 4 2
ratio "same without inlining: perf script | FlameGraph, time" perf-svg cupel-svg-plain 1 40
ratio "same without inlining: perf script alone, time" perf-script cupel-svg-plain 1 10
ratio "same without inlining: perf script, peak memory" perf-script cupel-svg-plain 4 2
ratio "report: perf report, time" perf-report cupel-report 1 4
ratio "unwinding, script: perf script --no-inline, time" perf-dwarf cupel-dwarf-script 1 10
ratio "unwinding, flame graph: perf script --no-inline, time" perf-dwarf cupel-dwarf 1 10
ratio "unwinding, flame graph: perf script, peak memory" perf-dwarf cupel-dwarf 4 2
ratio "with inlined functions, script: perf script, time" perf-inline cupel-inline-script 1 50
ratio "with inlined functions, flame graph: perf script, time" perf-inline cupel-inline 1 50
ratio "recording: bytes per sample" perf-bytes cupel-bytes 1 1
ratio "recording: own CPU time" perf-cpu cupel-cpu 1 2
ratio "recording: peak memory" perf-record cupel-record 4 2
goal "recording true, at most 1.5 times true and 50 ms" "$(median_ms "$work/true-recorded")" ms \
	"$(awk -v alone="$(median_ms "$work/true-alone")" 'BEGIN { print 1.5 * alone + 50 }')"
exit "$missed"
