#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs without frame pointers are recorded with whole stacks on this kernel: one that spins, one
# that forks, and one 900 frames deep.
# files: $BUILD/test/live/unwind_life=/bin/unwind_life
mode=auto

# check WORD PERCENT FRAMES
check() {
	"$CUPEL" record -F 499 --call-graph "$mode" -o x.data -- unwind_life "$1" 2>log || {
		cat log
		return 1
	}
	grep -v '^$' log
	"$CUPEL" report --json -i x.data >json
	total=$(sed -n 's/.*"stacks": *{ *"total": *\([0-9]*\).*/\1/p' json)
	complete=$(sed -n 's/.*"complete": *\([0-9]*\).*/\1/p' json)
	"$CUPEL" collapse x.data >folded
	frames=$(grep -cE "$3" folded)
	echo "$1: $complete of $total stacks complete, $frames different ones have the frames"
	sed -n 's/.*"stopped": *\({[^}]*}\).*/\1/p' json
	[ "$total" -ge 20 ] && [ $((complete * 100)) -ge $((total * $2)) ] && [ "$frames" -ge 1 ] || {
		head -n 5 folded
		return 1
	}
}

failed=0
check spin 97 ';main;busy;work' || failed=1
check fork 97 ';main;forks;busy;work' || failed=1
check deep 80 ';main;descend;descend' || failed=1
exit $failed
