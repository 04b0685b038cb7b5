# SPDX-License-Identifier: GPL-2.0-or-later
# cupel offcputime, wakeuptime, offwaketime: arguments and options. test/live/wait_tools.sh tests the
# measurements.

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

@test "wait tools: options that cannot be combined are usage errors" {
	for command in offcputime wakeuptime offwaketime; do
		for options in "-U -K" "-u -k" "-p 1 -t 1" "-f --json" "-m 10 -M 5"; do
			# shellcheck disable=SC2086
			run "$CUPEL" $command $options 1
			[ "$status" -eq 2 ]
		done
	done
}

@test "wait tools: offcputime -k and -U cannot be combined" {
	run "$CUPEL" offcputime -k -U 1
	[ "$status" -eq 2 ]
	[[ $output == *"kernel threads have no user stacks"* ]]
}

@test "wait tools: the argument is a duration, or a program after --" {
	run "$CUPEL" offcputime 1 2
	[ "$status" -eq 2 ]
	[[ $output == *"unexpected argument '2'"* ]]
	run "$CUPEL" offcputime --
	[ "$status" -eq 2 ]
	for duration in soon 0; do
		run "$CUPEL" offcputime "$duration"
		[ "$status" -eq 2 ]
	done
}

@test "wait tools: an invalid cgroup is an error that names it" {
	run "$CUPEL" offcputime -c /nowhere 1
	[ "$status" -eq 1 ]
	[[ $output == *"/nowhere: not a version 2 cgroup"* ]]
}

@test "wait tools: a state must be a number" {
	run "$CUPEL" offcputime --state D 1
	[ "$status" -eq 2 ]
}

@test "an output that cannot be created is an error before the program runs" {
	for option in "wall --flamegraph" "wall --timeline" "wall --chrome-trace" "wall -o" \
		"runqslower --heatmap" "runqlat --heatmap" "runqlen --heatmap" "offcputime -o" \
		"flamegraph --save" "flamegraph -o" "record -o" "sched record -o"; do
		# shellcheck disable=SC2086
		run "$CUPEL" $option nosuch/x -- touch ran
		[ "$status" -eq 1 ]
		[[ $output == *"nosuch"* ]]
		[ ! -e ran ]
	done
}

@test "an output that is a folder is an error" {
	run "$CUPEL" wall --timeline . -- touch ran
	[ "$status" -eq 1 ]
	[[ $output == *"Is a directory"* ]]
	[ ! -e ran ]
}
