#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Flame graphs against FlameGraph, and how the viewer holds out: folding, drawing, a page of a
# million distinct stacks in headless Chromium, comparing two large recordings. Prints what was
# timed, then the goals; exit status 1 when one is missed.
#
# Environment: CUPEL; BENCH_SCRIPT, texts of perf script of 250 MB or more to fold beside those made
# here (of recordings, say: perf record -a -g, perf script --no-inline); FLAMEGRAPH_DIR, a checkout of
# FlameGraph, without which its rows are left out; INFERNO, inferno-flamegraph, likewise ("cargo
# install inferno" brings it; default: the one in PATH); BENCH_STACKS
# (1000000), distinct stacks of the page; BENCH_LIMIT (600), seconds after which a command is stopped;
# BENCH_BEFORE and BENCH_AFTER, recordings to compare, which are else made with bench/load.sh. Without
# chromium and chromedriver the times of the viewer are left out.
set -u
export LC_ALL=C
bench=$(cd "$(dirname "$0")" && pwd)
stacks=${BENCH_STACKS:-1000000}
limit=${BENCH_LIMIT:-600} # timing.bash reads it, and runs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
missed=0
runs=1
inferno=${INFERNO:-$(command -v inferno-flamegraph)}
# shellcheck source=bench/timing.bash
. "$bench/timing.bash"

# --- folding: perf script text → folded stacks

# 250 MB and more: a text that does not repeat itself, FlameGraph's example over and over, BENCH_SCRIPT.
fold() {
	"$work/stacks" 60000 300000 >"$work/made.txt"
	texts="$work/made.txt"
	if [ -r "${FLAMEGRAPH_DIR:-}/example-perf-stacks.txt.gz" ]; then
		gzip -dc "$FLAMEGRAPH_DIR/example-perf-stacks.txt.gz" >"$work/once.txt"
		for _ in $(seq 82); do cat "$work/once.txt"; done >"$work/example.txt"
		texts="$texts $work/example.txt"
	fi
	texts="$texts ${BENCH_SCRIPT:-}"
	sync # writing them to disk shall not disturb
	runs=3
	for text in $texts; do
		name=$(basename "$text")
		echo "$name: $(stat -c %s "$text") bytes"
		cat "$text" >/dev/null # warm
		timed "fold-one-$name" "taskset -c 0 $CUPEL collapse $text"
		timed "fold-all-$name" "$CUPEL collapse $text"
		stat -c %s "$text" >"$work/size-$name"
	done
	runs=1
	head -c 60000000 "$work/made.txt" >"$work/part.txt"
	[ -z "${FLAMEGRAPH_DIR:-}" ] || for _ in 1 2 3; do
		timed fold-perl "$FLAMEGRAPH_DIR/stackcollapse-perf.pl $work/part.txt"
		timed fold-part "taskset -c 0 $CUPEL collapse --keep-unfinished $work/part.txt"
	done
	rm -f "$work/made.txt" "$work/example.txt" "$work/part.txt" "$work/once.txt"
}

judge_fold() {
	for text in $texts; do
		name=$(basename "$text")
		bytes=$(cat "$work/size-$name")
		least "folding $name: per CPU second, one core" \
			"$(awk -v bytes="$bytes" '{ printf "%.2f", bytes / 1e9 / ($2 + $3) }' \
				"$work/fold-one-$name")" GB 1
		awk -v what="folding $name: one core / all cores" \
			'NR == FNR { one = $1; next } { printf "%-58s %9.2f x\n", what, one / $1 }' \
			"$work/fold-one-$name" "$work/fold-all-$name"
	done
	[ -z "${FLAMEGRAPH_DIR:-}" ] ||
		ratio "folding, against stackcollapse-perf.pl (60 MB)" fold-perl fold-part 1 20
}

# --- drawing: folded stacks → SVG

