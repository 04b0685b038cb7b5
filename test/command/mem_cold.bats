#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel mem --cold: a process or a program is required; a sleeping one leaves its memory alone.

bats_require_minimum_version 1.5.0

teardown() {
	[ -z "$pid" ] || kill "$pid"
}

@test "what is required" {
	pid=
	run "$CUPEL" mem --cold
	[ "$status" -eq 2 ]
	[[ $output == *"-p PID"* ]]
	run "$CUPEL" mem --cold --stalls -p 1
	[ "$status" -eq 2 ]
}

@test "what a process does not touch" {
	python3 -c "
import os, signal
block = bytearray(b'x' * (32 << 20))
os.write(1, b'ready\n')
signal.pause()" > "$BATS_TEST_TMPDIR/out" &
	pid=$!
	until grep -q ready "$BATS_TEST_TMPDIR/out"; do read -rt 0.05 <> <(:) || :; done
	run --separate-stderr "$CUPEL" mem --cold -p "$pid" -d 300ms --json
	[ "$status" -eq 0 ]
	# shellcheck disable=SC2154 # run sets it
	[[ $stderr == *"clears the accessed bits"* ]]
	python3 - "$output" <<'PY'
import json, sys
map = json.loads(sys.argv[1])
assert map["resident"] - map["touched"] > 30 << 20, map
PY
}
