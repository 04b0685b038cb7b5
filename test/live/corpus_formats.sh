#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Real profiles of many tools: cupel collapse gives the same results as other folding scripts and
# importers. Every input either loads or is an error with a reason. Loaded profiles keep their weight in
# other formats. CUPEL_CORPUS is the path of the corpus (see its MANIFEST.md).
set -eu
corpus=${CUPEL_CORPUS:-$(dirname "$0")/../../../shared/corpus}
if [ ! -d "$corpus/speedscope" ]; then
	echo "no corpus at $corpus (set CUPEL_CORPUS)"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
status=0
fail() {
	echo "FAIL $*"
	status=1
}

# same EXPECTED OUTPUT: as sets of lines.
same() {
	tr -d '\r' <"$1" | grep -v ' 0$' | sort >"$work/expected"
	sort "$2" >"$work/got"
	diff "$work/expected" "$work/got" >"$work/diff" || fail "$1: $(head -c 600 "$work/diff")"
}
fold() {
	"$CUPEL" collapse "$@" 2>/dev/null >"$work/out" || fail "collapse $*"
}

inferno=$corpus/inferno
fold "$corpus/flamegraph-other/example-dtrace-stacks.txt"
same "$inferno/collapse-dtrace/results/dtrace-example.txt" "$work/out"
fold "$inferno/collapse-dtrace/java.txt"
same "$inferno/collapse-dtrace/results/java.txt" "$work/out"
fold --whole-names "$inferno/collapse-ghcprof/ticks.prof"
same "$inferno/collapse-ghcprof/results/ticks_ticks.txt" "$work/out"
fold --whole-names --event-filter alloc "$inferno/collapse-ghcprof/ticks.prof"
same "$inferno/collapse-ghcprof/results/ticks_bytes.txt" "$work/out"
fold --whole-names "$inferno/collapse-ghcprof/percent.prof"
same "$inferno/collapse-ghcprof/results/percent.txt" "$work/out"
fold --whole-names --event-filter time "$inferno/collapse-ghcprof/ticks.prof"
same "$inferno/collapse-ghcprof/results/ticks.txt" "$work/out"
fold --includeoffset "$corpus/flamegraph-other/example-dtrace-stacks.txt"
same "$inferno/collapse-dtrace/results/dtrace-example-offsets.txt" "$work/out"
fold --includeoffset "$inferno/collapse-dtrace/flamegraph-bug.txt"
same "$inferno/collapse-dtrace/results/flamegraph-bug.txt" "$work/out"
# The other tool cuts names at some type parameters, counts only the last of equal stacks, omits idle
# functions, and subtracts the calls of the last callee. cupel keeps all weights.
total() { # WANTED FILE
	[ "$(awk '{ sum += $NF } END { printf "%.0f\n", sum }' "$2")" = "$1" ] || fail "$2 is not $1 in all"
}
stacks_of() {
	tr -d '\r' <"$1" | grep -v ' 0$' | sed 's/ [0-9]*$//' | sort -u
}
fold "$inferno/collapse-dtrace/stack-ustack.txt"
total "$(awk '{ sum += $NF } END { print sum }' "$inferno/collapse-dtrace/results/stack-ustack.txt")" "$work/out"
fold --whole-names "$inferno/collapse-sample/sample.txt"
total "$(sed -nE 's/^    ([0-9]+) Thread_.*/\1/p' "$inferno/collapse-sample/sample.txt" | awk '{ sum += $1 } END { print sum }')" "$work/out"
stacks_of "$inferno/collapse-sample/results/sample-default.txt" >"$work/expected"
stacks_of "$work/out" >"$work/got"
[ -z "$(comm -23 "$work/expected" "$work/got")" ] || fail "sample.txt: a stack is missing"
fold --whole-names "$inferno/collapse-vsprof/CallTreeSummary.csv"
total "$(sed -E 's/^[0-9]+,"[^"]*",("([0-9,]+)"|([0-9]+)),.*/\2\3/; s/,//g' "$inferno/collapse-vsprof/CallTreeSummary.csv" | awk 'NR > 2 { sum += $1 } END { printf "%.0f\n", sum }')" "$work/out"
stacks_of "$inferno/collapse-vsprof/results/vsprof-default.txt" >"$work/expected"
stacks_of "$work/out" >"$work/got"
[ -z "$(comm -23 "$work/expected" "$work/got")" ] || fail "CallTreeSummary.csv: a stack is missing"
fold --merge-recursion "$inferno/collapse-recursive/basic.txt"
same "$inferno/collapse-recursive/results/basic-collapsed.txt" "$work/out"
fold --all-events "$inferno/collapse-perf/single-line-stacks.txt"
same "$inferno/collapse-perf/results/single-line-stacks-collapsed.txt" "$work/out"
# cupel's weights are times, the other tool's are samples of a millisecond.
fold --whole-names --no-comm "$inferno/collapse-xctrace/basic.xml"
sed 's/000000$//' "$work/out" >"$work/ms"
same "$inferno/collapse-xctrace/results/basic.folded" "$work/ms"
# The other tool rounds the time of a line to milliseconds.
fold --whole-names "$inferno/collapse-vtune/vtune.csv"
awk '{ ms = int($NF / 1e6 + 0.5); sub(/ [0-9]+$/, ""); print $0, ms }' "$work/out" >"$work/ms"
same "$inferno/collapse-vtune/results/vtune-default.txt" "$work/ms"

# Flame graphs drawn by other tools: the total in the picture.
pictures=0
for picture in "$inferno"/flamegraph/*/*.svg; do
	want=$(grep -o 'total_samples="[0-9]*"' "$picture" | tr -dc 0-9)
	[ -n "$want" ] || continue # without frames
	fold "$picture"
	total "$want" "$work/out"
	pictures=$((pictures + 1))
done
[ "$pictures" -ge 25 ] || fail "only $pictures flame graphs found"

# pprof's own sums of its legacy profiles: the last column of every sample.
for name in cppbench.contention cppbench.cpu cppbench.heap cppbench.thread cppbench.thread.none gobench.cpu gobench.heap java.cpu; do
	"$CUPEL" collapse "$corpus/pprof/$name" >"$work/out" 2>"$work/err" || fail "$name: $(cat "$work/err")"
	! grep -q 'unrecognized' "$work/err" || fail "$name: $(cat "$work/err")"
	total "$(sed -n '/^Samples:/,/^Locations/p' "$corpus/pprof/$name.string" |
		awk -F : 'NR > 2 && /^ *[0-9]/ { n = split($1, value, " "); sum += value[n] } END { printf "%.0f\n", sum }')" "$work/out"
done

# speedscope's importers: the sum of all stacks, in nanoseconds. FILE EXPECTED-SNAPSHOT
sum() {
	awk '{ sum += $NF } END { printf "%.0f\n", sum }'
}
snapshot_sum() {
	sed -n '/"stacks"/,$p' "$@" | sed -n 's/^    "\(.*\) \([0-9.]*\)\([^ 0-9.]*\)",$/\1\t\2\t\3/p' |
		awk -F '\t' 'BEGIN { unit["ns"] = 1; unit["µs"] = 1e3; unit["ms"] = 1e6; unit["s"] = 1e9; unit[""] = 1 }
			$1 != "" { sum += $2 * unit[$3] } END { printf "%.0f\n", sum }'
}
fold "$corpus/speedscope/haskell/simple.prof"
total 798 "$work/out" # there they are milliseconds
cases=0
for input in "$corpus"/speedscope/trace-event/*.json; do
	name=$(basename "$input")
	case $name in mismatched-name.json) continue ;; esac # nothing in it ever ended
	"$CUPEL" collapse "$input" 2>/dev/null | sum >"$work/got"
	snapshot_sum "$corpus/speedscope/expected/trace-event/$name".[0-9].txt >"$work/expected"
	# importers print two digits after the decimal point
	awk -v got="$(cat "$work/got")" -v want="$(cat "$work/expected")" \
		'BEGIN { exit !(got >= want * 0.999 && got <= want * 1.001) }' ||
		fail "$name: $(cat "$work/got") ns, speedscope has $(cat "$work/expected")"
	cases=$((cases + 1))
done
[ "$cases" -ge 17 ] || fail "only $cases traces found"
for name in callgrind.example callgrind.name-compression callgrind.subposition-compression; do
	fold "$corpus/speedscope/callgrind/$name.log"
	printf '%s\n' 'main 20' 'main;func1 100' 'main;func1;func2 300' 'main;func2 400' >"$work/want"
	same "$work/want" "$work/out"
done

# Every input loads or has an error message; weights survive every format with weights.
loaded=0 refused=0
convert() {
	for format in pprof speedscope firefox chrome-trace perf-script; do
		# Text repeats the stack of each sample: 84 MB for 1 MB of JSON, so there is no memory limit.
		"$CUPEL" convert --trust --format $format "$1" -o "$work/converted" 2>"$work/err" ||
			fail "$1 as $format: $(cat "$work/err")"
		"$CUPEL" collapse --all-events "$work/converted" 2>/dev/null | sum >"$work/got"
		cmp -s "$work/got" "$work/weight" ||
			fail "$1 as $format: $(cat "$work/got"), not $(cat "$work/weight")"
	done
}
for input in "$corpus"/{async-profiler,d3-flame-graph,firefox-profiler,flamelens,pprof,significance}/* \
	"$corpus"/flamescope/* "$corpus"/inferno/collapse-*/* "$corpus"/speedscope/{haskell,papyrus,pmcstat,pprof,stackcollapse}/* \
	"$corpus"/speedscope/{Chrome,Firefox,Instruments,speedscope}/*/* "$corpus"/speedscope/{stackprof,linux-perf}/*; do
	[ -f "$input" ] || continue
	case $input in *.string | *.tsv | *.TSV | *expected*) continue ;; esac
	if "$CUPEL" collapse --all-events --keep-unfinished "$input" >"$work/out" 2>"$work/err"; then
		loaded=$((loaded + 1))
		sum <"$work/out" >"$work/weight"
		case $input in
		*async-profiler* | */speedscope/0* | *inferno/collapse-[dsx]* | *firefox-profiler/*gz | *cpuprofile) convert "$input" ;;
		esac
	else
		refused=$((refused + 1))
		grep -q '^cupel: .*: .' "$work/err" || fail "$input: refused without a reason"
		! grep -qi 'sanitizer\|signal' "$work/err" || fail "$input: $(head -c 300 "$work/err")"
	fi
done
[ "$loaded" -ge 85 ] || fail "only $loaded inputs load"
echo "$loaded inputs load, $refused are refused with a reason"
exit $status
