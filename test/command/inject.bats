#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel inject: options and messages; what perf makes of copies is in test/live/inject.sh.

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "hardware traces and guests are refused with what to use" {
	for option in --itrace --strip --vm-time-correlation --guest-data; do
		run "$CUPEL" inject $option -i perf.data
		[ "$status" -eq 2 ]
		[[ $output == *"perf inject"* ]]
	done
}

@test "other formats are refused and nothing is left behind" {
	echo 'main;work 7' >stacks.folded
	run "$CUPEL" inject -i stacks.folded -o out.data
	[ "$status" -eq 1 ]
	[[ $output == *"not a perf.data file"* ]]
	[ ! -e out.data ]
}

@test "the input is not the output" {
	echo >perf.data
	run "$CUPEL" inject -i perf.data -o perf.data
	[ "$status" -eq 2 ]
	[[ $output == *"the input cannot be the output"* ]]
}

@test "build ids that are none are refused" {
	run "$CUPEL" inject -b --known-build-ids 'xyz /bin/true' -i /dev/null -o out.data
	[ "$status" -eq 1 ]
	[[ $output == *"'xyz /bin/true' is not a build id and a path"* ]]
}
