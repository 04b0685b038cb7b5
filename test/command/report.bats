# SPDX-License-Identifier: GPL-2.0-or-later
# cupel report: usage errors, inputs and outputs. Golden cases test the layouts.

setup() {
	export CUPEL_PAGER= # a test may run in a terminal
	cd "$BATS_TEST_TMPDIR" || return 1
	printf 'app;main;a 3\napp;main;b 1\n' >input.folded
}

@test "report: an unknown sort key is a usage error that lists the known keys" {
	run "$CUPEL" report -i input.folded --sort comm,nonsense
	[ "$status" -eq 2 ]
	[[ $output == *"unknown sort key 'nonsense'"* ]]
	[[ $output == *"known:"*symbol* ]]
}

@test "report: an invalid word of -g is a usage error" {
	run "$CUPEL" report -i input.folded -g nonsense
	[ "$status" -eq 2 ]
	[[ $output == *"nonsense"* ]]
}

@test "report: a missing or empty input, or one in an unknown format, is an error" {
	run "$CUPEL" report -i missing.data
	[ "$status" -eq 1 ]
	[[ $output == *"missing.data: No such file or directory"* ]]
	: >empty
	run "$CUPEL" report -i empty
	[ "$status" -eq 1 ]
	run "$CUPEL" report -i /bin/true
	[ "$status" -eq 1 ]
	[[ $output == *"unknown profile format"* ]]
}

@test "report: the input is an argument, an option or standard input" {
	"$CUPEL" report input.folded >word
	"$CUPEL" report -i input.folded >option
	"$CUPEL" report - <input.folded >stdin
	cmp word option
	cmp word stdin
}

@test "report: -o writes the table to a file" {
	run "$CUPEL" report -i input.folded -o out --stdio
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	grep -q '75.00%' out
}

@test "report: --json prints valid JSON with the version" {
	"$CUPEL" report -i input.folded --json >out.json
	python3 -c 'import json, sys; assert json.load(open("out.json"))["cupel"] == 1'
}

@test "report: --header needs a recording" {
	run "$CUPEL" report -i input.folded --header-only
	[ "$status" -eq 1 ]
}

@test "report: --stacks lists the causes of incomplete stacks, as text and as JSON" {
	run "$CUPEL" report --stacks -i "$BATS_TEST_DIRNAME/../golden/report/stacks/input.script"
	[ "$status" -eq 0 ]
	[[ "$output" == "# Stacks of event 'cpu-clock'"* ]]
	run "$CUPEL" report --stacks --json \
		-i "$BATS_TEST_DIRNAME/../golden/report/stacks/input.script"
	[ "$status" -eq 0 ]
	[ "$output" = '{"cupel":1,"stacks":[{"name":"cpu-clock","total":0,"complete":0,"broken":[]}]}' ]
}

@test "report: --tree, --markdown and --find print text" {
	"$CUPEL" report --tree -i input.folded >out
	grep -q '^100.00%' out
	"$CUPEL" report --markdown -i input.folded >out
	grep -q '^### Functions' out
	run "$CUPEL" report --find nothing_of_that_name -i input.folded
	[ "$status" -eq 0 ]
	[[ "$output" == "  0.00 %  of "* ]]
	run "$CUPEL" report --find '(' -i input.folded
	[ "$status" -eq 1 ]
}

