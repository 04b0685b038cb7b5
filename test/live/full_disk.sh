#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# On a full disk a recording keeps what had room, up to the last whole record, and each reader says
# that it is not whole; messages name the file, and inject leaves nothing behind and the old output alone.
set -eu
if [ "$(id -u)" != 0 ] || ! unshare -m mount -t tmpfs none /mnt 2>/dev/null; then
	echo "needs root and mount namespaces"
	exit 77
fi
if [ "${1:-}" != inside ]; then
	exec unshare -m "$0" inside
fi
work=$(mktemp -d)
trap 'cd /; umount "$work/full" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
mkdir full
mount -t tmpfs -o size=64k none full
failed=0
# shellcheck disable=SC2016 # the inner shell expands it
loop='i=0; while [ $i -lt 400000 ]; do i=$((i + 1)); done'

for options in "--call-graph dwarf,4096" "" "--call-graph fp" "-z1 --call-graph dwarf,16384"; do
	rm -f full/*
	status=0
	# shellcheck disable=SC2086 # words
	timeout -k 1 -s KILL 60 "$CUPEL" record -F 5000 --budget none $options -o full/r.data -- sh -c "$loop" 2>said >out || status=$?
	[ $status -ne 0 ] || continue # it had room
	bytes=$(stat -c %s full/r.data)
	kept=$("$CUPEL" script -F event -i full/r.data 2>errors | grep -c 'clock\|cycles' || true)
	echo "$options: $bytes bytes, $kept samples"
	[ "$bytes" -ge 45000 ] || { echo "FAIL: $options: only $bytes of 65536 bytes are used"; failed=1; }
	[ "$kept" -ge 5 ] || { echo "FAIL: $options: $kept samples: $(cat errors)"; failed=1; }
	! grep -i 'truncated\|invalid' errors || { echo "FAIL: $options: $(cat errors)"; failed=1; }
	grep -q 'damaged: the recorder' errors || { echo "FAIL: $options: read as if it were whole: $(cat errors)"; failed=1; }
	grep -q 'full/r.data: .*No space left' said || { echo "FAIL: $options: $(cat said)"; failed=1; }
	grep -q ', the recording ended after [0-9.]* s: No space left' said || { echo "FAIL: $options: why: $(cat said)"; failed=1; }
	grep -q 'hint: what was written can be read; --max-size SIZE' said || { echo "FAIL: $options: $(cat said)"; failed=1; }
	grep -q ": $kept samples" said || { echo "FAIL: $options: $kept samples are there, said: $(cat said)"; failed=1; }
	if grep 'has no samples' said; then
		failed=1
	fi
done

# Counts are printed in any case.
rm -f full/*
head -c 57344 /dev/zero >full/other
status=0
"$CUPEL" stat record -I 10 -o full/s.data -e task-clock,faults -- sleep 3 2>said || status=$?
[ $status = 1 ] && grep -q 'full/s.data: .*No space left' said &&
	awk '$NF == "faults" && $1 > 2.9 { last = 1 } END { exit !last }' said ||
	{ echo "FAIL: stat record: $status $(tail -n 5 said)"; failed=1; }
"$CUPEL" stat report -i full/s.data 2>&1 | grep -q 'faults' || { echo "FAIL: stat report"; failed=1; }

rm -f full/*
"$CUPEL" record -q -F 5000 --call-graph dwarf -o large.data -- sh -c "$loop"
echo old >full/out
if "$CUPEL" inject -b -i large.data -o full/out 2>said; then
	echo "FAIL: inject had room"
	failed=1
fi
grep -q 'full/out: .*No space left' said && [ "$(ls full)" = out ] && [ "$(cat full/out)" = old ] || {
	echo "FAIL: inject: $(ls -l full) $(cat said)"
	failed=1
}

# A FIFO gets the form for a pipe.
mkfifo fifo
timeout -k 1 -s KILL 60 "$CUPEL" inject -b -i large.data -o fifo &
timeout -k 1 -s KILL 60 "$CUPEL" report --stdio -i - <fifo >out 2>said || true
wait $!
grep -q '%' out || {
	echo "FAIL: inject into a FIFO: $(cat said)"
	failed=1
}
exit $failed
