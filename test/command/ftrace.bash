# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the tests of cupel ftrace have in common. Each test has a folder of its own.
# shellcheck disable=SC2034 # for those tests
bats_require_minimum_version 1.5.0
# shellcheck source=test/live/wait_for.bash
. "$BATS_TEST_DIRNAME/../live/wait_for.bash"

tracefs=/sys/kernel/tracing

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
}

needs_tracefs() {
	[ -w $tracefs/instances ] || skip "no tracefs that can be written"
}
