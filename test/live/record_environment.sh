#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sanitizers: yes
# Errors in the environment: no standard streams, few descriptors, a reader that exits, a full device, a
# FIFO without a reader, targets that exit. Each is one clear error, and the program runs as without
# Cupel.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
ulimit -c 0
failed=0

fail() {
	echo "FAIL: $*"
	failed=1
}

# one NAME STATUS: `status` contains STATUS; for 1, `errors` has one error
one() {
	[ "$(cat status)" = "$2" ] || fail "$1: status $(cat status), not $2: $(cat errors)"
	if [ "$2" = 1 ] && [ "$(grep -c '^cupel: record: ' errors)" != 1 ]; then
		fail "$1: $(cat errors)"
	fi
}

# run NAME STATUS COMMAND...
run() {
	name=$1
	want=$2
	shift 2
	timeout 60 "$@" 2>errors
	echo $? >status
	one "$name" "$want"
}

# shellcheck disable=SC2016 # the inner shell expands it
bounded='i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; echo done >ran; exit 7'

"$CUPEL" record -o c.data -- sh -c 'echo out; echo err >&2; exit 3' <&- >&- 2>&-
[ $? = 3 ] || fail "closed streams: the status is not the program's"
"$CUPEL" report --stats -i c.data >stats 2>&1 || fail "closed streams: $(cat stats)"
! grep -q damage stats || fail "closed streams: $(cat stats)"

run "closed stdin" 7 "$CUPEL" record -o c.data -- sh -c "$bounded" <&-
rm -f ran

# (the reader exits after more bytes than are written before the program starts)
("$CUPEL" record -F 20000 -o - -- sh -c "$bounded" 2>errors
	echo $? >status) | head -c 150000 >/dev/null
[ ! -e ran ] && [ "$(cat status)" = 7 ] && fail "reader leaves: the program was stopped"
if [ "$(cat status)" = 1 ]; then
	[ -e ran ] || fail "reader leaves: the program was harmed"
	one "reader leaves" 1
	! grep -q 'no samples' errors || fail "reader leaves: $(cat errors)"
fi
rm -f ran

run "full device" 1 "$CUPEL" record -o /dev/full -- sh -c "$bounded"
run "a folder" 1 "$CUPEL" record -o "$work" -- sh -c "$bounded"
mkfifo fifo
run "a FIFO without a reader" 7 "$CUPEL" record --call-graph none -F 99 -o fifo -- sh -c "$bounded"
rm -f ran
# More data than fits in a FIFO: the recorder waits for a reader until SIGTERM.
timeout 30 "$CUPEL" record -F 20000 -o fifo -- sh -c "$bounded" 2>errors &
waiting=$!
until [ -e ran ] || ! kill -0 $waiting 2>/dev/null; do sleep 0.1; done
sleep 0.3
kill -TERM $waiting
wait $waiting
echo $? >status
one "a full FIFO" 1
grep -q 'the reader closed the pipe' errors || fail "a full FIFO: $(cat errors)"
run "few descriptors" 1 bash -c "ulimit -n 10; exec \"\$0\" record -o c.data -- true" "$CUPEL"
grep -q 'limit is 10' errors || fail "few descriptors: $(cat errors)"

run "killed by a signal" 139 "$CUPEL" record -o c.data -- sh -c 'kill -SEGV $$'
run "not found" 127 "$CUPEL" record -o c.data -- ./nothing
run "not executable" 126 "$CUPEL" record -o c.data -- "$work"
true &
gone=$!
wait
run "vanished process" 1 "$CUPEL" record -p $gone -o c.data
# A target may exit at any moment of the start: the result is an error about that, or a file.
for i in 1 2 3 4 5 6 7 8; do
	sleep 0.0$i &
	target=$!
	timeout 60 "$CUPEL" record -p $target -o c.data 2>errors
	status=$?
	if [ $status = 1 ]; then
		grep -q 'no such process\|has ended' errors || fail "ends at once: $(cat errors)"
	elif [ $status != 0 ]; then
		fail "ends at once: status $status: $(cat errors)"
	fi
	wait $target || fail "ends at once: the target was harmed"
done

# The recorder does not change limits, descriptors and signal dispositions of the program.
# shellcheck disable=SC2016
seen='ulimit -n; ls /proc/self/fd | wc -l; grep -E "Sig(Ign|Blk|Cgt)" /proc/self/status'
(
	trap '' PIPE INT
	ulimit -n 512
	sh -c "$seen" >alone
	"$CUPEL" record -o c.data -- sh -c "$seen" >recorded 2>errors
)
cmp alone recorded || fail "the program sees another world: $(cat recorded errors)"

exit $failed
