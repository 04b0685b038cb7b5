#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Files of trace-cmd: the same events, threads, CPUs and times as trace-cmd report prints.
set -u

: "${CUPEL:?path of the cupel binary}"
command -v trace-cmd >/dev/null || { echo "trace-cmd is not installed"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
for file in "$(dirname "$0")"/../golden/trace_dat/{script,graph,stacks}/trace.dat; do
	trace-cmd report -R -t "$file" 2>/dev/null |
		sed -En 's/^.*-([0-9]+) +\[([0-9]+)\] +([0-9.]+): +([a-z_]+):.*$/\1 \2 \3 \4/p' |
		grep -v ' kernel_stack$' >"$work/want"
	"$CUPEL" script --ns -F tid,cpu,time,event -i "$file" 2>/dev/null | grep -v function-time |
		sed -En 's/^ *([0-9]+) \[([0-9]+)\] +([0-9.]+): +[a-z_]+:([a-z_]+):.*$/\1 \2 \3 \4/p' >"$work/got"
	[ -s "$work/want" ] || { echo "$file: trace-cmd report prints no events"; failed=1; }
	diff "$work/want" "$work/got" >"$work/diff" || { echo "$file:"; head -n 10 "$work/diff"; failed=1; }
	echo "$(basename "$(dirname "$file")"): $(wc -l <"$work/got") events"
done
exit $failed
