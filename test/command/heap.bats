#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel heap: command lines and programs that are refused. test/live/heap.sh has the rest.

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR
}

@test "a program is required" {
	run "$CUPEL" heap
	[ "$status" -eq 2 ]
	[[ $output == *"no program"* ]]
}

@test "a recording is shown without a program, and has blocks of memory" {
	run "$CUPEL" heap -i heap.data -- true
	[ "$status" -eq 2 ]
	run "$CUPEL" heap -i heap.data --rate 4K
	[ "$status" -eq 2 ]
	run "$CUPEL" heap --time 1,2 -- true
	[ "$status" -eq 2 ]
	echo "main;f 12" >folded
	run "$CUPEL" heap -i folded
	[ "$status" -eq 1 ]
	[[ $output == *"no samples of heap-alloc"*"cupel heap --save"* ]]
}

@test "rates are bytes" {
	for rate in 0 2T x; do
		run "$CUPEL" heap --rate $rate -- true
		[ "$status" -eq 2 ]
	done
}

@test "the picture's name says its format" {
	run "$CUPEL" heap --flamegraph heap.png -- true
	[ "$status" -ne 0 ]
	[[ $output == *heap.png* ]]
}

@test "no library can be loaded into programs that gain rights" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	cp "$(type -P true)" gains
	chown 65534 gains
	chmod 4755 gains
	run "$CUPEL" heap -- ./gains
	[ "$status" -eq 1 ]
	[[ $output == *"other rights than yours"* ]]
}

@test "what is not sampled by cupel heap cannot be recorded" {
	run "$CUPEL" record -o out.data -e heap-alloc -- true
	[ "$status" -ne 0 ]
	[[ $output == *heap-alloc* ]]
}

@test "a process is watched by its number, and is no program" {
	run "$CUPEL" heap -p 1 -- true
	[ "$status" -eq 2 ]
	run "$CUPEL" heap -p 1,2
	[ "$status" -eq 2 ]
	run "$CUPEL" heap -p 1 --no-inherit
	[ "$status" -eq 2 ]
	run "$CUPEL" heap -i heap.data -p 1
	[ "$status" -eq 2 ]
	run "$CUPEL" heap -p 4194303
	[ "$status" -eq 1 ]
	[[ $output == *"no such process"* ]]
}

@test "heap --maps takes what it can use" {
	for option in --exact --no-inherit "--rate 4K"; do
		run "$CUPEL" heap --maps $option -- true
		[ "$status" -eq 2 ]
		[[ $output == *"--maps sees every call"* ]]
	done
	run "$CUPEL" heap --maps
	[ "$status" -eq 2 ]
}

@test "heap --oom waits, so it takes no recording" {
	touch some.data
	run "$CUPEL" heap --oom -i some.data
	[ "$status" -eq 2 ]
	run "$CUPEL" heap --oom -p 4194303
	[ "$status" -eq 1 ]
}

@test "heap --usdt takes what it can use" {
	run "$CUPEL" heap --usdt c --exact -- true
	[ "$status" -eq 2 ]
	[[ $output == *"--usdt has its own picks"* ]]
	run "$CUPEL" heap --usdt c --maps -- true
	[ "$status" -eq 2 ]
	run "$CUPEL" heap --probes c --usdt c -- true
	[ "$status" -eq 2 ]
	run "$CUPEL" heap -i "$BATS_TEST_DIRNAME/../fuzz/seeds/text_profile/heaptrack" -o /dev/null --timeline x.html
	[ "$status" -eq 1 ]
	[[ $output == *"x.html: no live bytes over time"* ]]
	run "$CUPEL" heap --timeline x.svg -- true
	[ "$status" -eq 2 ]
}
