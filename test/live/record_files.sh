#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --switch-output by signal, size and time, --switch-max-files, snapshots of overwriting rings, and
# --control over a FIFO.
set -u
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
command -v perf >/dev/null || {
	echo "needs perf"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

fail() {
	echo "FAIL: $*"
	failed=1
}

counted() {
	perf script --no-inline -f -i "$1" -F event 2>/dev/null | grep -c .
}

# Every file of a switched recording can be read without the others and has the program's name and maps.
# The last one may have started just before the end.
readable() {
	last=$(find . -name 'c.data.*' | sort | tail -1)
	for file in ./c.data.*; do
		[ "$(counted "$file")" -gt 0 ] || [ "$file" = "$last" ] ||
			fail "$1: $file has no samples"
		[ "$(counted "$file")" -gt 0 ] || continue
		perf report --no-inline -f -i "$file" --stdio -g none --sort comm,dso 2>/dev/null |
			grep -Eq '(sh|dash|bash) +.*(dash|bash|kernel)' ||
			fail "$1: $file does not know the program"
	done
	[ ! -e c.data ] || fail "$1: c.data was left"
}

# shellcheck disable=SC2016 # the inner shell expands it
spin='i=0; while [ $i -lt 1500000 ]; do i=$((i + 1)); done'

# The recorded program has run for a while.
half_done() {
	wait_for child_of "$recorder" sh && wait_for has_used "$child" 20 || fail "the program does not run"
}

"$CUPEL" record -o c.data --switch-output -- sh -c "$spin" 2>summary &
recorder=$!
half_done
kill -USR2 $recorder
wait $recorder
[ "$(find . -name 'c.data.*' | wc -l)" = 2 ] || fail "signal: $(ls) $(cat summary)"
readable signal
rm -f c.data*

"$CUPEL" record -o c.data --overwrite --switch-output=signal -- sh -c "$spin" 2>summary &
recorder=$!
half_done
kill -USR2 $recorder
wait $recorder
[ "$(find . -name 'c.data.*' | wc -l)" = 2 ] || fail "overwrite: $(ls) $(cat summary)"
readable overwrite
rm -f c.data*

"$CUPEL" record --call-graph fp -F 20000 -o c.data --switch-output=300K --switch-max-files 2 -- \
	sh -c "$spin" 2>summary
[ "$(find . -name 'c.data.*' | wc -l)" = 2 ] || fail "size: $(ls) $(cat summary)"
readable size
rm -f c.data*

"$CUPEL" record -o c.data --switch-output=1s --duration 2500ms -a 2>summary
[ "$(find . -name 'c.data.*' | wc -l)" = 3 ] || fail "time: $(ls) $(cat summary)"
rm -f c.data*

mkfifo control ack
"$CUPEL" record -o c.data -D -1 --control fifo:control,ack -- sh -c "$spin; $spin" 2>summary &
recorder=$!
exec 5<>ack
for command in ping enable evlist disable stop; do
	echo $command >control
	read -r -t 60 answer <&5
	[ "$answer" = ack ] || fail "control: $command is answered '$answer'"
	[ $command != enable ] ||
		{ wait_for child_of $recorder sh && wait_for has_used "$child" $(($(cpu_used "$child") + 10)); } ||
		fail "control: the program does not run"
done
wait $recorder
grep -q 'cpu-clock\|cycles' summary || fail "control: evlist prints nothing"
grep -q 'events enabled' summary || fail "control: enable prints nothing"
n=$(counted c.data)
[ "$n" -gt 20 ] || fail "control: $n samples"
rm -f c.data* ack control

# The highest compression takes its readers no more memory than they may have; perf's takes more.
"$CUPEL" record -z22 -o c.data -- sh -c "$spin" 2>summary
n=$(counted c.data)
[ "$n" -gt 20 ] || fail "-z22: $n samples: $("$CUPEL" script -i c.data 2>&1 | tail -n 1)"
if command -v perf >/dev/null && perf record -z22 -q -o c.data -- sh -c "$spin" 2>summary; then
	"$CUPEL" script -i c.data >out 2>said || grep -q 'hint: .*--trust' said || fail "perf's -z22: $(cat said)"
	"$CUPEL" script --trust -i c.data >out || fail "perf's -z22 with --trust"
fi
rm -f c.data*

exit $failed
