#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel collapse against a corpus of real perf script texts with expected results (folder
# flamegraph-perf-script: INPUT.txt, results/INPUT-collapsed-OPTION.txt; results-head/ replaces
# stale ones), and inputs of inferno and speedscope, which must keep all their weight. CUPEL_CORPUS
# is the path of the corpus.
# sanitizers: yes
set -eu
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
corpus=${CUPEL_CORPUS:-$(dirname "$0")/../../../shared/corpus}
if [ ! -d "$corpus/flamegraph-perf-script" ]; then
	echo "no corpus at $corpus (set CUPEL_CORPUS)"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
fail() {
	echo "FAIL $*"
	status=1
}

cases=0
for input in "$corpus"/flamegraph-perf-script/perf-*.txt; do
	name=$(basename "$input" .txt)
	for option in pid tid kernel jit all addrs; do
		expected=$corpus/flamegraph-perf-script/results-head/$name-collapsed-$option.txt
		[ -f "$expected" ] || expected=${expected/results-head/results}
		"$CUPEL" collapse "--$option" "$input" >"$work/out" 2>"$work/err" ||
			fail "$name --$option: $(cat "$work/err")"
		diff "$expected" "$work/out" >"$work/diff" ||
			fail "$name --$option: $(head -c 600 "$work/diff")"
		cases=$((cases + 1))
	done
done
[ "$cases" -ge 54 ] || fail "only $cases expected results found"

# inferno's expected results keep a last stack without a blank line, and cut operator().
for name in go-stacks single-event cpp-stacks-std-function; do
	sed 's/::operator;/::operator();/' \
		"$corpus/inferno/collapse-perf/results/$name-collapsed.txt" | LC_ALL=C sort >"$work/expected"
	"$CUPEL" collapse --keep-unfinished "$corpus/inferno/collapse-perf/$name.txt" \
		>"$work/out" 2>"$work/err" || fail "$name: $(cat "$work/err")"
	diff "$work/expected" "$work/out" >"$work/diff" ||
		fail "inferno $name: $(head -c 600 "$work/diff")"
done

# The weight of the output equals that of the input: FILE EVENT-WEIGHT.
weight() {
	"$CUPEL" collapse --keep-unfinished --all-events "$1" 2>"$work/err" |
		awk '{ sum += $NF } END { printf "%.10g\n", sum }'
}
# shellcheck disable=SC2016 # awk's own $1
period_sum='
	/^[^#\t ].*[0-9]+\.[0-9]+:/ || /^ +[^ ]+ +[0-9]+ +[0-9.]+:/ {
		sub(/.*[0-9]+\.[0-9]+: */, ""); sum += $1 + 0 ? $1 : 1
	}
	END { printf "%.10g\n", sum }'
for input in "$corpus"/inferno/collapse-perf/{empty-line,go-stacks,single-event,single-line-stacks}.txt \
	"$corpus"/inferno/collapse-perf/cpp-stacks-std-function.txt \
	"$corpus"/speedscope/linux-perf/*.txt \
	"$corpus"/flamegraph-perf-script/perf-{dd-stacks,java-faults,cycles-instructions}-01.txt; do
	want=$(awk "$period_sum" "$input")
	got=$(weight "$input")
	[ "$got" = "$want" ] || fail "$(basename "$input"): weight $want became $got"
done
for input in "$corpus"/speedscope/stackcollapse/{alternating,recursion,simple,simple-crlf}.txt \
	"$corpus"/async-profiler/*.collapsed "$corpus"/significance/*.folded; do
	want=$(awk '{ sum += $NF } END { printf "%.10g\n", sum }' "$input")
	got=$(weight "$input")
	[ "$got" = "$want" ] || fail "$(basename "$input"): weight $want became $got"
done
[ "$(weight "$corpus/speedscope/stackcollapse/simple-utf16-le.txt")" = 14 ] || fail "UTF-16"
[ "$(weight "$corpus/flamegraph-perf-script/example-perf-stacks.txt.gz")" = 1315 ] || fail "example"

# Recordings of other tools load, or are an error with a reason.
for input in "$corpus"/perfdata-*/*.data*; do
	code=0
	"$CUPEL" collapse --all-events "$input" >"$work/out" 2>"$work/err" || code=$?
	if [ "$code" -gt 1 ] || { [ "$code" -eq 1 ] && [ ! -s "$work/err" ]; }; then
		fail "$(basename "$input"): status $code: $(head -c 600 "$work/err")"
	fi
done

if "$CUPEL" collapse "$corpus/inferno/collapse-perf/no-events.txt" 2>"$work/err"; then
	fail "an empty input was accepted"
fi
exit $status
