#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel ftrace latency: the time between two events.

# shellcheck source=test/command/ftrace.bash
. "$BATS_TEST_DIRNAME/ftrace.bash"

@test "latency between two events of a thread" {
	needs_tracefs
	"$CUPEL" ftrace latency -e syscalls:sys_enter_clock_nanosleep,syscalls:sys_exit_clock_nanosleep -o text -- sleep 0.02
	# one sleep, of 16 to 32 ms, or more on a busy machine
	[ "$(grep -c '#####' text)" -eq 1 ]
	grep -Eq '^ *(16|32|64|128|256|512) - +[0-9]+ ms \| +1 \| #+ *\|$|^ *[0-9]+ - +[0-9]+ s +\| +1 \|' text
	"$CUPEL" ftrace latency --json -e syscalls:sys_enter_clock_nanosleep,syscalls:sys_exit_clock_nanosleep -o json -- sleep 0.02
	python3 - json <<-'PY'
		import json, sys
		data = json.load(open(sys.argv[1]))
		assert data["count"] == 1 and data["lost"] == 0, data
		assert 20e6 <= data["min_ns"] == data["max_ns"] == data["total_ns"], data
		assert sum(b["count"] for b in data["buckets"]) == 1
	PY
}
