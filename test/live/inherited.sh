#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The recorded program starts in the same state as without Cupel (inherited.py). Signals that were
# ignored at Cupel's start stay ignored.
set -u
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! "$CUPEL" wall -o "$work/probe" -- true 2>"$work/log"; then
	echo "the scheduler cannot be watched here: $(head -n 1 "$work/log")"
	exit 77
fi
python3 "$(dirname "$0")/inherited.py" "$CUPEL" "$work" || failed=1
cd "$work" || exit 1


fail() {
	echo "FAIL: $*"
	failed=1
}

# recording PID: waits until the recorder handles signals and writes its file
recording() {
	for _ in $(seq 300); do
		[ -s c.data ] && return
		kill -0 "$1" 2>/dev/null || return
		sleep 0.1
	done
}

# A shell without job control starts background programs with SIGINT ignored.
rm -f c.data
nohup "$CUPEL" record -a -o c.data >/dev/null 2>summary &
pid=$!
recording $pid
kill -HUP $pid
sleep 0.5
kill -0 $pid 2>/dev/null || fail "nohup: SIGHUP ends it: $(cat summary)"
kill -INT $pid
wait $pid
[ $? = 0 ] || fail "nohup: kill -INT: $(cat summary)"

rm -f c.data
(
	trap '' TERM
	exec "$CUPEL" record -a -o c.data 2>summary
) &
pid=$!
recording $pid
kill -TERM $pid
sleep 0.5
kill -0 $pid 2>/dev/null || fail "ignored SIGTERM ends it: $(cat summary)"
kill -HUP $pid
wait $pid
[ $? = 0 ] || fail "SIGHUP does not end it: $(cat summary)"
exit $failed
