#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel trace --by-caller and --flame: refusals and outputs.

bats_require_minimum_version 1.5.0

@test "what cannot be combined is refused with a reason" {
	for options in "-s" "-S"; do
		run "$CUPEL" trace --by-caller "$options" -- true
		[ "$status" -eq 2 ]
		[[ $output == *"--by-caller and --flame cannot be combined with -s or -S"* ]]
	done
	run "$CUPEL" trace --flame --duration 5 -- true
	[ "$status" -eq 2 ]
	run "$CUPEL" trace --by-caller --failure -- true
	[ "$status" -eq 2 ]
	run "$CUPEL" trace --flame -o /nowhere/flame.svg -- true
	[ "$status" -eq 1 ]
	[[ $output == *"/nowhere"* ]]
}

@test "the status is the program's, and -e chooses calls" {
	"$CUPEL" trace --by-caller -o "$BATS_TEST_TMPDIR/out" -- true || skip "no system calls can be traced here"
	run "$CUPEL" trace --by-caller -e exit_group --json -o "$BATS_TEST_TMPDIR/out" -- sh -c 'exit 7'
	[ "$status" -eq 7 ]
	python3 - "$BATS_TEST_TMPDIR/out" <<-'PY'
		import json, sys
		out = json.load(open(sys.argv[1]))
		assert [(r["name"], r["calls"]) for r in out["callers"]] == [("exit_group", 1)], out
		assert out["command"][1] == "trace" and out["calls"] == 1, out
	PY
	run -127 "$CUPEL" trace --by-caller -- /nowhere/program
}

@test "--rows limits the table, not the sum" {
	"$CUPEL" trace --by-caller --rows 1 -o "$BATS_TEST_TMPDIR/out" -- ls / || skip "no system calls can be traced here"
	grep -q 'more callers are in the sum below' "$BATS_TEST_TMPDIR/out"
	[ "$(grep -c '^   [a-z]' "$BATS_TEST_TMPDIR/out")" -eq 3 ] # heading, row, sum
}
