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
# Each with programs loaded, and with events open, some of the time.
kill_often() {
	: >held
	loaded=0
	for round in $(seq 100); do
		"$CUPEL" "$@" 2>/dev/null &
		pid=$!
		sleep "0.$(printf %03d $((round * 37 % 140)))"
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
}
kill_often trace -s -o out.txt -- sleep 0.2
kill_often trace -o out.txt -- sleep 0.2
kill_often trace -s -a -o out.txt
kill_often trace -F all --sched -o out.txt -- sleep 0.2
state >after
cmp -s before after || fail "tracefs: $(diff before after)"
exit "$failed"
