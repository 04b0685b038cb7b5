#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel test: its programs are what they are said to be; words that it does not take.

@test "tests are listed without running" {
	run "$CUPEL" test --list
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -ge 8 ]
	[[ $output == *" 1: CPU samples, stacks walked by BPF"* ]]
}

@test "the program of page faults makes as many more than one that does nothing" {
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

@test "words that it does not take" {
	run "$CUPEL" test word
	[ "$status" -eq 2 ]
	run "$CUPEL" test --workload nonsense
	[ "$status" -eq 2 ]
	[[ $output == *"no workload 'nonsense'"* ]]
}
