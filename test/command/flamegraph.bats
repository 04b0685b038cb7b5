#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel flamegraph: well-formed pictures for every input and option; recording a program.
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
		--factor=0.001 --total=100 --by=weight --by=samples --roots=tid --roots=none \
		--deterministic --cp --negate --colordiffusion --search-color=#010203 \
		--stroke-color=#010203 --uicolor=#010203 --truncate-text-left --truncate-text-right \
		--no-sort --base=b --encoding=ISO-8859-1 --no-javascript --pretty-xml --source; do
		"$CUPEL" flamegraph $option in.folded >out.svg
		well_formed out.svg
		grep -q '<title>all (' out.svg || { echo "no frames: $option"; false; }
	done
}

@test "options mean what flamegraph.pl means" {
	"$CUPEL" flamegraph --countname=bytes --factor=2 in.folded >out.svg
	grep -q '<title>all (22 bytes, 100%)</title>' out.svg
	grep -q '<title>b (16 bytes, 72.73%, 95% ' out.svg
	"$CUPEL" flamegraph --total=22 in.folded >out.svg
	grep -q '<title>b (8 samples, 36.36%, 95% ' out.svg
	"$CUPEL" flamegraph --reverse in.folded >out.svg
	grep -q '<title>c (5 samples, 45.45%, 95% ' out.svg
	"$CUPEL" flamegraph --title T1 --subtitle S1 in.folded >out.svg
	grep -q 'id="title"[^>]*>T1<' out.svg
	grep -q 'id="subtitle"[^>]*>S1<' out.svg
}

@test "options mean what inferno-flamegraph means" {
	"$CUPEL" flamegraph --no-javascript --base=b in.folded >out.svg
	grep -q '<title>all (8 samples, 100%)</title>' out.svg
	grep -q '<title>b (8 samples, 100.00%, 95% ' out.svg
	[ "$(grep -c '<title>a (' out.svg)" -eq 0 ]
	grep -q '27% outside the base' out.svg
	printf 'a_long_name_that_ends_here 1\n' |
		"$CUPEL" flamegraph --no-javascript --truncate-text-left --width=120 - >out.svg
	grep -q '>…t_ends_here</text>' out.svg
	printf 'z 1\na 1\n' | "$CUPEL" flamegraph --no-sort --no-javascript - >out.svg
	grep -o '<title>[az] ' out.svg | tr -d '\n' | grep -q '<title>z <title>a '
	printf 'caf\351 1\n' | "$CUPEL" flamegraph --encoding=ISO-8859-1 --no-javascript - >out.svg
	grep -q '<title>café (' out.svg
	run "$CUPEL" flamegraph --encoding=no-such in.folded
	[ "$status" -eq 2 ]
	run "$CUPEL" flamegraph --stroke-color=red in.folded
	[ "$status" -eq 2 ]
}

@test "palette.map keeps colours from one picture to the next" {
	"$CUPEL" flamegraph --cp --colors=blue --no-javascript in.folded >one.svg
	grep -q '^a->rgb(' palette.map
	sed -i 's/^a->.*/a->rgb(1,2,3)/' palette.map
	"$CUPEL" flamegraph --cp --colors=green --no-javascript in.folded >two.svg
	grep '<title>a (' two.svg | grep -q 'rgb(1,2,3)'
	diff <(grep '<title>b (' one.svg) <(grep '<title>b (' two.svg)
}

@test "attributes of functions" {
	printf 'b\thref=https://example.org/b\tonclick=evil()\n' >names
	run --separate-stderr "$CUPEL" flamegraph --nameattr=names --no-javascript in.folded
	[ "$status" -eq 0 ]
	[[ $output == *'<a xlink:href="https://example.org/b" target="_top"><title>b ('* ]]
	[[ $output != *evil* ]]
	# shellcheck disable=SC2154 # run sets it
	[[ $stderr == *"names: 1 unrecognized"* ]]
}

