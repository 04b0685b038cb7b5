#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel test: the behaviour of its programs, usage errors.

. "$BATS_TEST_DIRNAME/../live/wait_for.bash"

@test "the list does not run the tests" {
	run "$CUPEL" test --list
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -ge 8 ]
	[[ $output == *" 1: CPU samples, stacks walked by BPF"* ]]
}

@test "the page fault program has 2000 page faults more than an empty program" {
	python3 - "$CUPEL" <<'PY'
import re, subprocess, sys
cupel = sys.argv[1]
run = subprocess.run([cupel, "stat", "-x,", "-e", "minor-faults", "--", cupel, "test", "--workload", "faults"],
                     capture_output=True, text=True, timeout=60)
nothing = subprocess.run([cupel, "stat", "-x,", "-e", "minor-faults", "--", cupel, "test", "--workload", "nothing"],
                         capture_output=True, text=True, timeout=60)
if run.returncode or nothing.returncode:
    print("counting is not permitted here")
    sys.exit()
faults = [int(re.search(r"^(\d+),", text, re.M)[1]) for text in (run.stderr, nothing.stderr)]
assert 1990 <= faults[0] - faults[1] <= 2400, faults # the sanitizer has some of its own
PY
}

@test "nothing is left after a kill" {
	mkdir -p /tmp/ct-$$
	TMPDIR=/tmp/ct-$$ setsid "$CUPEL" test >/dev/null 2>&1 &
	child=$!
	wait_for compgen -G "/tmp/ct-$$/cupel-test-*/test.data"
	kill -9 $child
	wait_for rmdir /tmp/ct-$$
}

@test "unknown arguments are usage errors" {
	run "$CUPEL" test word
	[ "$status" -eq 2 ]
	run "$CUPEL" test --workload nonsense
	[ "$status" -eq 2 ]
	[[ $output == *"no workload 'nonsense'"* ]]
}
