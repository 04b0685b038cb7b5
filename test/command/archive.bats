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
	[[ $output == *"perf.data: the output would replace the input"* ]]
	cmp perf.data before
}

@test "broken archives are said to be broken" {
	for i in $(seq 3000); do echo "main;work$i 7"; done >perf.data
	tar cf whole.tar perf.data
	gzip -k whole.tar
	head -c 30 whole.tar.gz >start.tar.gz
	head -c 3000 whole.tar.gz >cut.tar.gz
	head -c 9000 whole.tar >cut.tar
	{ head -c 150 whole.tar; printf 99; tail -c +153 whole.tar; } >head.tar
	printf '\3757zXZ\0\0\0\0' >packed.tar.xz
	check() { # FILE STATUS TEXT
		run "$CUPEL" report --stdio "$1"
		[ "$status" -eq "$2" ] && [[ $output == *"$1: "*"$3"* ]]
	}
	check cut.tar.gz 0 "the archive is not whole"
	check cut.tar 0 "the archive is not whole"
	check start.tar.gz 1 "the gzip data end before their first byte"
	check head.tar 1 "a tar archive with a damaged header"
	check packed.tar.xz 1 "packed with xz"
	run "$CUPEL" --buildid-dir "$PWD/cache" archive --unpack -o new.data cut.tar
	[ "$status" -eq 1 ]
	[[ $output == *"cut.tar: the archive is not whole: unpacked 0 binaries and new.data without its end"* ]]
	[ -s new.data ]
	run "$CUPEL" --buildid-dir "$PWD/cache" archive --unpack -o other.data head.tar
	[ "$status" -eq 1 ]
	[[ $output == *"head.tar: a tar archive with a damaged header"* ]]
}

@test "packed text without its end is a warning, and padding behind it is none" {
	for i in $(seq 3000); do echo "main;work$i 7"; done | gzip >whole.gz
	head -c 3000 whole.gz >cut.gz
	{ cat whole.gz; head -c 512 /dev/zero; } >padded.gz
	run "$CUPEL" report --stdio cut.gz
	[ "$status" -eq 0 ]
	[[ $output == *"cut.gz: damaged: the gzip data are not whole"* ]]
	run "$CUPEL" report --stdio padded.gz
	[ "$status" -eq 0 ]
	[[ $output != *damaged* ]]
}

@test "an archive without anything to unpack is an error" {
	echo text >file
	tar czf other.tar.gz file
	run "$CUPEL" --buildid-dir "$PWD/cache" archive --unpack other.tar.gz
	[ "$status" -eq 1 ]
	[[ $output == *"other.tar.gz: no recording and no binaries of perf archive in it"* ]]
}