@test "HTML pages" {
	"$CUPEL" flamegraph -o out.html in.folded
	head -n 1 out.html | grep -q '<!DOCTYPE html>'
	"$CUPEL" flamegraph --format=html in.folded | cmp - out.html
	"$CUPEL" flamegraph --format=svg -o other.html in.folded
	well_formed other.html
	[ "$(grep -o 'https\?://[a-z0-9.]*' out.html | sort -u)" = http://www.w3.org ] # a namespace
}

@test "two columns are compared" {
	printf 'a;up 10 30\na;down 30 10\na;gone 4 0\n' >two.folded
	"$CUPEL" flamegraph --no-javascript two.folded >out.svg
	grep -q '<title>up (30 samples, 75.00%, 95% .*; +50.00%)</title>' out.svg
	grep -q '<title>down (10 samples, 25.00%, 95% .*; -50.00%)</title>' out.svg
	grep -q 'of the samples before are gone' out.svg
	"$CUPEL" flamegraph --no-javascript --negate two.folded >negated.svg
	[ "$(grep -c 'rgb(255,40,40)' out.svg)" -eq 1 ]
	grep '<title>down' negated.svg | grep -q 'rgb(255,40,40)'
}

@test "--find prints the share of matches as text, with a picture only on request" {
	run --separate-stderr "$CUPEL" flamegraph --find '^b$' in.folded
	[ "$status" -eq 0 ]
	[ "$output" = ' 72.73 %  of samples matches /^b$/ (8 of 11 samples)' ]
	[ ! -e flame.svg ]
	run --separate-stderr "$CUPEL" flamegraph --find '^b$' -o out.html in.folded
	[[ $output == ' 72.73 %'* ]]
	grep -q '<!DOCTYPE html>' out.html
	run --separate-stderr "$CUPEL" flamegraph --find '^b$' -o - in.folded
	[[ $output == '<?xml'* ]]
	# shellcheck disable=SC2154 # run sets it
	[[ $stderr == *'72.73 %'* ]]
	run "$CUPEL" flamegraph --find '(' in.folded
	[ "$status" -eq 2 ]
	run "$CUPEL" flamegraph --find b --event-filter no-such in.folded
	[ "$status" -eq 1 ]
	printf 'a 1/1 1.0: 9 cycles: \n\t1 f (/a)\n\na 1/1 1.1: 1 cycles: \n\t2 g (/a)\n\n' >periods
	[[ $("$CUPEL" flamegraph --find '^f$' periods) == ' 90.00 %'* ]]
	[[ $("$CUPEL" flamegraph --by samples --find '^f$' periods) == ' 50.00 %'* ]]
}

@test "wide characters take two columns" {
	printf 'a;日本語の関数名 1\na;b 9\n' >wide
	"$CUPEL" flamegraph --width 700 wide >out.svg
	grep -q '>日本語…</text>' out.svg
	"$CUPEL" flamegraph --width 700 --truncate-text-left wide >out.svg
	grep -q '>…関数名</text>' out.svg
	"$CUPEL" flamegraph wide >out.svg
	grep -q '>日本語の関数名</text>' out.svg
}

@test "narrow frames are merged" {
	"$CUPEL" flamegraph --minwidth=20% in.folded >out.svg
	grep -q '<title>(2 smaller) (3 samples, 27.27%)</title>' out.svg
	grep -q '27% in frames too small to draw' out.svg
}

@test "--wall shows on-CPU and off-CPU time" {
	printf 'a 7/7 1.0: 2000000 cpu-clock: \n\t1 f (/a)\n\na 7/7 1.1: 6000000 offcpu-time: \n\t1 f (/a)\n\n' >both
	"$CUPEL" flamegraph --wall both | grep -q '<title>f (8,000,000 ns, 100.00%)'
	[[ $("$CUPEL" flamegraph --wall --find '^f$' both) == '100.00 %'* ]]
	"$CUPEL" flamegraph both | grep -q '<title>f (1 samples, 100.00%, 95% '
	run "$CUPEL" flamegraph --wall in.folded
	[ "$status" -eq 1 ]
	[[ $output == *"-e cpu-clock,off-cpu"* ]]
	run "$CUPEL" flamegraph --wall --off-cpu both
	[ "$status" -eq 2 ]
}

@test "usage errors" {
	run "$CUPEL" flamegraph --minwidth=x in.folded
	[ "$status" -eq 2 ]
	run "$CUPEL" flamegraph --roots=x in.folded
	[ "$status" -eq 2 ]
	[[ $output == *"invalid value 'x': expected one of comm, pid, tid, none"* ]]
	run "$CUPEL" flamegraph --colors=beige in.folded
	[ "$status" -eq 2 ]
	[[ $output == *"expected one of "* ]]
	for wrong in --height=2 --width=99 --fontsize=1e9 --factor=-1 --encoding=x '--find=(' \
		--uicolor=red --nameattr=/nowhere -o/nowhere/x.svg; do
		run "$CUPEL" flamegraph "$wrong" -- touch ran
		[ "$status" -ne 0 ]
		[ ! -e ran ] # the program does not start if the picture cannot be drawn
	done
	run "$CUPEL" flamegraph --base=nobody in.folded
	[ "$status" -eq 1 ]
	[[ $output == *"no stack has a --base function"* ]]
	run "$CUPEL" flamegraph in.folded no-such-file
	[ "$status" -eq 1 ]
	run "$CUPEL" flamegraph --
	[ "$status" -eq 2 ]
	printf '#!/bin/sh\necho hello\n' >program
	chmod +x program
	run "$CUPEL" flamegraph ./program
	[ "$status" -eq 1 ]
	[[ $output == *"cupel flamegraph -- ./program"* ]]
}

@test "records a program and returns its exit status" {
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

@test "keeps the recording on request" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to sample"
	"$CUPEL" flamegraph --save kept.data -o one.svg -q -- \
		dd if=/dev/zero of=/dev/null bs=1 count=200000
	"$CUPEL" flamegraph kept.data >two.svg
	diff <(grep '<title>' one.svg) <(grep '<title>' two.svg)
}

@test "a program that cannot be run is an error" {
	run -127 "$CUPEL" flamegraph -- ./no-such-program
}

@test "no samples: an error with the reason" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to sample"
	run "$CUPEL" flamegraph -F 1 -o none.svg -- true
	[ "$status" -eq 1 ]
	[[ $output == *"no samples in "*"1 Hz means one sample every 1000.0 ms"* ]]
	[ ! -e none.svg ]
}

