#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone: compares what is set in tracefs, which other tests change
# Commands killed by SIGKILL many times in each mode, at any moment: no program, link or map of BPF stays
# in the kernel, and tracefs is what it was. KILLS=100 kills each mode 100 times.
set -u
: "${CUPEL:?path of the cupel binary}"
. "$(dirname "$0")/wait_for.bash"
PATH=$PATH:/usr/sbin
command -v bpftool >/dev/null || { echo "no bpftool"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$CUPEL" trace -o probe.txt -- true 2>log || {
	echo "system calls cannot be traced here: $(head -n 1 log)"
	exit 77
}
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}
tracefs=/sys/kernel/tracing
state() {
	for file in set_event kprobe_events uprobe_events dynamic_events events/enable; do
		echo "$file $(cat "$tracefs/$file" 2>&1)"
	done
	ls "$tracefs/instances" 2>&1
}

# ids PID: "prog 7", "link 3", … that the descriptors of the process hold
ids() {
	sed -n 's/^\(prog\|link\|map\)_id:[[:space:]]*/\1 /p' /proc/"$1"/fdinfo/* 2>/dev/null | sort -u
}

state >before
# has_loaded PID: it holds something of BPF
has_loaded() {
	[ -n "$(ids "$1")" ]
}

# How long a start takes here and now decides when the kills come: from the first moment to twice that.
milliseconds_to_load() {
	began=$(date +%s%3N)
	"$CUPEL" "$@" >/dev/null 2>&1 &
	pid=$!
	until_loaded $pid
	echo $(($(date +%s%3N) - began + 1))
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
}

# until_loaded PID: or until it has ended
until_loaded() {
	until has_loaded "$1" || ! kill -0 "$1" 2>/dev/null; do :; done
}

# Each with programs loaded, and with events open, some of the time; few rounds have them each time.
kill_often() {
	mkdir "$mode" && cd "$mode" || return 1
	: >held
	loaded=0
	[ "$rounds" -lt 100 ] || most=$((2 * $(milliseconds_to_load "$@")))
	for round in $(seq "$rounds"); do
		"$CUPEL" "$@" >/dev/null 2>&1 &
		pid=$!
		[ "$rounds" -ge 100 ] || until_loaded "$pid"
		[ "$rounds" -lt 100 ] || sleep "$(printf '%d.%03d' $((round * most / rounds / 1000)) $((round * most / rounds % 1000)))"
		ids "$pid" >now
		[ ! -s now ] || loaded=$((loaded + 1))
		cat now >>held
		kill -KILL "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	[ "$((loaded * 5))" -ge "$rounds" ] || fail "$*: programs were loaded in $loaded rounds only"
	gone() {
		while read -r kind id; do
			! bpftool "$kind" show id "$id" >/dev/null 2>&1 || return 1
		done < <(sort -u held)
	}
	wait_for gone || fail "$*: something of BPF is still there"
	echo "$*: $loaded of $rounds with $(sort -u held | wc -l) programs, links and maps"
	return $failed
}

# The modes run side by side.
mode=0
modes=()
all_end() {
	for pid in "${modes[@]}"; do
		wait "$pid" || failed=1
	done
	modes=()
}
while read -r rounds words; do
	[ "$rounds" != wait ] || { all_end && continue; }
	rounds=${KILLS:-$rounds}
	mode=$((mode + 1))
	# shellcheck disable=SC2086 # words
	(kill_often $words) &
	modes+=($!)
done <<'END'
100 trace -s -o out.txt -- sleep 1
100 trace -o out.txt -- sleep 1
100 trace -s -a -o out.txt
100 trace -F all --sched -o out.txt -- sleep 1
wait
2 trace -g -o out.txt -- sleep 1
2 trace --by-caller -o out.txt -- sleep 1
2 trace -e probe:c:malloc -o out.txt -- sleep 1
2 record -e probe:c:malloc -o out.data -- sleep 1
2 stat -e probe:c:malloc -o out.txt -- sleep 1
2 funccount c:malloc -- sleep 1
2 funclatency c:malloc -- sleep 1
2 stackcount c:malloc -- sleep 1
2 argdist -C p:c:malloc() -- sleep 1
2 funclatency --by arg1 c:malloc -- sleep 1
2 heap -- sleep 1
END
all_end
state >after
cmp -s before after || fail "tracefs: $(diff before after)"
exit "$failed"
