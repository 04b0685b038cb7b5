#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone: compares what is set in tracefs, which other tests change
# cupel trace killed by SIGKILL 100 times in each mode, at any moment: no program, link or map of BPF
# stays in the kernel, and tracefs is what it was.
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
	"$CUPEL" "$@" 2>/dev/null &
	pid=$!
	until has_loaded $pid || ! kill -0 $pid 2>/dev/null; do :; done
	echo $(($(date +%s%3N) - began + 1))
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
}

# Each with programs loaded, and with events open, some of the time.
kill_often() {
	mkdir "$mode" && cd "$mode" || return 1
	: >held
	loaded=0
	most=$((2 * $(milliseconds_to_load "$@")))
	for round in $(seq 100); do
		"$CUPEL" "$@" 2>/dev/null &
		pid=$!
		sleep "$(printf '%d.%03d' $((round * most / 100 / 1000)) $((round * most / 100 % 1000)))"
		ids "$pid" >now
		[ ! -s now ] || loaded=$((loaded + 1))
		cat now >>held
		kill -KILL "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	[ "$loaded" -ge 20 ] || fail "$*: programs were loaded in $loaded rounds only"
	gone() {
		while read -r kind id; do
			! bpftool "$kind" show id "$id" >/dev/null 2>&1 || return 1
		done < <(sort -u held)
	}
	wait_for gone || fail "$*: something of BPF is still there"
	echo "$*: $loaded of 100 with $(sort -u held | wc -l) programs, links and maps"
	return $failed
}

# The modes run side by side.
mode=0
modes=()
while read -r words; do
	mode=$((mode + 1))
	# shellcheck disable=SC2086 # words
	(kill_often $words) &
	modes+=($!)
done <<'END'
trace -s -o out.txt -- sleep 1
trace -o out.txt -- sleep 1
trace -s -a -o out.txt
trace -F all --sched -o out.txt -- sleep 1
END
for pid in "${modes[@]}"; do
	wait "$pid" || failed=1
done
state >after
cmp -s before after || fail "tracefs: $(diff before after)"
exit "$failed"
