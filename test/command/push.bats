#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel push: what is put into a store, with which labels, at which time; and that nothing of it
# gets lost.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf 'app;main;f 30\napp;main;g 12\n' >folded
	for i in 1 2 3 4; do
		printf 'app 1/1 [000] 10%s.5: 7 cycles: \n\t20 f%s+0x1 (/bin/a)\n\n' "$i" "$i"
	done >timed
}

# sum SELECTOR: the weight in the store.
sum() {
	"$CUPEL" query --store store "$1" --from 2000-01-01 collapse --no-comm |
		awk '{ sum += $NF } END { print sum + 0 }'
}

@test "folded stacks, with labels, add up" {
	run "$CUPEL" push --store store --label a=1 --label b='x y' folded
	[ "$status" -eq 0 ]
	[[ $output == *"stored 42 samples of folded"* ]]
	"$CUPEL" push --store store -l a=2 -q folded
	[ "$(sum '{}')" -eq 84 ]
	[ "$(sum 'a=1')" -eq 42 ]
	run "$CUPEL" query --store store series
	[[ $output == *'{a="1", b="x y", '* ]]
}

@test "pprof and recordings of other tools go in as well" {
	"$CUPEL" convert --format pprof -o a.pb.gz folded
	"$CUPEL" push --store store a.pb.gz timed
	[ "$(sum 'event=cycles')" -eq 28 ]
	[ "$(sum 'event!=cycles')" -eq 42 ]
}

@test "the last sample is at the given time" {
	"$CUPEL" push --store store --at 2024-03-01T12:00:03Z timed
	run "$CUPEL" query --store store --from 2024-03-01T12:00:00Z --to 2024-03-01T12:00:10Z \
		collapse --no-comm
	[ "$status" -eq 0 ]
	[ "$(grep -c . <<<"$output")" -eq 4 ]
	run "$CUPEL" query --store store --from 2024-03-01T12:00:10Z collapse
	[ "$status" -eq 1 ]
	[[ $output == *"no samples of that in this time"* ]]
	[ -d store/20240301-00 ]
}

@test "samples of pprof are at the end of its own time" {
	"$CUPEL" convert --format pprof -o a.pb.gz folded
	gunzip a.pb.gz
	printf '\110\200\200\250\261\343\237\347\313\027\120\200\310\257\240\045' >>a.pb # 10 seconds from 1700000000
	"$CUPEL" push --store store a.pb
	run "$CUPEL" query --store store --from @1700000010 --to @1700000020 collapse --no-comm
	[ "$status" -eq 0 ]
	[ "$(grep -c . <<<"$output")" -eq 2 ]
	"$CUPEL" push --store store --at @1700000055 a.pb
	run "$CUPEL" query --store store --from @1700000050 --to @1700000060 collapse --no-comm
	[ "$(grep -c . <<<"$output")" -eq 2 ]
	run "$CUPEL" report --stdio --time 0,1 a.pb # one time for all is none of each
	[ "$status" -eq 1 ]
	[[ $output == *"the samples have no times"* ]]
}

@test "standard input, and several files" {
	"$CUPEL" push --store store folded - <timed
	[ "$(sum 'event=cycles')" -eq 28 ]
	[ "$(sum 'event!=cycles')" -eq 42 ]
}

@test "mistakes are named" {
	run "$CUPEL" push --store store
	[ "$status" -eq 2 ]
	[[ $output == *"missing FILE"* ]]
	run "$CUPEL" push --store store --label x folded
	[ "$status" -eq 2 ]
	[[ $output == *"expected NAME=VALUE"* ]]
	run "$CUPEL" push --store store --label comm=x folded
	[ "$status" -eq 2 ]
	[[ $output == *"comm=x: the name of the samples' own thread is this label"* ]]
	run "$CUPEL" push --store store --label "x=$(printf '%01025d' 0)" folded
	[ "$status" -eq 2 ]
	[[ $output == *"label x: the value is longer than 1024 bytes"* ]]
	run "$CUPEL" push --store store --at tomorrow folded
	[ "$status" -eq 2 ]
	[[ $output == *"invalid time 'tomorrow'"* ]]
	run "$CUPEL" push --store store missing
	[ "$status" -eq 1 ]
	run "$CUPEL" push --store redis://x folded
	[ "$status" -eq 2 ]
	[[ $output == *"unknown kind of store"* ]]
	run "$CUPEL" push --store folded folded
	[ "$status" -eq 1 ]
	[ ! -e store ]
	mkdir mine
	run "$CUPEL" push --store mine missing
	[ "$status" -eq 1 ]
	[ -d mine ]
}
