#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel inject: options and messages. test/live/inject.sh reads the copies with perf.

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "hardware traces and guests are errors with a hint" {
	for option in --itrace --strip --vm-time-correlation --guest-data; do
		run "$CUPEL" inject $option -i perf.data
		[ "$status" -eq 2 ]
		[[ $output == *"perf inject"* ]]
	done
}

@test "other formats are an error and leave no output" {
	echo 'main;work 7' >stacks.folded
	run "$CUPEL" inject -i stacks.folded -o out.data
	[ "$status" -eq 1 ]
	[[ $output == *"not a perf.data file"* ]]
	[ ! -e out.data ]
}

@test "the output cannot be the input" {
	echo >perf.data
	run "$CUPEL" inject -i perf.data -o perf.data
	[ "$status" -eq 1 ]
	[[ $output == *"perf.data: the output would replace the input"* ]]
}

@test "invalid build ids are errors" {
	run "$CUPEL" inject -b --known-build-ids 'xyz /bin/true' -i /dev/null -o out.data
	[ "$status" -eq 1 ]
	[[ $output == *"'xyz /bin/true' is not a build id and a path"* ]]
}
