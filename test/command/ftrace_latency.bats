#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel ftrace latency: the time between two events.

bats_require_minimum_version 1.5.0

tracefs=/sys/kernel/tracing

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
}

needs_tracefs() {
	[ -w $tracefs/instances ] || skip "no tracefs that can be written"
}

@test "latency between two events of a thread" {
	needs_tracefs
	"$CUPEL" ftrace latency -e syscalls:sys_enter_clock_nanosleep,syscalls:sys_exit_clock_nanosleep -o text -- sleep 0.02
	grep -q '^    16 -   32 ms |          1 | ##############################################  *|$' text
	"$CUPEL" ftrace latency --json -e syscalls:sys_enter_clock_nanosleep,syscalls:sys_exit_clock_nanosleep -o json -- sleep 0.02
	python3 - json <<-'PY'
		import json, sys
		data = json.load(open(sys.argv[1]))
		assert data["count"] == 1 and data["lost"] == 0, data
		assert 20e6 <= data["min_ns"] == data["max_ns"] == data["total_ns"], data
		assert sum(b["count"] for b in data["buckets"]) == 1
	PY
}
