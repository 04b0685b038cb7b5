#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Without privileges: the user's programs can be recorded, with a warning about the missing kernel
# part. Other targets are an error of one line and a hint.
set -eu
if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
	echo "needs root and setpriv"
	exit 77
fi
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
if [ "$paranoid" != 2 ]; then
	echo "needs kernel.perf_event_paranoid=2, is $paranoid"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 777 "$work"
cp "$CUPEL" "$work/cupel"
cd "$work"
failed=0

fail() {
	echo "FAIL: $*: $(cat said)"
	failed=1
}

unprivileged() {
	setpriv --reuid 65534 --regid 65534 --clear-groups ./cupel record -o c.data "$@" 2>said
}

# shellcheck disable=SC2016 # the inner shell expands it
unprivileged -- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done' || fail "own program"
grep -q 'warning: no permission to sample the kernel' said || fail "the rung is not announced"
grep -q ' [0-9,]* samples, 0 lost' said || fail "no samples"
! "$CUPEL" report --stats -i c.data | grep -q COMPRESSED || fail "compressed without -z"
rm -f c.data

# shellcheck disable=SC2016 # the inner shell expands it
setpriv --reuid 65534 --regid 65534 --clear-groups ./cupel flamegraph -F 2000 -o c.svg -- \
	sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done' 2>said || fail "picture"
grep -q 'wrote c.svg' said || fail "picture: no file"
! grep -q perf.data said || fail "picture: names a file that is not there"

# refused WHAT PATTERN OPTION…: one line, one hint, no file left.
refused() {
	what=$1
	pattern=$2
	shift 2
	if unprivileged "$@"; then
		fail "$what is not refused"
	fi
	grep -q "^cupel: record: .*$pattern" said || fail "$what"
	[ "$(grep -c '^cupel: hint: .*; see: cupel doctor$' said)" = 1 ] || fail "$what: no hint"
	[ "$(wc -l <said)" = 2 ] || fail "$what: more than two lines"
	[ ! -e c.data ] || fail "$what: leaves a file"
}

refused "the whole machine" "permission denied on all processes" -a --duration 1
refused "another's process" "permission denied for process 1" -p 1
refused "the kernel" "permission denied" --all-kernel -- true
refused "the kernel" "permission denied" -e cpu-clock:k -- true
refused "a large ring" "ring buffer of 8192 KiB" -m 8M -- true
refused "waits" "Operation not permitted" -e off-cpu -- true
refused "a tracepoint" "permission denied" -e sched:sched_switch -- true
exit $failed
