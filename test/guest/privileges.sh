#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The levels of perf_event_paranoid in Debian's kernel, for a user without privileges: `cupel doctor`
# predicts the result of recording, and each level permits the documented operations.
# programs: setpriv
# seconds: 240
. "$TESTS/ladder"
mkdir -p /tmp/work
chmod 777 /tmp /tmp/work
cd /tmp/work || exit 1
HOME=/tmp/work
export HOME
mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null

# (not that of busybox)
as_user() {
	/usr/bin/setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

# expect CHECK=RESULT…: the results of the current level
# shellcheck disable=SC2154 # rung() sets them
expect() {
	for word in "$@"; do
		case "$rungs " in
		*" $word "*) ;;
		*)
			echo "FAIL: $rung: not $word"
			ladder_failed=1
			;;
		esac
	done
}

rung "root" env
expect own-programs=ok kernel-frames=ok whole-machine=ok tracepoints=ok waits=ok wall-clock=ok
chmod -R a+rX /sys/kernel/tracing 2>/dev/null
mount -o remount,mode=755,gid=65534 /sys/kernel/tracing
for paranoid in -1 0 1 2 3 4; do
	echo $paranoid >/proc/sys/kernel/perf_event_paranoid
	rung "perf_event_paranoid $paranoid" as_user
	case $paranoid in
	-1) expect own-programs=ok kernel-frames=ok whole-machine=ok waits=missing ;;
	0) expect own-programs=ok kernel-frames=ok whole-machine=ok tracepoints=missing ;;
	1) expect own-programs=ok kernel-frames=ok whole-machine=missing tracepoints=missing ;;
	2) expect own-programs=ok kernel-frames=missing whole-machine=missing ;;
	*) expect own-programs=missing kernel-frames=missing whole-machine=missing ;;
	esac
done
exit $ladder_failed
