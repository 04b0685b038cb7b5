#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel archive: options, names of outputs, messages. test/live/archive.sh and
# test/unit/test_session_pack.c test the contents of archives.

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "a missing recording is a one-line error with a hint" {
	run "$CUPEL" archive
	[ "$status" -eq 1 ]
	[[ $output == *"perf.data: No such file or directory"* ]]
	[ ! -e perf.data.cupel.tar.gz ]
}

@test "a name of a packer that is not there is a usage error" {
	for name in a.tar.bz2 a.txz; do
		run "$CUPEL" archive -o $name
		[ "$status" -eq 2 ]
		[[ $output == *"$name: cupel packs with gzip"* ]]
	done
}

@test "other formats are an error and leave no output" {
	echo 'main;work 7' >stacks.folded
	run "$CUPEL" archive stacks.folded
	[ "$status" -eq 1 ]
	[[ $output == *"stacks.folded: not a perf.data file"* ]]
	[ "$(ls)" = stacks.folded ]
}

@test "an archive without a recording is an error that says so" {
	mkdir -p .build-id/01
	echo code >.build-id/01/elf
	tar cf debug.tar .build-id
	run "$CUPEL" report debug.tar
	[ "$status" -eq 1 ]
	[[ $output == *"debug.tar: no perf.data in the archive"* ]]
}

@test "zstd data that is not an archive is read by its contents" {
	command -v zstd >/dev/null || skip "needs zstd"
	echo 'main;work 7' >stacks.folded
	zstd -q stacks.folded
	run "$CUPEL" collapse stacks.folded.zst
	[ "$status" -eq 0 ]
	[ "$output" = "main;work 7" ]
}

@test "an archive made by tar is searched for perf.data" {
	echo 'main;work 7' >perf.data
	tar czf a.tgz perf.data
	run "$CUPEL" collapse a.tgz
	[ "$status" -eq 0 ]
	[ "$output" = "main;work 7" ]
}

@test "the output cannot be the recording" {
	echo recording >perf.data
	cp perf.data before
	run "$CUPEL" archive -o ./perf.data perf.data
	[ "$status" -eq 1 ]
	[[ $output == *"perf.data: the archive would replace the recording"* ]]
	cmp perf.data before
}
