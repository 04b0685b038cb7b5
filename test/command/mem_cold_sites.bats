#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel mem --cold by stack: what is refused, with a reason and a hint. What it finds is in
# test/live/mem_cold.sh.

bats_require_minimum_version 1.5.0

@test "options of --cold" {
	run "$CUPEL" mem --stalls --sites -- true
	[ "$status" -eq 2 ]
	[[ $output == *"--sites and --after are of --cold"* ]]
	run "$CUPEL" mem --cold --after 1 -p 1
	[ "$status" -eq 2 ]
	[[ $output == *"--sites"* ]]
	run "$CUPEL" mem --cold --sites -p 1 -- true
	[ "$status" -eq 2 ]
}

@test "without DAMON, or without a process: the reason" {
	run --separate-stderr "$CUPEL" mem --cold --sites -p 999999999
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	# shellcheck disable=SC2154 # run sets it
	[[ $stderr == *"mem --cold -p PID"* || $stderr == *"process 999999999: no such process"* ]]
}

@test "without the right to use DAMON, that is the reason" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to give it up"
	[ -e /sys/kernel/mm/damon/admin/kdamonds/nr_kdamonds ] || skip "this kernel has no DAMON"
	nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	"${nobody[@]}" "$CUPEL" version >/dev/null || skip "the program's folder is closed to others"
	run --separate-stderr "${nobody[@]}" "$CUPEL" mem --cold -- true
	[ "$status" -eq 1 ]
	[[ $stderr == *"nr_kdamonds: Permission denied"* && $stderr != *"has no DAMON"* ]]
}
