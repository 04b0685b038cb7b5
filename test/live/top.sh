#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `cupel top` shows the functions of a program with their shares, on request with complete stacks. In a
# terminal it reacts to keys and restores the terminal's settings. A killed top leaves no process.
set -u
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
: "${CUPEL:?path of the cupel binary}"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
program=
trap 'kill "$program" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
cat >spin.c <<'C'
static volatile unsigned long sum;

__attribute__((noinline)) void hot(void)
{
	for (int i = 0; i < 300000; i++)
		sum++;
}

__attribute__((noinline)) void warm(void)
{
	for (int i = 0; i < 100000; i++)
		sum++;
}

int main(void)
{
	for (;;) {
		hot();
		warm();
	}
}
C
cc -O2 -fomit-frame-pointer -o spin spin.c || exit 1
./spin &
program=$!
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

if ! "$CUPEL" top -p "$program" --duration 3s -d 1 >text 2>log; then
	echo "no top here: $(head -n 1 log)"
	exit 77
fi
tac text | sed '/^cupel top/q' | tac >last
share() {
	awk -v name="$1" '$NF == name { print $1 + 0 }' last
}
awk -v hot="$(share hot)" -v warm="$(share warm)" \
	'BEGIN { exit !(hot > 60 && hot < 85 && warm > 15 && warm < 35) }' ||
	fail "shares are not 75 and 25 %: $(cat last)"
grep -q '^# Overhead  Shared Object .* Symbol$' last || fail "no headings"
[ "$(grep -c '^cupel top: [1-9][0-9]* samples in' text)" -ge 3 ] || fail "not three tables: $(cat text)"

"$CUPEL" top -p "$program" --duration 2s -d 5 -E 20 --call-graph auto >text 2>log ||
	fail "no call graph: $(cat log)"
grep -q -- '---hot$' text && grep -qx ' *main' text && grep -qx ' *_start' text ||
	fail "no chain: $(cat text)"
if grep -q 'by frame pointer' log; then
	echo "stacks are not walked in the kernel here"
	walked=
else
	walked=--stacks
	grep -q 'whole stacks \(100\|99\)\.' text || fail "stacks are not whole: $(head -n 1 text)"
fi
"$CUPEL" top -p "$program" --duration 1s -d 5 -U >text 2>log || fail "-U: $(cat log)"
! grep -q 'hot' text || fail "-U shows user space"
"$CUPEL" top -p "$program" --duration 1s -s comm,dso >text || fail "-s"
grep -q ' spin .* spin$' text || fail "no command: $(cat text)"

# shellcheck disable=SC2086 # no word, or one
python3 "$here/top_terminal.py" "$CUPEL" "$program" $walked || fail "in a terminal"
# What was written is a recording like any other, with the same samples in the same functions.
for file in perf.data.[123]; do
	"$CUPEL" report -i "$file" --stdio -g none >text || fail "report of $file"
	awk '$NF == "hot" { hot = $2 } END { exit !(hot + 0 > 50) }' text || fail "$file: $(cat text)"
	"$CUPEL" buildid-list -i "$file" | grep -q "$work/spin" || fail "$file has no build id"
done
cmp perf.data.1 perf.data.2 || fail "the panes show other samples than before"
if command -v perf >/dev/null; then
	perf report -i perf.data.3 --stdio 2>&1 | grep -q 'hot$' || fail "perf report of perf.data.3"
fi
[ "$(stat -c %a perf.data.1)" = 600 ] || fail "others may read the recording"

# Its recorder ends without a reader.
"$CUPEL" top -p "$program" --moments 37 >text 2>&1 &
top=$!
wait_for test -s text
kill -KILL "$top"
wait "$top" 2>/dev/null
recorder_is_gone() {
	! pgrep -f "top -p $program --moments 37" >/dev/null
}
wait_for recorder_is_gone || fail "a recorder is left"

"$CUPEL" top -p "$program" -d 60 >text 2>log &
top=$!
wait_for is_sampling "$top" && wait_for has_used "$program" $(($(cpu_used "$program") + 50))
kill -INT "$top"
wait "$top" || fail "exit status after Ctrl-C: $(cat log)"
grep -q ' hot$' text || fail "what was sampled until Ctrl-C is shown: $(cat text)"

"$CUPEL" top -p "$program" -d 60 >text 2>log &
top=$!
wait_for is_sampling "$top"
kill "$program"
wait "$top" || fail "the program's end: $(cat log)"
exit "$failed"
