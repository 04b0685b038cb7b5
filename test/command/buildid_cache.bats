#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel buildid-cache: options and messages. test/live/buildid_cache.sh reads the cache with perf.

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export PERF_BUILDID_DIR="$PWD/cache"
}

@test "no action is a usage error" {
	run "$CUPEL" buildid-cache
	[ "$status" -eq 2 ]
	[[ $output == *"nothing to do"* ]]
}

@test "the list of a missing cache is empty" {
	run "$CUPEL" buildid-cache -l
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ ! -e cache ]
}

@test "several files: failures are named, the other files are added" {
	run "$CUPEL" buildid-cache -v -a "/nowhere,$CUPEL,/etc/passwd"
	[ "$status" -eq 1 ]
	[[ $output == *"/nowhere: No such file or directory"* ]]
	[[ $output == *"/etc/passwd: not an ELF file"* ]]
	[[ $output == *" $CUPEL: Ok"* ]]
	run "$CUPEL" buildid-cache -l
	[[ $output == *" $(realpath "$CUPEL")" ]]
}

@test "removing a missing entry is an error" {
	mkdir cache
	run "$CUPEL" buildid-cache -r "$CUPEL"
	[ "$status" -eq 1 ]
	[[ $output == *"not in the cache"* ]]
	run "$CUPEL" buildid-cache -p /gone
	[ "$status" -eq 1 ]
}

@test "each removed file is named" {
	cp "$CUPEL" one
	"$CUPEL" buildid-cache -a one
	run "$CUPEL" buildid-cache -P -v
	[ "$status" -eq 0 ]
	[[ $output == *"Removing "*" $(realpath one): Ok" ]]
	run "$CUPEL" buildid-cache -r one
	[ "$status" -eq 1 ]
	[[ $output == *"one: not in the cache"* ]]
}

@test "--buildid-dir is accepted before the command" {
	run "$CUPEL" --buildid-dir else buildid-cache -a "$CUPEL"
	[ "$status" -eq 0 ]
	[ -d else/.build-id ]
	run "$CUPEL" --buildid-dir=else buildid-cache -l
	[ "${#lines[@]}" -eq 1 ]
	run "$CUPEL" --buildid-dir
	[ "$status" -eq 2 ]
}

@test "--kcore is an error with a hint" {
	run "$CUPEL" buildid-cache -k /proc/kcore
	[ "$status" -eq 2 ]
	[[ $output == *"cupel archive -b"* ]]
}

@test "buildid-list: the running kernel and its maps" {
	[ -r /sys/kernel/notes ] || skip "no notes of the kernel"
	run "$CUPEL" buildid-list -k
	[ "$status" -eq 0 ]
	id=$output
	[[ $id =~ ^[0-9a-f]{8,40}$ ]]
	[ "$(id -u)" = 0 ] || skip "addresses need root"
	run "$CUPEL" buildid-list -m
	[ "$status" -eq 0 ]
	[[ ${lines[0]} =~ ^$id\ [0-9a-f]{16}\ [0-9a-f]{16}\ \[kernel.kallsyms\]$ ]]
}
