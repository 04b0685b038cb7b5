# SPDX-License-Identifier: GPL-2.0-or-later
# cupel offcputime, wakeuptime, offwaketime: words and options. What they measure:
# test/live/wait_tools.sh.

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

@test "wait tools: kernel threads have no user stacks, but may be woken by programs" {
	run "$CUPEL" offcputime -k -U 1
	[ "$status" -eq 2 ]
	[[ $output == *"kernel threads have no user stacks"* ]]
}

@test "wait tools: one duration, or a program after --" {
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

@test "wait tools: a cgroup that is none is named" {
	run "$CUPEL" offcputime -c /nowhere 1
	[ "$status" -eq 1 ]
	[[ $output == *"/nowhere: not a version 2 cgroup"* ]]
}

@test "wait tools: a state is a number" {
	run "$CUPEL" offcputime --state D 1
	[ "$status" -eq 2 ]
}

@test "an output that cannot be made is refused before the program runs" {
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

@test "an output that is a folder is refused" {
	run "$CUPEL" wall --timeline . -- touch ran
	[ "$status" -eq 1 ]
	[[ $output == *"Is a directory"* ]]
	[ ! -e ran ]
}
