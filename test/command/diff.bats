#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel diff: inputs, exit statuses of the gate, messages on standard error.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf 'app;parse 4000\napp;render 6000\n' >before
	printf 'app;parse 5000\napp;render 5000\n' >after
	printf 'app;parse 40\napp;render 60\n' >few
}

@test "separates changes from noise" {
	run --separate-stderr "$CUPEL" diff before after
	[ "$status" -eq 0 ]
	[[ $output == *"+10.00 ["*"parse"* ]]
	[[ $output == *"detectable"* ]]
	run "$CUPEL" diff before before
	[[ $output == *"0 of 3 tests of functions changed"* ]]
	[[ $output != *parse* ]]
	run "$CUPEL" diff --all few after
	[[ $output == *"~parse"* ]]
}

@test "the gate has three outcomes" {
	run "$CUPEL" diff --fail-on 'self(parse)>5%' before after
	[ "$status" -eq 3 ]
	[[ $output == *"self(parse)>5%: broken: parse +10.000 points"* ]]
	run "$CUPEL" diff --fail-on 'self(parse)>20%' --fail-on 'new>1%' before after
	[ "$status" -eq 0 ]
	run "$CUPEL" diff --fail-on 'self(parse)>5%' few after
	[ "$status" -eq 4 ]
	[[ $output == *inconclusive* ]]
	run "$CUPEL" diff --fail-on 'self(render)<-5%' --fail-on 'total>20%' before after
	[ "$status" -eq 3 ]
	run "$CUPEL" diff --fail-on 'self(pares)>5%' before after
	[ "$status" -eq 2 ]
	[[ $output != *kept* ]]
	[[ $output == *"no such function"* ]]
	run "$CUPEL" diff --fail-on 'self(pares)>5%' --fail-on 'self(parse)>5%' before after
	[ "$status" -eq 3 ]
	run "$CUPEL" diff --fail-on 'self(parse)' before after
	[ "$status" -eq 2 ]
	[[ $output == *"missing > or <"* ]]
}

@test "the defaults are those of perf diff" {
	run "$CUPEL" diff
	[ "$status" -eq 1 ]
	[[ $output == *"perf.data.old: no such file"* ]]
	[[ $output == *"name two inputs"* ]]
	cp before perf.data.old
	cp after perf.data
	[[ $("$CUPEL" diff) == *"before perf.data.old, 10000"* ]]
	[[ $("$CUPEL" diff before) == *"after  before, 10000"* ]]
}

@test "sets of runs" {
	printf 'app;parse 4020\napp;render 5980\n' >before2
	printf 'app;parse 4980\napp;render 5020\n' >after2
	run "$CUPEL" diff --before before before2 --after after after2
	[ "$status" -eq 0 ]
	[[ $output == *"before before, 2 runs, 20000 samples"* ]]
	run "$CUPEL" diff --before before before2 --after after
	[ "$status" -eq 0 ]
	run "$CUPEL" diff --before before
	[ "$status" -eq 2 ]
	run "$CUPEL" diff before after few
	[ "$status" -eq 2 ]
	[[ $output == *--before* ]]
	run "$CUPEL" diff few --before before --after after
	[ "$status" -eq 2 ]
}

@test "folded output equals that of difffolded.pl; whole numbers stay whole" {
	printf 'x;small 1\nx;big 1000\n' >one
	printf 'x;small 1\nx;big 300\n' >two
	[ "$("$CUPEL" diff --format folded one two)" = "$(printf 'x;big 1000 300\nx;small 1 1')" ]
	run "$CUPEL" diff --format folded -n one two
	[ "${lines[1]%% 1}" = 'x;small 0.300699300699301' ]
	printf 'x;0x12ab;f 1\nx;0x77;f 2\n' >one
	[ "$("$CUPEL" diff --format folded -s one two | grep 0x)" = 'x;0x...;f 3 0' ]
}

@test "JSON is valid and has the rows" {
	"$CUPEL" diff --json before after >out.json
	python3 - <<-'END'
		import json
		d = json.load(open("out.json"))
		e = d["events"][0]
		assert d["cupel"] == 1 and d["warnings"] == [] and len(e["rows"]) == 3
		row = {"/".join(r["path"]): r for r in e["rows"]}["app/parse"]
		assert row["change"] == "grew" and row["self"]["significant"]
		lo, hi = row["inclusive"]["interval"]
		assert lo < row["inclusive"]["delta"] < hi and abs(row["inclusive"]["delta"] - 0.1) < 1e-9
	END
	[ "$("$CUPEL" diff --format json before after)" = "$(cat out.json)" ]
}