@test "report: confidence intervals are in comments, in JSON, and in columns on request" {
	"$CUPEL" report -g none --no-children input.folded >plain
	grep -qx '# 95% intervals (Wilson): of 4 samples; a share of 10% is .*' plain
	# A line of weight 1 is a sample, however often its stack is there.
	for stack in a b c d; do yes "main;$stack 1" | head -n 40000; done >lines.folded
	"$CUPEL" report -g none lines.folded | grep -q '^# 95% intervals (Wilson): of 160000 samples'
	grep -q '^# Warning: only 4 samples: 50% can be 15 to 85%, and what was not seen up to 49%' plain
	grep -q '^# Overhead  Command ' plain
	"$CUPEL" report -g none --interval input.folded >columns
	grep -q '^# Children  95% interval      Self  95% interval  Command' columns
	grep -qE '^ +75.00% +30.1-95.4% +75.00% +30.1-95.4% .* a$' columns
	"$CUPEL" report -g none -q --fields overhead,overhead_interval,sym input.folded | grep -qE '75.00% +30.1-95.4%'
	"$CUPEL" report --no-interval input.folded >none
	[ "$(grep -c '95%\|Warning' none)" -eq 0 ]
	"$CUPEL" report --json input.folded | grep -q '"self_interval":\[0.300642,0.954413\]'
	for words in "--sort comm" "--fields sym"; do
		run "$CUPEL" report --json $words input.folded
		[ "$status" -eq 2 ]
		[[ $output == *"--json: rows are by command"* ]]
	done
	"$CUPEL" report --json --no-interval input.folded >none
	[ "$(grep -c 'interval\|effective' none)" -eq 0 ]
}

@test "report: on a terminal intervals have columns, except with perf's options for scripts" {
	script -qc "'$CUPEL' report --stdio -g none input.folded" /dev/null | grep -q '95% interval  Command'
	for words in '-t ,' '-q' '-F overhead,sym'; do
		[ "$(script -qc "'$CUPEL' report --stdio -g none $words input.folded" /dev/null | grep -c '95% interval  ')" -eq 0 ]
	done
}

@test "-s time has the digits of perf" {
	printf 'a 1/1 30327.234567: 1 cycles: \n\t20 f+0x1 (/bin/a)\n\n' >in.txt
	run "$CUPEL" report --stdio -s time -i in.txt
	[[ $output == *"100.00%  30327.200000"* ]]
}

# Three stacks: main;work;leaf and main;work twice.
stacks() {
	printf 'main;work;leaf 1\nmain;work 2\n'
}

@test "relative shares of functions are at most 100 %" {
	stacks >in.folded
	run "$CUPEL" report --stdio -g none -s symbol --percentage relative -S work -i in.folded
	[[ $output == *"  100.00%    66.67%"* ]]
	run "$CUPEL" report --stdio -g none -s symbol --percentage relative -S leaf -i in.folded
	[[ $output == *"  100.00%   100.00%"* ]]
	run "$CUPEL" report --stdio --no-children -g none -s symbol --percentage relative -S work -i in.folded
	[[ $output == *"  100.00%"* ]]
}

@test "-F without the column children sorts by own shares" {
	stacks >in.folded
	run "$CUPEL" report --stdio -g none -q -F overhead,sym -i in.folded
	[[ ${lines[0]} == *"66.67%"*work* ]]
	[[ $output != *main* ]]
}

@test "--max-stack 0 leaves callers out" {
	"$CUPEL" record -q -o chains.data -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done' ||
		skip "cannot record here"
	run "$CUPEL" report --stdio -g none -i chains.data
	[[ $output == *"Children      Self"* ]]
	run "$CUPEL" report --stdio --max-stack 0 -i chains.data
	[ "$status" -eq 0 ]
	[[ $output == *"# Overhead"* && $output != *"---"* ]]
}

@test "filters that nothing passes are an error" {
	printf 'a;b 70\na;c 30\n' >in.folded
	for filter in '--comms nosuch' '-S nosuch' '-d nosuch'; do
		run "$CUPEL" report --stdio $filter -i in.folded
		[ "$status" -eq 1 ]
		[[ $output == *"none of 100 samples matches the filters"* ]]
	done
}

@test "report: on a terminal the text ends with how to see the code of a function" {
	"$CUPEL" record -o code.data -e cpu-clock -- sh -c 'i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done' 2>/dev/null
	script -qc "'$CUPEL' report --stdio -i code.data" /dev/null | tr -d '\r' | tail -n 1 >last
	grep -q '^# the code of a function: cupel annotate FUNCTION, or without --stdio the key a$' last
	for words in '-q' '-t ,' '--sort comm'; do
		[ "$(script -qc "'$CUPEL' report --stdio $words -i code.data" /dev/null | grep -c 'cupel annotate')" -eq 0 ]
	done
	[ "$("$CUPEL" report --stdio -i code.data | grep -c 'cupel annotate')" -eq 0 ]
}
