#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The tools around the program: the runner counts right and fails when it should, ./dev explains
# itself.

top="$BATS_TEST_DIRNAME/../.."

# plant FILE: an executable script from standard input, in a tree of its own.
plant() {
	mkdir -p "$BATS_TEST_TMPDIR/tree/$(dirname "$1")"
	cat >"$BATS_TEST_TMPDIR/tree/$1"
	chmod +x "$BATS_TEST_TMPDIR/tree/$1"
}

# The planted runner, without what this bats tells its children.
run_tests() {
	run env -i PATH=/usr/local/bin:/usr/bin:/bin TMPDIR="$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/tree/test/run" "$@"
}

setup() {
	plant test/run <"$top/test/run"
	# shellcheck disable=SC2016
	plant build-asan/cupel <<<'#!/bin/sh
[ $# -eq 0 ] || echo "out: $*"
exit ${STATUS:-0}'
	plant test/live/good.sh <<<'#!/bin/sh
exit 0'
}

@test "passed, failed and skipped are counted, and reasons are shown" {
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
	# bats would take lines that begin with @test for its own.
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

@test "success is the status when nothing failed" {
	run_tests live golden
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "1 passed, 0 failed, 0 skipped" ]
}

@test "dev explains itself and refuses what it does not know" {
	run "$top/dev"
	[ "$status" -eq 0 ]
	[[ $output == *"profile -- CMD..."* ]]
	run "$top/dev" frobnicate
	[ "$status" -eq 2 ]
	run "$top/dev" profile
	[ "$status" -eq 1 ]
	[[ $output == *"usage: ./dev profile -- CMD..."* ]]
}
