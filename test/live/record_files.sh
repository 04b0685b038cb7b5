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
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
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

cat >spin.sh <<'P'
i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done
P
# Runs until the recorder has switched so many times, and a little longer.
cat >until_switched.sh <<'P'
until [ "$(grep -c switching summary)" -ge "$1" ]; do . ./spin.sh; done
. ./spin.sh
P
# Ends while the recorder, which was asked to switch, can do nothing.
cat >ends_first.sh <<'P'
. ./spin.sh
kill -USR2 $PPID
until grep -q switching summary; do :; done
kill -STOP $PPID
. ./spin.sh
P

has_run() {
	child_of "$recorder" sh && has_used "$child" 20
}

has_ended() {
	child_of "$recorder" sh && grep -q '^State:.Z' "/proc/$child/status" 2>/dev/null
}

switched() {
	[ "$(grep -c switching summary)" -ge "$1" ]
}

# end_of RECORDER: waits for it; sets $files to how many there are
end_of() {
	wait "$1"
	files=$(find . -name 'c.data.*' | wc -l)
}

"$CUPEL" record -o c.data --switch-output -- sh until_switched.sh 1 2>summary &
recorder=$!
wait_for has_run || fail "the program does not run"
kill -USR2 $recorder
end_of $recorder
[ "$files" = 2 ] || fail "signal: $(ls) $(cat summary)"
readable signal
rm -f c.data*

"$CUPEL" record -o c.data --switch-output -- sh ends_first.sh 2>summary &
recorder=$!
wait_for has_ended || fail "the program does not end"
kill -CONT $recorder
end_of $recorder
[ "$files" = 2 ] || fail "ended: $(ls) $(cat summary)"
readable ended
for file in c.data.*; do
	"$CUPEL" report --stdio -i "$file" --sort comm,dso -g none >out 2>said
	grep -Eq '[1-9][0-9.]*% +sh +.*(dash|bash)' out || fail "ended: $file: $(cat out said)"
	! grep ' :[0-9]' out || fail "ended: $file: a process without a name"
done
rm -f c.data*

"$CUPEL" record -o c.data --overwrite --switch-output=signal -- sh until_switched.sh 1 2>summary &
recorder=$!
wait_for has_run || fail "the program does not run"
kill -USR2 $recorder
end_of $recorder
[ "$files" = 2 ] || fail "overwrite: $(ls) $(cat summary)"
readable overwrite
rm -f c.data*

"$CUPEL" record --call-graph fp -F 20000 -o c.data --switch-output=300K --switch-max-files 2 -- \
	sh until_switched.sh 3 2>summary &
end_of $!
[ "$files" = 2 ] || fail "size: $(ls) $(cat summary)"
readable size
rm -f c.data*

"$CUPEL" record -o c.data --switch-output=1s -a 2>summary &
recorder=$!
wait_for switched 2 || fail "time: $(cat summary)"
kill -INT $recorder
end_of $recorder
[ "$files" = $(($(grep -c switching summary) + 1)) ] || fail "time: $(ls) $(cat summary)"
rm -f c.data*

mkfifo control ack
"$CUPEL" record -o c.data -D -1 --control fifo:control,ack -- sh -c 'while :; do . ./spin.sh; done' 2>summary &
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
"$CUPEL" record -z22 -o c.data -- sh -c '. ./spin.sh; . ./spin.sh' 2>summary
n=$(counted c.data)
[ "$n" -gt 20 ] || fail "-z22: $n samples: $("$CUPEL" script -i c.data 2>&1 | tail -n 1)"
if command -v perf >/dev/null && perf record -z22 -q -o c.data -- sh -c '. ./spin.sh; . ./spin.sh' 2>summary; then
	"$CUPEL" script -i c.data >out 2>said || grep -q 'hint: .*--trust' said || fail "perf's -z22: $(cat said)"
	"$CUPEL" script --trust -i c.data >out || fail "perf's -z22 with --trust"
fi
rm -f c.data*

exit $failed