draw() {
	"$work/stacks" 60000 | sort >"$work/small.folded" # as stackcollapse-perf.pl prints them
	"$work/stacks" 100000 >"$work/100k.folded" # as they came
	echo "small.folded: 60000 stacks, $(stat -c %s "$work/small.folded") bytes"
	for _ in 1 2 3; do # in turns: the speed of a shared machine changes by the minute
		timed draw-cupel "$CUPEL flamegraph -o $work/small.svg $work/small.folded"
		[ -z "${FLAMEGRAPH_DIR:-}" ] ||
			timed draw-perl "$FLAMEGRAPH_DIR/flamegraph.pl $work/small.folded"
		[ -z "$inferno" ] || draw_beside_inferno small 100k
	done
}

# In turns, too. view() draws the page of "$stacks" stacks.
draw_beside_inferno() {
	for name; do
		timed "draw-inferno-$name" "$inferno $work/$name.folded"
		timed "draw-cupel-$name" "$CUPEL flamegraph -q -o $work/drawn.svg $work/$name.folded"
	done
}

judge_draw() {
	for name in ${inferno:+small 100k large}; do
		ratio "folded -> SVG, $name, against inferno: time" "draw-inferno-$name" \
			"draw-cupel-$name" 1 1
		ratio "folded -> SVG, $name, against inferno: memory" "draw-inferno-$name" \
			"draw-cupel-$name" 4 1
	done
	[ -z "${FLAMEGRAPH_DIR:-}" ] ||
		ratio "folded -> SVG, against flamegraph.pl" draw-perl draw-cupel 1 20
}

# --- the viewer: a million stacks in one page

view() {
	"$work/stacks" "$stacks" >"$work/large.folded"
	echo "large.folded: $stacks stacks, $(stat -c %s "$work/large.folded") bytes"
	timed page "$CUPEL flamegraph -o $work/large.html $work/large.folded"
	[ -z "$inferno" ] || draw_beside_inferno large
	rm "$work/large.folded"
	if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then
		python3 "$bench/flame_open.py" "$work/large.html" "$work/small.svg" >"$work/view"
		cat "$work/view"
	fi
}

# of NAME: the number that flame_open.py printed for it.
of() {
	awk -v name="$1" '$1 == name { print $2 }' "$work/view"
}

judge_view() {
	goal "page of $stacks stacks: made in" "$(cut -d ' ' -f 1 "$work/page")" s 3
	goal "page of $stacks stacks: memory" \
		"$(awk '{ printf "%.0f", $4 / 1024 }' "$work/page")" MB 500
	goal "page of $stacks stacks: size" \
		"$(stat -c %s "$work/large.html" | awk '{ printf "%.2f", $1 / 1e6 }')" MB 8
	[ -s "$work/view" ] || return
	goal "page: opened and drawn" "$(of open)" ms 1000
	goal "page: zoom, slowest of 10" "$(of zoom)" ms 100
	goal "page: search, slowest of 10" "$(of search)" ms 100
	goal "SVG of 60000 stacks: opened and drawn" "$(of svg)" ms 1000
}

# --- comparing: two recordings of half a million samples each

compare() {
	before=${BENCH_BEFORE:-$work/before.data}
	after=${BENCH_AFTER:-$work/after.data}
	for recording in "$before" "$after"; do
		[ -s "$recording" ] || "$CUPEL" record -q -a -g -F 15000 -o "$recording" -- \
			"$bench/load.sh" $((500000 / 15000 / $(nproc) + 2)) >/dev/null 2>&1 || return
	done
	runs=3
	timed diff "$CUPEL diff $before $after"
	runs=1
}

judge_compare() {
	if [ ! -s "$work/diff" ]; then
		echo "diff of two recordings: not measured (needs root, or BENCH_BEFORE and BENCH_AFTER)"
		return
	fi
	goal "diff of two recordings of 500k samples" "$(cut -d ' ' -f 1 "$work/diff")" s 1
}

need cc python3 /usr/bin/time
cc -O2 -o "$work/stacks" "$bench/flame_stacks.c"
fold
draw
view
compare
echo
judge_fold
judge_draw
judge_view
judge_compare
exit "$missed"
