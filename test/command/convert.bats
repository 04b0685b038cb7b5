#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel convert: every writable format keeps the contents of its input.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf '%s\n' 'a b 1/2 [000] 1.5: 7 cycles: ' '	20 in (inlined)' '	20 f(int)+0x1 (/bin/a)' \
		'	ffffffff81000000 sys_x ([kernel.kallsyms])' '' \
		'c 3/4 [001] 1.6: 9 faults: ' '	20 g+0x1 (/bin/a)' '' >in.txt
}

# The stacks of an event with thread names and annotations.
stacks() {
	"$CUPEL" collapse --tid --all --inline --whole-names --event-filter "$2" "$1" 2>/dev/null
}

@test "the input is a word or an option" {
	"$CUPEL" convert in.txt words.pb.gz
	"$CUPEL" convert -i in.txt option.pb.gz
	cmp words.pb.gz option.pb.gz
	"$CUPEL" convert -i in.txt -o output.pb.gz
	cmp words.pb.gz output.pb.gz
	run -2 "$CUPEL" convert -i in.txt a.pb.gz b.pb.gz
}

@test "reads flame graphs" {
	printf 'a;b 0.5\na;b;c 3.125\na;"<&>]]> 2\n' | sort >stacks
	for picture in out.svg out.html; do
		"$CUPEL" flamegraph -o $picture stacks
		"$CUPEL" collapse --whole-names $picture | diff stacks -
	done
	"$CUPEL" flamegraph --no-javascript -o out.svg stacks
	"$CUPEL" collapse --whole-names out.svg | diff stacks -
	"$CUPEL" convert --format speedscope out.svg | grep -q '"weights":\[.*3.125'
	"$CUPEL" diff -o diff.html stacks stacks
	"$CUPEL" collapse --whole-names --event-filter before diff.html | diff stacks -
}

@test "threads, events, weights, inlined and kernel functions survive a round trip" {
	for format in pprof speedscope firefox perf-script; do
		"$CUPEL" convert --format "$format" in.txt -o out
		for event in cycles faults; do
			[ "$(stacks out "$event")" = "$(stacks in.txt "$event")" ] || {
				echo "$format $event: $(stacks out "$event")"
				false
			}
		done
	done
}

@test "a trace keeps stacks and weights" {
	"$CUPEL" convert --format chrome-trace in.txt -o out
	[ "$("$CUPEL" collapse --tid out 2>/dev/null)" = "$("$CUPEL" collapse --tid in.txt 2>/dev/null)" ]
}

@test "the output's suffix selects the format" {
	"$CUPEL" convert in.txt out.svg
	grep -q '<svg' out.svg
	"$CUPEL" convert in.txt out.html
	grep -qi '<!doctype html' out.html
	"$CUPEL" convert in.txt out.callgrind
	grep -q '^fn=sys_x' out.callgrind
	"$CUPEL" convert in.txt out.pb.gz
	gzip -t out.pb.gz
	"$CUPEL" convert in.txt -o out.speedscope.json
	grep -q 'speedscope.app' out.speedscope.json
	"$CUPEL" convert --format folded in.txt | grep -q '^a_b;sys_x;f(int);in_\[i\] 7$'
}

@test "one event only" {
	"$CUPEL" convert --event-filter faults --format folded in.txt >out
	[ "$(cat out)" = 'c;g 9' ]
}

# Each field of a profile that can hold a secret has one; all else must stay.
@test "--redact writes no user, host, path or argument in any format" {
	printf '%s\n' '# hostname : vault.example.org' '# cmdline : cupel record ./sesame --key=swordfish' \
		'sesame 3/4 [001] 1.6: 9 cycles: ' '	20 open_it+0x1 (/home/alibaba/cave/sesame)' \
		'	21 LazyCompile:~f /home/alibaba/cave/loot.js:3:1+0x1 (/tmp/perf-3.map)' \
		'	22 puts+0x1 (/usr/lib/libc.so.6)' '' >secret.txt
	for format in $("$CUPEL" convert --list | awk '$2 ~ /w/ { print $1 }') flamegraph heatmap html report \
		tree stacks; do
		case $format in
		flamegraph) "$CUPEL" flamegraph --redact -o out secret.txt ;;
		html) "$CUPEL" flamegraph --redact -o out.html secret.txt && mv out.html out ;;
		heatmap) "$CUPEL" heatmap --redact -o out secret.txt ;;
		report) "$CUPEL" report --redact -s comm,dso,sym -i secret.txt >out ;;
		tree) "$CUPEL" report --redact --json secret.txt >out ;;
		stacks) "$CUPEL" collapse --redact --pid secret.txt >out ;;
		*) "$CUPEL" convert --redact --format "$format" secret.txt -o out ;;
		esac
		! gzip -t out 2>/dev/null || { gunzip -c <out >plain && mv plain out; }
		python3 - >>out <<-'EOF'
			import base64, re, sys, zlib
			for text in re.findall(rb"[A-Za-z0-9+/]{40,}=*", open("out", "rb").read()):
			    try: sys.stdout.buffer.write(zlib.decompress(base64.b64decode(text)))
			    except Exception: pass
		EOF
		run ! grep -aE 'alibaba|cave|sesame|loot|swordfish|vault|example|/tmp|/home' out
		grep -aq open_it out || { echo "$format has no functions"; false; }
	done
	[ "$("$CUPEL" collapse --redact secret.txt)" = 'file-2;puts;LazyCompile:~f /folder-3/file-3.js:3:1;open_it 9' ]
	"$CUPEL" diff --redact secret.txt secret.txt >out
	run ! grep -E 'secret|alibaba|sesame' out
	run "$CUPEL" report --redact --header secret.txt
	[ "$status" -eq 2 ]
}

@test "invalid formats and outputs are errors" {
	run "$CUPEL" convert in.txt out.unknown
	[ "$status" -eq 2 ]
	run "$CUPEL" convert --format nonsense in.txt
	[ "$status" -eq 2 ]
	[[ $output == *"unknown format 'nonsense'"* ]]
	run "$CUPEL" convert --format perf.data in.txt
	[ "$status" -eq 2 ]
	[[ $output == *"is an input format only"* ]]
	run "$CUPEL" convert in.txt a b
	[ "$status" -eq 2 ]
}

# The list, --help and the table in the docs come from one registry: rows "| `NAME` | rw | SUFFIX |".
@test "every format is in --list, every writable one in --help, and all in doc/formats.md" {
	"$CUPEL" convert --list | awk '{ print "| `" $1 "` | " $2 " | " ($3 == "-" ? "–" : "`" $3 "`") " |" }' >list
	[ "$(wc -l <list)" -ge 25 ]
	grep -o '^| `[^`]*` | [r-][w-] | [^|]* |' "$BATS_TEST_DIRNAME/../../doc/formats.md" | diff list -
	help=$("$CUPEL" convert --help | tr -s ' \n' ' ')
	words=$("$CUPEL" convert --list | awk '$2 ~ /w/ { print $1 }' | paste -sd ' ' |
		sed 's/ /, /g; s/, \([^ ]*\)$/ or \1/')
	[[ $help == *": $words -o, --output"* ]] || { echo "$help"; echo "$words"; false; }
	for name in $("$CUPEL" convert --list | awk '$2 ~ /w/ { print $1 }'); do
		"$CUPEL" convert --format "$name" in.txt -o out
		[ -s out ]
	done
}
