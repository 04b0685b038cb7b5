#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The test runner counts correctly and fails when a test fails; ./dev has help.

top="$BATS_TEST_DIRNAME/../.."

# plant FILE: creates an executable script from standard input in a separate tree.
plant() {
	mkdir -p "$BATS_TEST_TMPDIR/tree/$(dirname "$1")"
	cat >"$BATS_TEST_TMPDIR/tree/$1"
	chmod +x "$BATS_TEST_TMPDIR/tree/$1"
}

# The planted runner, without bats' environment variables.
run_tests() {
	run env -i PATH=/usr/local/bin:/usr/bin:/bin TMPDIR="$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/tree/test/run" "$@"
}

setup() {
	for part in run job watch golden/run; do
		plant test/$part <"$top/test/$part"
	done
	# shellcheck disable=SC2016
	plant build-asan/cupel <<<'#!/bin/sh
[ $# -eq 0 ] || echo "out: $*"
exit ${STATUS:-0}'
	plant test/live/good.sh <<<'#!/bin/sh
exit 0'
}

@test "passed, failed and skipped tests are counted, with reasons" {
	plant test/live/bad.sh <<<'#!/bin/sh
echo "what went wrong"; exit 3'
	plant test/live/no_reason.sh <<<'#!/bin/sh
echo "needs a moon"; exit 77'
	run_tests live
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "1 passed, 1 failed, 1 skipped" ]
	[[ $output == *"FAIL  live/bad (status 3)"*"| what went wrong"* ]]
	[[ $output == *"skip  live/no_reason: needs a moon"* ]]
}

@test "untested parts of a passed test are counted as skipped" {
	plant test/live/most.sh <<<'#!/bin/sh
echo "not tested: the moon: it is a new one"; echo "not tested: \\ & /: no reason"'
	run_tests live
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "2 passed, 0 failed, 2 skipped" ]
	[[ $output == *"ok    live/most"*"skip  live/most: the moon: it is a new one"* ]]
}

@test "a test of processes that fails runs again at the end, twice at most; what it said first is printed" {
	: | plant test/unit/test_base_luck.c
	plant build-asan/test/unit/test_base_luck <<-EOF
		#!/bin/sh
		echo tried >>"$BATS_TEST_TMPDIR/tried"
		echo "luck ran out, try \$(wc -l <"$BATS_TEST_TMPDIR/tried")"
		[ \$(wc -l <"$BATS_TEST_TMPDIR/tried") -ge 3 ] || exit 3
	EOF
	plant test/unit/meson.build <<<'unit_tests_plain = []'
	run_tests unit live
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "2 passed, 0 failed, 0 skipped" ]
	[[ $output == *"again unit/base_luck, which failed:"*"| luck ran out, try 1"*"ok    live/good"*"tests that failed, alone"*"| luck ran out, try 2"*"ok    unit/base_luck"* ]]
	plant build-asan/test/unit/test_base_luck <<<'#!/bin/sh
exit 4'
	run_tests unit
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "0 passed, 1 failed, 0 skipped" ]
}

@test "a golden case compares output and status" {
	plant test/golden/view/same/args <<<'one "two three"'
	plant test/golden/view/same/expected <<<'out: one two three'
	plant test/golden/view/other/args <<<'one'
	plant test/golden/view/other/expected <<<'out: two'
	plant test/golden/view/status/args <<<'one'
	plant test/golden/view/status/expected <<<'out: one'
	plant test/golden/view/status/status <<<'1'
	run_tests golden
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "1 passed, 2 failed, 0 skipped" ]
	[[ $output == *"-out: two"* ]]
	[[ $output == *"status 0, expected 1"* ]]
}

@test "a bats file is counted by its cases" {
	# bats would treat lines that begin with @test as tests of this file.
	printf '%stest %s\n' @ '"good" { true; }' @ '"bad" { echo reason; false; }' \
		@ '"absent" { skip "not here"; }' | plant test/command/three.bats
	run_tests command
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "1 passed, 1 failed, 1 skipped" ]
	[[ $output == *"FAIL  command/three: bad"*"reason"* ]]
	[[ $output == *"skip  command/three: absent: not here"* ]]
}

@test "a bats file that does not parse fails" {
	plant test/command/broken.bats <<<'@test "x" {'
	run_tests command
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "0 passed, 1 failed, 0 skipped" ]
}

@test "the exit status is 0 if no test failed" {
	run_tests live golden
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "1 passed, 0 failed, 0 skipped" ]
}

