#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel trace beside strace on 53 small programs: unusual arguments, errors, restarts, signals, stops,
# 32-bit calls, vfork, exec in a thread, many threads, seccomp errors and kills, io_uring. Each line must
# be strace's but for addresses and numbers of processes, or differ for a reason that trace_programs.py
# lists.
set -u
: "${CUPEL:?path of the cupel binary}"
program=$(dirname "$CUPEL")/test/live/trace_programs
[ -x "$program" ] || { echo "not built: $program"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$CUPEL" trace -o probe.txt -- true 2>log || {
	echo "system calls cannot be traced here: $(head -n 1 log)"
	exit 77
}
strace -o probe.strace true 2>/dev/null || {
	echo "strace does not run here"
	exit 77
}
"$program" | while read -r name; do
	for tracer in ours theirs; do
		mkdir -p run
		cd run || exit 1
		if [ "$tracer" = ours ]; then
			"$CUPEL" trace --no-times --no-comm -o "../$name.ours" -- "$program" "$name" 3>&-
		else
			strace -ff -o "../$name.strace" "$program" "$name" 3>&- 2>/dev/null
		fi
		cd ..
		rm -rf run
	done
done
exec python3 "$here/trace_programs.py" "$work"
