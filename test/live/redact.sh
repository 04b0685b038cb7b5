#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --redact of what no profile is made of: the text of events, time charts and the ledger have no
# user, path, argument or name of a program that the command names; an archive is refused.
set -eu
if [ "$(id -u)" != 0 ] || ! command -v cc >/dev/null; then
	echo "needs root and cc"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

mkdir -p "home/alibaba/my cave"
echo '__attribute__((noinline)) void open_it(void) { for (volatile long i = 0; i < 100000000; i++); }
int main(void) { open_it(); return 0; }' >spin.c
cc -O1 -o "home/alibaba/my cave/sesame" spin.c
program=("$work/home/alibaba/my cave/sesame" --key=swordfish)
"$CUPEL" record -q -o a.data -- "${program[@]}"
"$CUPEL" sched record -q -o s.data -- "${program[@]}"
"$CUPEL" script --redact --show-mmap-events --show-task-events -i a.data >events.out
"$CUPEL" script --redact -F +srcline -i a.data >lines.out
# programs that another one starts, scripts
printf 'def hot():\n\tfor i in range(3000000): pass\nhot()\n' >home/alibaba/swordfish.py
"$CUPEL" record -q -o shell.data -- sh -c "'home/alibaba/my cave/sesame'; python3 home/alibaba/swordfish.py; :"
"$CUPEL" script --redact --show-mmap-events --show-task-events -i shell.data >shell.out
"$CUPEL" script --redact --show-task-events -i - <shell.data >pipe.out
"$CUPEL" collapse --redact shell.data >folded.out
"$CUPEL" report --redact --stdio -i shell.data >report.out
"$CUPEL" script --redact -i s.data >sched.out
"$CUPEL" timechart --redact -i s.data -o svg.out 2>said
"$CUPEL" timechart --redact -i s.data -o chart.html 2>said
"$CUPEL" wall --redact --timeline time.html --chrome-trace trace.out --flamegraph flame.html -- \
	"${program[@]}" >wall.out 2>said || echo "not tested: wall: $(tail -n 1 said)"
for file in *.out *.html; do
	if grep -E "alibaba|cave|sesame|swordfish|$work" "$file" >found; then
		echo "FAIL: $file: $(head -c 300 found)"
		failed=1
	fi
done
grep -q 'open_it.*(/folder-.*/file-' events.out || {
	echo "FAIL: functions or pseudonyms are missing: $(tail -n 5 events.out)"
	failed=1
}
grep -q 'next_comm=arg-\|next_comm=file-' sched.out || {
	echo "FAIL: no pseudonym in tracepoints"
	failed=1
}
for args in "script --redact --header -i a.data" "archive --redact -i a.data"; do
	# shellcheck disable=SC2086 # words
	if "$CUPEL" $args >out 2>said || ! grep -q 'redact cannot' said; then
		echo "FAIL: $args: $(cat said)"
		failed=1
	fi
done
exit $failed
