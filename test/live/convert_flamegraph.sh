#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# FlameGraph's flamegraph.pl and stackcollapse-perf.pl read the output of cupel convert and cupel
# diff: from a checkout in FLAMEGRAPH_DIR, else the old flamegraph.pl of Perl's profiler NYTProf.
set -eu
script=${FLAMEGRAPH_DIR:-/usr/share/perl5/Devel/NYTProf}/flamegraph.pl
if [ ! -r "$script" ] || ! command -v perl >/dev/null; then
	echo "no flamegraph.pl at $script (set FLAMEGRAPH_DIR)"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '%s\n' 'dd 1/1 [000] 1.0: 600 cpu-clock: ' '	3 hot+0x1 (/bin/dd)' '  hot.c:7' '	1 main+0x1 (/bin/dd)' '' \
	'dd 1/2 [000] 1.1: 300 cpu-clock: ' '	4 in (inlined)' '	4 warm+0x1 (/bin/dd)' '	1 main+0x1 (/bin/dd)' '' \
	'dd 1/1 [001] 1.2: 5 faults: ' '	ffffffff81000000 do_fault ([kernel.kallsyms])' '' >"$work/in.txt"

# draws TITLE ARGUMENTS...: the picture of standard input has a frame with TITLE.
draws() {
	perl "$script" "${@:2}" >"$work/out.svg"
	grep -qF "<title>$1" "$work/out.svg" || {
		echo "flamegraph.pl ${*:2}: no '$1' but:"
		grep '<title>' "$work/out.svg"
		exit 1
	}
}
# Without annotations, which older releases print as part of names.
folded() {
	"$CUPEL" convert --format folded --event-filter cpu-clock "$work/in.txt" | sed 's/_\[.\]//g'
}
folded | draws 'hot (600 samples, 66.67%)'
folded | draws 'in (300 ns, 33.33%)' --countname=ns
folded | draws 'hot (600 samples, 66.67%)' --reverse --inverted
# The same frames with the same numbers as in cupel's picture.
titles() {
	sed -n 's/.*<title>\(.* ([0-9,]* samples, [0-9.]*%)\)<.*/\1/p' "$1" | grep -v '^all (' | LC_ALL=C sort
}
folded >"$work/plain.folded"
perl "$script" "$work/plain.folded" >"$work/theirs.svg"
"$CUPEL" flamegraph --no-javascript --no-interval "$work/plain.folded" >"$work/ours.svg"
[ "$(titles "$work/ours.svg" | wc -l)" -eq 5 ]
diff <(titles "$work/theirs.svg") <(titles "$work/ours.svg")

# Releases since 2014 draw two columns; NYTProf's is older.
if [ -r "${script%/*}/difffolded.pl" ]; then
	printf 'app;grew 10\napp;shrank 30\n' >"$work/before"
	printf 'app;grew 30\napp;shrank 10\n' >"$work/after"
	"$CUPEL" diff --format folded "$work/before" "$work/after" |
		draws 'grew (30 samples, 75.00%; +50.00%)'
fi
if [ -r "${script%/*}/stackcollapse-perf.pl" ]; then
	"$CUPEL" convert --format perf-script "$work/in.txt" |
		perl "${script%/*}/stackcollapse-perf.pl" --all >"$work/out.folded" 2>/dev/null
	grep -qx 'dd;main;hot 600' "$work/out.folded"
	echo "checked by flamegraph.pl, stackcollapse-perf.pl"
else
	echo "checked by flamegraph.pl"
fi
