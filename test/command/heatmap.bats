#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel heatmap, and time ranges in other commands: inputs with and without times.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	for i in 1 2 3 4; do
		printf 'app 1/1 10%s.5: 7 cycles: \n\t20 f%s+0x1 (/bin/a)\n\n' "$i" "$i"
	done >timed
	printf 'a;b 1\n' >folded
}

@test "the page is self-contained" {
	run --separate-stderr "$CUPEL" heatmap timed
	[ "$status" -eq 0 ]
	[[ $output == *"default-src 'none'"* ]]
	[[ $output == *'id="samples"'* ]]
	[[ ${output//http:\/\/www.w3.org\//} != *http:* ]]
	[[ $output != *eval\(* ]]
	"$CUPEL" heatmap --title 'T <&' -o out.html - <timed
	grep -q '<title>T &lt;&amp;' out.html
}

@test "rejects profiles without times" {
	run "$CUPEL" heatmap folded
	[ "$status" -eq 1 ]
	[[ $output == *"folded: the samples have no times"* ]]
	run "$CUPEL" heatmap -e faults timed
	[ "$status" -eq 1 ]
	run "$CUPEL" heatmap timed folded
	[ "$status" -eq 2 ]
}

@test "a time range in percent of a stream, which gives its length at the end" {
	stream="$BATS_TEST_DIRNAME/../fuzz/seeds/perf_data/pipe"
	weight() {
		"$CUPEL" collapse "$@" "$stream" 2>log | awk '{ sum += $NF } END { print sum }'
	}
	whole=$(weight) first=$(weight --time 0%-50%) second=$(weight --time 50%-100%)
	[ "$first" -gt 0 ]
	[ "$second" -gt 0 ]
	[ "$((first + second))" -eq "$whole" ]
}

@test "only samples in the time range are drawn and folded" {
	run "$CUPEL" collapse --time 102,103.9 timed
	[ "$output" = "$(printf 'app;f2 7\napp;f3 7')" ]
	run "$CUPEL" collapse --time 0%-40% timed
	[ "$output" = "$(printf 'app;f1 7\napp;f2 7')" ]
	"$CUPEL" flamegraph --time 103, -o out.svg timed
	grep -q '>f3 (' out.svg
	run ! grep -q '>f2 (' out.svg
	run "$CUPEL" collapse --time 1,2 folded
	[ "$status" -eq 1 ]
	[[ $output == *"no times"* ]]
	run "$CUPEL" flamegraph --comms other timed
	[[ $output == *"none of 4 samples matches the filters"* ]]
	"$CUPEL" diff --time 102,104 --format folded timed timed >out
	[ "$(cat out)" = "$(printf 'app;f2 7 7\napp;f3 7 7')" ]
}

@test "a page does not get the name of an SVG" {
	run "$CUPEL" heatmap -o heat.svg timed
	[ "$status" -eq 2 ]
	[[ $output == *"heat.svg: this picture is a page: name it .html"* ]]
	run "$CUPEL" wall --timeline wall.svg -- true
	[ "$status" -eq 2 ]
	[ ! -e heat.svg ] && [ ! -e wall.svg ]
}

@test "a picture does not get the name of another format, and -- is no file" {
	for command in "io --flamegraph" "io --heatmap" "lock watch --flamegraph" "wall --flamegraph" \
		"wall --timeline" "heap --timeline" "biolatency --heatmap" "runqlat --heatmap" \
		"offcputime --heatmap" "trace --flame -o"; do
		# shellcheck disable=SC2086
		run "$CUPEL" $command x.png -- true
		[ "$status" -eq 2 ]
		[[ $output == *"x.png: "*".html"* ]]
		# shellcheck disable=SC2086
		run "$CUPEL" $command -- true
		[ "$status" -eq 2 ]
		[[ $output == *"requires a value: FILE"* ]]
	done
	run "$CUPEL" stackcount --flame -o x.png c:malloc
	[ "$status" -eq 2 ]
	run "$CUPEL" heatmap -o x.png timed
	[ "$status" -eq 2 ]
	run "$CUPEL" wall --timeline --idle -- true
	[ "$status" -eq 2 ]
	[ ! -e x.png ] && [ ! -e -- ] && [ ! -e --idle ]
}
