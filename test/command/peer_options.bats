#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Every option of flamegraph.pl, inferno-flamegraph, stackcollapse-perf.pl and inferno-collapse-perf,
# with its meaning there. Names that cupel record has too (-c, -v) keep the meaning of record.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf 'app;b;c 5\napp;b 3\napp;d 2\napp;z;e 1\n' >in.folded
	printf 'app;up 10 30\napp;down 30 10\n' >two.folded
	printf '%s\n' 'java 7/8 [000] 1.0: 2 cycles: ' '	ffffffff81000001 sys_read+0x1 ([kernel.kallsyms])' \
		'	4 Lorg/Foo;::run+0x0 (/tmp/perf-7.map)' '	3 in (inlined)' '	3 f(int)+0x2 (/bin/java)' \
		'  f.c:7' '	9 [unknown] (/lib/x.so)' '' 'java 7/9 [000] 1.1: 5 faults: ' '	3 g+0x2 (/bin/java)' '' \
		>in.script
}

# draws NEEDLE OPTIONS...: the picture contains it.
draws() {
	"$CUPEL" flamegraph "${@:2}" in.folded >out.svg || return 1
	grep -q -- "$1" out.svg || {
		echo "${*:2}: no '$1'"
		return 1
	}
}

@test "flamegraph.pl: words and sizes" {
	draws 'id="title"[^>]*>T<' --title T
	draws 'id="subtitle"[^>]*>S<' --subtitle S
	draws '<!-- NOTES: N' --notes N
	draws ' width="640"' --width 640
	draws '<rect [^>]*height="23"' --height 24
	draws 'font-family="Courier"' --fonttype Courier
	draws 'font-size="9"' --fontsize 9
	draws '>app</text>' --fontwidth 2
	run draws '>app</text>' --fontwidth 90
	[ "$status" -eq 1 ]
	draws 'smaller) (3 samples' --minwidth 100 --width 400
	draws 'smaller) (3 samples' --minwidth 25%
	draws 'all (11 bytes, 100%)' --countname bytes
	draws '<g' --nametype Frame: # test/web/flame_graph.py reads it
	draws 'all (22 samples, 100%)' --factor 2
	draws 'app (11 samples, 50.00%' --total 22
	printf 'b\thref=https://example.org/b\n' >names
	draws '<a xlink:href="https://example.org/b"' --nameattr names --no-javascript
	printf 'caf\351 1\n' >latin
	"$CUPEL" flamegraph --encoding ISO-8859-1 latin | grep -q '<title>café (1'
	"$CUPEL" flamegraph --help | grep -q '^usage: cupel flamegraph'
}

@test "flamegraph.pl: colours" {
	declare -A seen
	for palette in hot mem io wakeup chain java js perl red green blue aqua yellow purple orange; do
		draws '<title>app (' --colors $palette --no-javascript
		fill=$(grep -o '<title>c (.*fill="[^"]*"' out.svg | grep -o 'rgb([^)]*)')
		[ -n "$fill" ]
		seen[$fill]=1
	done
	[ "${#seen[@]}" -ge 9 ]
	for color in yellow blue green grey; do
		draws linearGradient --bgcolors $color
	done
	draws '#123456' --bgcolors '#123456'
	draws 'b (8' --hash --no-javascript
	cp out.svg one.svg
	draws 'b (8' --no-javascript
	diff <(grep '<title>' one.svg) <(grep '<title>' out.svg)
	draws 'b (8' --random --no-javascript
	draws 'b (8' --cp && grep -q '^b->rgb(' palette.map
}

@test "flamegraph.pl: stacks" {
	draws '<title>c (5 samples, 45.45%' --reverse
	draws '>Icicle Graph<' --inverted
	draws '>Flame Chart<' --flamechart
	[ "$(grep -c '<title>b (' out.svg)" -eq 1 ] # they stand side by side in the input
	"$CUPEL" flamegraph --no-javascript two.folded | grep '<title>up' | grep -q 'rgb(255,40,40)'
	"$CUPEL" flamegraph --no-javascript --negate two.folded | grep '<title>down' |
		grep -q 'rgb(255,40,40)'
	"$CUPEL" flamegraph in.folded two.folded >out.svg # several inputs are one profile
	grep -q '<title>b (8 samples' out.svg
}

@test "inferno-flamegraph: additional options" {
	draws '>Icicle Graph<' -i
	draws 'b (8' --deterministic
	draws 'b (8' --no-sort
	draws 'b (8' --truncate-text-right
	draws 'rgb(255,' --colordiffusion --no-javascript
	draws '#010203' --uicolor '#010203'
	draws '<g' --search-color '#010203'
	draws 'stroke="#010203"' --stroke-color '#010203'
	draws '<g' --stroke-color none
	draws '<title>all (8 samples, 100%)' --base b
	draws '<title>c (5' --colors python
	draws '<title>c (5' --colors rust
	plain=$("$CUPEL" flamegraph --no-javascript in.folded | wc -l)
	[ "$("$CUPEL" flamegraph --no-javascript --pretty-xml in.folded | wc -l)" -gt "$plain" ]
	[ "$("$CUPEL" flamegraph --no-javascript in.folded | grep -c '<script')" -eq 0 ]
	run "$CUPEL" flamegraph -q -o out.svg in.folded
	[ "$status" -eq 0 ] && [ -z "$output" ]
	run "$CUPEL" flamegraph -vv -o out.svg in.folded
	[ "$status" -eq 0 ]
}

# folds LINE OPTIONS...
folds() {
	"$CUPEL" collapse "${@:2}" in.script >out 2>errors || return 1
	grep -qxF -- "$1" out || {
		echo "${*:2}: no '$1' but:"
		cat out
		return 1
	}
}

@test "stackcollapse-perf.pl: every option" {
	folds 'java;[x.so];f;in;org/Foo:::run;sys_read 2'
	folds 'java-7;[x.so];f;in;org/Foo:::run;sys_read 2' --pid
	folds 'java-7/8;[x.so];f;in;org/Foo:::run;sys_read 2' --tid
	folds 'java;[x.so];f;in;org/Foo:::run;sys_read_[k] 2' --kernel
	folds 'java;[x.so];f;in;org/Foo:::run_[j];sys_read 2' --jit
	folds 'java;[x.so];f;in;org/Foo:::run_[j];sys_read_[k] 2' --all
	folds 'java;[x.so <9>];f;in;org/Foo:::run;sys_read 2' --addrs
	folds 'java;[x.so];f;in_[i];org/Foo:::run;sys_read 2' --inline
	folds 'java;[x.so];f:f.c:7;in;org/Foo:::run;sys_read 2' --srcline
	folds 'java;[x.so];f:f.c:7;in_[i];org/Foo:::run;sys_read 2' --inline --context
	folds 'java;g 5' --event-filter faults
	folds 'java;f;in;org/Foo:::run;sys_read 2' --skip-after f
}

@test "inferno-collapse-perf: additional options" {
	folds 'java;[x.so];f;in;org/Foo:::run;sys_read 2' -n 1
	grep -q 'not shown' errors
	folds 'java;[x.so];f;in;org/Foo:::run;sys_read 2' --nthreads 2 -q
	[ ! -s errors ]
	folds 'java;[x.so];f;in;org/Foo:::run;sys_read 2' -vv
}
