#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# in turn: stock perf aborts while other processes load BPF programs
# Generated functions have names: from a perf map, from a jitdump without an inject step, and from the
# perf map of a process in other namespaces.
set -eu
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
target=$(dirname "$CUPEL")/test/live/jit_target
if ! command -v perf >/dev/null; then
	echo "needs perf"
	exit 77
fi
scratch=$(mktemp -d)
child=
pid=0
trap '[ -z "$child" ] || kill "$child" || :; rm -rf "$scratch" /tmp/perf-$pid.map' EXIT
cd "$scratch"

expect() { # WHAT: the report of perf.data has the function as its hottest
	"$CUPEL" report -i perf.data --stdio --no-children -g none >rows 2>errors
	if ! grep -v '^#' rows | grep -m1 . | grep -q 'generated spin'; then
		echo "$1: the generated function has no name"
		cat rows errors
		exit 1
	fi
	echo "$1: named"
}

perf record -q -e cpu-clock -F 199 -o perf.data "$target" map 1
pid=$(perf script -i perf.data -F pid | awk 'NR == 1 { print $1 }')
expect "perf map"

perf record -q -e cpu-clock -F 199 -k mono -o perf.data "$target" dump 1
expect "jitdump"

if [ "$(id -u)" = 0 ] && unshare -pmf true 2>/dev/null; then
	cp "$target" inside
	# the mount may hide the target in /tmp
	unshare -pmf --propagation private sh -c \
		"mount -t tmpfs none /mnt && cp inside /mnt && mount -t tmpfs none /tmp &&
		exec /mnt/inside map 8" &
	outer=$!
	wait_for child_of "$outer" inside || exit 1
	inner=$child
	child=$outer
	perf record -q -e cpu-clock -F 199 -o perf.data -p "$inner" -- sleep 1
	expect "perf map in a container"
	kill "$inner"
	wait "$child" 2>/dev/null || :
	child=
fi

# The perf map of an exited program of a user is used, because the recording has the user. A file that
# another user creates later is not used, even if the recording has no user.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	as_user="setpriv --reuid 65534 --regid 65534 --clear-groups"
	cp "$target" inside
	chmod 755 . inside
	for by in cupel perf; do
		# shellcheck disable=SC2086 # words
		"${by/cupel/$CUPEL}" record -q -e cpu-clock -F 199 -o perf.data $as_user ./inside map 1
		pid=$(perf script -i perf.data -F pid 2>/dev/null | awk 'NR == 1 { print $1 }')
		[ "$by" = perf ] || expect "perf map of a user's program"
		sed -i 's/generated/planted/' "/tmp/perf-$pid.map"
		chown 12345 "/tmp/perf-$pid.map"
		"$CUPEL" report -i perf.data --stdio --no-children -g none >rows 2>errors
		if grep planted rows || { [ "$by" = cupel ] && ! grep -q 'generated spin' rows; }; then
			echo "$by: another user's map was believed"
			exit 1
		fi
		rm "/tmp/perf-$pid.map"
		echo "perf map of another user: not believed"
	done
fi
