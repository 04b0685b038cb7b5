#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel ftrace profile: times of functions, or why there are none.

# shellcheck source=test/command/ftrace.bash
. "$BATS_TEST_DIRNAME/ftrace.bash"

@test "functions have times, or the refusal says what works" {
	needs_tracefs
	if ! grep -qw function_graph $tracefs/available_tracers; then
		run "$CUPEL" ftrace profile -T vfs_read -- true
		[ "$status" -eq 1 ]
		[[ $output == *"function_graph: this kernel does not have this tracer"*"events work"* ]]
		return
	fi
	run "$CUPEL" ftrace profile -T vfs_read -o out -- cat /proc/version
	[ "$status" -eq 0 ]
	grep -Eq '^ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[1-9][0-9]*   vfs_read$' out
}