@test "tests that run side by side are all counted" {
	for i in 1 2 3 4 5 6; do
		plant test/live/slow$i.sh <<<'#!/bin/sh
exit 0'
	done
	CUPEL_TEST_JOBS=3 run_tests live
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "7 passed, 0 failed, 0 skipped" ]
	[[ $output == *"live/slow1"*"live/slow2"*"live/slow6"*"live tests, one by one"* ]]
}

@test "a test with '# alone' runs after the others" {
	for name in alone other; do
		plant test/live/$name.sh <<-EOF
			#!/bin/sh
			# $name: it counts who is there
			touch "$BATS_TEST_TMPDIR/$name"
			sleep 1
			[ $name = other ] || [ "\$(find "$BATS_TEST_TMPDIR" -maxdepth 1 -name other)" = "" ] || exit 3
			rm "$BATS_TEST_TMPDIR/$name"
		EOF
	done
	CUPEL_TEST_JOBS=3 run_tests live
	[ "$status" -eq 0 ]
	[[ $output == *"live/other"*"one by one"*"live/alone"* ]]
}

@test "tests with '# in turn' run one at a time, beside browser tests" {
	for name in one two three; do
		plant test/live/$name.sh <<-EOF
			#!/bin/sh
			# in turn: it takes a lock
			mkdir "$BATS_TEST_TMPDIR/lock" || exit 3
			sleep 0.2
			rmdir "$BATS_TEST_TMPDIR/lock"
		EOF
	done
	plant test/web/page.sh <<<'#!/bin/sh
exit 0'
	plant test/web/four.sh <"$BATS_TEST_TMPDIR/tree/test/live/one.sh"
	plant test/live/reader.sh <<<'#!/bin/sh
# no BPF: it reads
exit 0'
	CUPEL_TEST_JOBS=3 run_tests live web
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "7 passed, 0 failed, 0 skipped" ]
	[[ $output == *"live tests in turn"*"live/reader"* ]]
}

@test "the longest test of the last run starts first" {
	for name in brief long; do
		plant test/live/$name.sh <<-EOF
			#!/bin/sh
			# alone: it notes when it ran
			echo $name >>"$BATS_TEST_TMPDIR/order"
		EOF
	done
	mkdir -p "$BATS_TEST_TMPDIR/tree/build-test"
	printf 'live/brief\t1\nlive/long\t9\n' >"$BATS_TEST_TMPDIR/tree/build-test/test-seconds"
	printf '# how long\nlive/brief\t9\nlive/long\t1\n' >"$BATS_TEST_TMPDIR/tree/test/seconds"
	run_tests live
	[ "$(paste -sd ' ' "$BATS_TEST_TMPDIR/order")" = "long brief" ]
	[ "$(cut -f 1 "$BATS_TEST_TMPDIR/tree/build-test/test-seconds" | paste -sd ' ')" = "live/brief live/good live/long" ]
	[ "$(grep -c 'live/long.9' "$BATS_TEST_TMPDIR/tree/build-test/test-seconds")" -eq 0 ]
	# test/seconds is for a run without history
	rm "$BATS_TEST_TMPDIR/order" "$BATS_TEST_TMPDIR/tree/build-test/test-seconds"
	run_tests live
	[ "$(paste -sd ' ' "$BATS_TEST_TMPDIR/order")" = "brief long" ]
}

@test "a test without progress is killed with its child processes" {
	mkdir "$BATS_TEST_TMPDIR/jobs"
	job=$BATS_TEST_TMPDIR/jobs/1
	printf '%s\n' sh -c 'echo began; sleep 333.25 & wait' >"$job.words"
	echo 100 >"$job.limit"
	"$top/test/watch" "$BATS_TEST_TMPDIR/jobs" 5 3>&- &
	timeout 120 "$top/test/job" "$job"
	[ "$(cat "$job.status")" -eq 124 ]
	[ "$(head -n 1 "$job.log")" = began ]
	[[ "$(cat "$job.log")" == *"stopped: neither used a CPU nor printed for 5 s" ]]
	[ -z "$(pgrep -f 'sleep 333.25')" ]
	rm -r "$BATS_TEST_TMPDIR/jobs"
}

@test "dev prints help; an unknown command is a usage error" {
	run "$top/dev"
	[ "$status" -eq 0 ]
	[[ $output == *"profile -- CMD..."* ]]
	run "$top/dev" frobnicate
	[ "$status" -eq 2 ]
	run "$top/dev" profile
	[ "$status" -eq 1 ]
	[[ $output == *"usage: ./dev profile -- CMD..."* ]]
}