@test "on a full disk the old picture and the recording are kept" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to mount"
	mkdir small
	mount -t tmpfs -o size=64k tmpfs small || skip "cannot mount"
	head -c 30000 /dev/zero >small/filler
	echo older >small/out.svg
	run "$CUPEL" flamegraph -o small/out.svg in.folded
	[ "$status" -eq 1 ]
	[[ $output == *"small/out.svg: No space left on device"* ]]
	[ "$(cat small/out.svg)" = older ]
	[ "$(ls small)" = "$(printf 'filler\nout.svg')" ]
	TMPDIR=$PWD run "$CUPEL" flamegraph -o small/out.svg -- dd if=/dev/zero of=/dev/null bs=1 count=200000
	[ "$(cat small/out.svg)" = older ]
	umount small
	[[ $output == *"the picture of the recording is in $PWD/cupel-picture-"* ]]
	well_formed cupel-picture-*
}

@test "prints samples, losses, the file and the replaced file" {
	run "$CUPEL" flamegraph -o new.svg in.folded
	[ "$output" = "[ cupel: wrote new.svg: 11 samples, 0 lost ]" ]
	run "$CUPEL" flamegraph -o new.svg in.folded
	[ "$output" = "[ cupel: replaced new.svg: 11 samples, 0 lost ]" ]
	run "$CUPEL" flamegraph -q -o new.svg in.folded
	[ -z "$output" ]
}

@test "a warning about frames that do not fit an SVG names the page that has them" {
	awk 'BEGIN { for (i = 0; i < 300000; i++) printf "app;f%d;g%d 1\n", i % 1000, i / 1000 }' >many.folded
	run "$CUPEL" flamegraph -o many.svg many.folded
	[ "$status" -eq 0 ]
	[[ $output == *"% of the profile is in frames too small for an SVG"*"-o flame.html"* ]]
	grep -q 'id="missing".* in frames too small to search in an SVG (-o flame.html has them)' many.svg
	run "$CUPEL" flamegraph -o many.html many.folded
	[[ $output != *"too small"* ]]
	[ "$("$CUPEL" flamegraph in.folded 2>&1 | grep -c 'too small to search in an SVG')" -eq 0 ]
}

@test "--code takes the address of a page, not a script" {
	echo 'a;b 1' >in.folded
	"$CUPEL" flamegraph --code code.html -o out.svg in.folded
	run "$CUPEL" flamegraph --code 'javascript:alert(1)//' -o out.svg in.folded
	[ "$status" -eq 2 ]
	[[ $output == *"--code: not the address of a page: 'javascript:alert(1)//'"* ]]
}

@test "weights of an unknown kind are not called samples" {
	printf 'a;b 2002002\na;c 1001001\n' >weights.folded
	run "$CUPEL" flamegraph -o weights.svg weights.folded
	[ "$output" = "[ cupel: wrote weights.svg: 3003003 units of weight, 0 lost ]" ]
	grep -q '>3003003 units<' weights.svg
	grep -q 'Width is weight, in units that the input does not name (--countname)' weights.svg
	[ "$(grep -c '3003003 samples' weights.svg)" -eq 0 ]
	"$CUPEL" flamegraph --countname ns -o named.svg weights.folded
	grep -q 'Width is ns:' named.svg
	[ "$(grep -c '[0-9] units' named.svg)" -eq 0 ]
}