@test "a recording equals its own folded text" {
	for i in 1 2 3; do
		printf 'app 1/1 1.%d: 1000003 cpu-clock: \n\t20 f+0x1 (/bin/a)\n\t30 app (/bin/a)\n\n' $i
	done >text
	for i in 4 5; do
		printf 'sh 2/2 1.%d: 1000003 cpu-clock: \n\t40 g+0x1 (/bin/sh)\n\n' $i
	done >>text
	"$CUPEL" collapse text >folded
	[ "$(wc -l <folded)" -eq 2 ]
	for options in "" --reverse --no-comm; do
		for inputs in "text folded" "folded text"; do
			run "$CUPEL" diff $options --all $inputs
			[ "$status" -eq 0 ]
			[[ $output == *"0 of "*" tests of functions changed"* ]]
			[[ $output != *"  new  "* ]]
			[[ $output != *"  gone  "* ]]
			[[ $output != *"a sample stands for"* ]]
		done
	done
	[[ $("$CUPEL" diff --no-comm --paths --all text folded) != *"sh;g"* ]]
	[[ $("$CUPEL" diff --paths --all text folded) == *"app;app;f"* ]]
}

@test "events are compared one by one" {
	for event in cycles faults; do
		printf 'a 1/1 1.5: 1 %s: \n\t20 f+0x1 (/bin/a)\n\n' "$event"
	done >both
	printf 'a 1/1 1.5: 1 cycles: \n\t20 f+0x1 (/bin/a)\n\n' >one
	run "$CUPEL" diff both one
	[[ $output == *"event faults exists only before"* ]]
	[ "$("$CUPEL" diff --json both both | grep -o '"name":"[a-z]*"' | tr '\n' ' ')" = \
		'"name":"cycles" "name":"faults" ' ]
	run "$CUPEL" diff -e faults both one
	[ "$status" -eq 1 ]
	[[ $output == *"no event 'faults'"* ]]
}

# Weights of waits in ns: not counts, no common divisor.
@test "weights that are not sample counts have shares but no verdicts" {
	printf 'app;parse 4012345\napp;render 6054321\n' >a
	printf 'app;parse 5098765\napp;render 5043211\n' >b
	run "$CUPEL" diff a b
	[ "$status" -eq 0 ]
	[[ $output == *"no verdicts: "*"--sample-weight"* ]]
	[[ $output == *"+10.4"*"parse"* ]]
	run "$CUPEL" diff --fail-on 'self(parse)>5%' a b
	[ "$status" -eq 4 ]
	[[ $output == *"cannot tell"* ]]
	"$CUPEL" diff --json a b 2>/dev/null | grep -q '"verdicts":false'
	run "$CUPEL" diff --sample-weight 1000 --fail-on 'self(parse)>5%' a b
	[ "$status" -eq 3 ]
}

@test "folded times at a fixed rate become samples by their common divisor" {
	printf 'app;parse %d\napp;render %d\n' $((43 * 10101010)) $((57 * 10101010)) >a
	printf 'app;parse %d\napp;render %d\n' $((41 * 10101010)) $((59 * 10101010)) >b
	run "$CUPEL" diff a b
	[[ $output == *"before a, 100 samples, weight 1.0101e+09"* ]]
	[[ $output == *"0 of 3 tests"* ]]
}

@test "collapse --header writes the unit of weights" {
	printf 'a 1/2 1.0: 1000 cycles: \n\t1 f (/a)\n\na 1/2 1.1: 3000 cycles: \n\t2 g (/a)\n\n' >text
	"$CUPEL" collapse --header text >folded
	[ "$(head -n 1 folded)" = "# cupel: event=cycles unit= period=2500.000 samples=2" ]
	[ "$("$CUPEL" collapse text)" = "$(tail -n +2 folded)" ]
	run "$CUPEL" diff folded folded
	[[ $output == *"event  cycles"* ]]
	[[ $output != *"no verdicts"* ]]
	! "$CUPEL" collapse text | grep '^#'
}

@test "rejects a comparison as input" {
	"$CUPEL" diff before after >text
	run "$CUPEL" collapse text
	[ "$status" -eq 1 ]
	[[ $output == *"a comparison by cupel diff: give its inputs"* ]]
}
