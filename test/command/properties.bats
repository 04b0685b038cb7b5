#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Invariants under every option: no weight is lost, and no name becomes markup or script.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf '%s\n' 'a b 1/2 [0] 1.5: 7 cycles: ' '	20 f(int)+0x1 (/bin/a)' \
		'	30 r+0x1 (/bin/a)' '	30 r+0x1 (/bin/a)' \
		'	ffffffff81000000 sys_x ([kernel.kallsyms])' '' \
		'java 3/4 [1] 1.6: 9 cycles: ' '	20 Lx/Y;::z (/tmp/perf-3.map)' '	1 in (inlined)' \
		'  a.c:7' '	7f [unknown] (/bin/b)' '' \
		'c 5/5 [1] 1.7: 100 cycles: ' '' >in.txt
	# shellcheck disable=SC2016 # names, not expansions
	printf 'a;%s 5\n' '</script><script>alert(1)</script>' '"onload="alert(1)' "'-alert(1)-'" \
		'<img src=x onerror=alert(1)>' '`${alert(1)}`' '<!--<script>' ']]><svg onload=alert(1)>' \
		'&lt;script&gt;' '\u003cscript' 'javascript:alert(1)' >hostile.folded
}

sum() {
	awk '{ sum += $NF } END { print sum + 0 }'
}

@test "collapse keeps all weight under every option" {
	for option in "" --pid --tid --no-comm --kernel --jit --all --inline --addrs --srcline --context \
		--perl-names --whole-names --all-events --keep-unfinished "--event-filter cycles" \
		"--skip-after r" "--skip-after sys_x" --merge-recursion --includeoffset --no-modules \
		--no-demangle "--tid --all --addrs --srcline --merge-recursion"; do
		# shellcheck disable=SC2086 # words of options
		[ "$("$CUPEL" collapse $option in.txt | sum)" = 116 ] || { echo "lost by: $option"; false; }
	done
}

@test "flamegraph draws all weight under every option" {
	for option in "" --inverted --reverse --flamechart --random --width=200 --minwidth=30% \
		--minwidth=200 --roots=pid --roots=tid --roots=none --no-sort --negate --colordiffusion \
		--no-javascript --pretty-xml "--reverse --minwidth=30% --roots=tid"; do
		# shellcheck disable=SC2086 # words of options
		"$CUPEL" flamegraph --by=weight $option in.txt >out.svg
		grep -q '<title>all (116 ' out.svg || { echo "lost by: $option"; false; }
	done
	[ "$("$CUPEL" flamegraph --by=samples in.txt | grep -c '<title>all (3 samples, 100%)')" -eq 1 ]
}

@test "every format keeps all weight" {
	for format in folded pprof speedscope firefox chrome-trace perf-script callgrind; do
		"$CUPEL" convert --format $format in.txt -o "out.$format"
		[ "$("$CUPEL" collapse --all-events "out.$format" | sum)" = 116 ] || { echo "$format"; false; }
	done
}

# Counts script elements and event attributes; hostile names must not add any.
active() {
	grep -oiE '<script|</script|<img|<svg|<iframe|<object' "$1" | tr '[:upper:]' '[:lower:]' |
		sort | uniq -c
}

@test "no name becomes markup or script" {
	sed 's/;.* /;x /' hostile.folded >harmless.folded
	for kind in hostile harmless; do
		sed 's/ 5$/ 9/' $kind.folded >$kind.after.folded
		"$CUPEL" flamegraph $kind.folded >$kind.flame.svg
		"$CUPEL" flamegraph --format html $kind.folded >$kind.flame.html
		"$CUPEL" diff -o $kind.diff.svg $kind.folded $kind.after.folded
		"$CUPEL" diff -o $kind.diff.html $kind.folded $kind.after.folded
		awk '{ stack = $0; sub(/^a;/, "", stack); sub(/ 5$/, "", stack)
			printf "%s 1/1 [0] %d.5: 1 cycles: \n\t20 %s (/bin/%s)\n\n", "c" NR, NR, stack, "m" }' \
			$kind.folded >$kind.txt
		"$CUPEL" heatmap -o $kind.heat.html $kind.txt
	done
	for page in flame.svg flame.html diff.svg diff.html heat.html; do
		[ "$(active "hostile.$page")" = "$(active "harmless.$page")" ] || {
			echo "$page: $(active "hostile.$page") and without: $(active "harmless.$page")"
			false
		}
	done
	command -v xmllint >/dev/null || skip "no xmllint"
	xmllint --noout --nonet hostile.flame.svg hostile.diff.svg
}
