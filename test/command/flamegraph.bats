#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel flamegraph: well-formed pictures from any input and option, and recording a program.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf 'a;b;c 5\na;b 3\na;"<&>'"'"']]>--;d_[k] 2\na;x%b 1\n' '\377\001' >in.folded
}

well_formed() {
	command -v xmllint >/dev/null || skip "no xmllint"
	xmllint --noout --nonet "$1"
}

@test "every option gives a well-formed picture" {
	for option in "" --inverted --reverse --flamechart --random --hash --colors=java \
		--colors=hot --color=mem --bgcolors=yellow "--bgcolors=#123456" --width=400 --height=20 \
		--minwidth=10% --minwidth=50 --fonttype=Arial --fontsize=10 --fontwidth=0.6 \
		--countname=bytes --nametype=Frame: --title=a--b "--subtitle=</text>" "--notes=-->" \
		--factor=0.001 --total=100 --by=weight --by=samples --roots=tid --roots=none; do
		"$CUPEL" flamegraph $option in.folded >out.svg
		well_formed out.svg
		grep -q '<title>all (' out.svg || { echo "no frames: $option"; false; }
	done
}

@test "options mean what flamegraph.pl means" {
	"$CUPEL" flamegraph --countname=bytes --factor=2 in.folded >out.svg
	grep -q '<title>all (22 bytes, 100%)</title>' out.svg
	grep -q '<title>b (16 bytes, 72.73%)</title>' out.svg
	"$CUPEL" flamegraph --total=22 in.folded >out.svg
	grep -q '<title>b (8 samples, 36.36%)</title>' out.svg
	"$CUPEL" flamegraph --reverse in.folded >out.svg
	grep -q '<title>c (5 samples, 45.45%)</title>' out.svg
	"$CUPEL" flamegraph --title T1 --subtitle S1 in.folded >out.svg
	grep -q 'id="title"[^>]*>T1<' out.svg
	grep -q 'id="subtitle"[^>]*>S1<' out.svg
}

@test "narrow frames are gathered" {
	"$CUPEL" flamegraph --minwidth=20% in.folded >out.svg
	grep -q '<title>(2 smaller) (3 samples, 27.27%)</title>' out.svg
	grep -q '27% in frames too small to draw' out.svg
}

@test "usage errors" {
	run "$CUPEL" flamegraph --minwidth=x in.folded
	[ "$status" -eq 2 ]
	run "$CUPEL" flamegraph --colors=beige in.folded
	[ "$status" -eq 1 ]
	[[ $output == *"palettes: "* ]]
	run "$CUPEL" flamegraph in.folded in.folded
	[ "$status" -eq 2 ]
	run "$CUPEL" flamegraph --
	[ "$status" -eq 2 ]
	printf '#!/bin/sh\necho hello\n' >program
	chmod +x program
	run "$CUPEL" flamegraph ./program
	[ "$status" -eq 1 ]
	[[ $output == *"cupel flamegraph -- ./program"* ]]
}

@test "records a program and gives its status" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to sample"
	run --separate-stderr "$CUPEL" flamegraph -- \
		sh -c 'dd if=/dev/zero of=/dev/null bs=1 count=200000 2>&-; echo finished; exit 3'
	[ "$status" -eq 3 ]
	[ "$output" = finished ]
	# shellcheck disable=SC2154 # run sets it
	[[ $stderr == *"wrote flame.svg"* ]]
	well_formed flame.svg
	grep -q '<title>dd (' flame.svg
	[ ! -e perf.data ]
}

@test "keeps the recording when asked" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to sample"
	"$CUPEL" flamegraph --save kept.data -o one.svg -q -- \
		dd if=/dev/zero of=/dev/null bs=1 count=200000
	"$CUPEL" flamegraph kept.data >two.svg
	diff <(grep '<title>' one.svg) <(grep '<title>' two.svg)
}

@test "a program that cannot be run" {
	run -127 "$CUPEL" flamegraph -- ./no-such-program
}

@test "no samples is an error that says why" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to sample"
	run "$CUPEL" flamegraph -F 1 -o none.svg -- true
	[ "$status" -eq 1 ]
	[[ $output == *"no samples in "*"at 1 Hz there is one sample in 1000.0 ms"* ]]
	[ ! -e none.svg ]
}
