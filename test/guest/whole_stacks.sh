#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Complete stacks of programs without frame pointers on this kernel: one spins, one forks, and one is
# 900 frames deep. The last runs sixteen times in one recording, because until the unwind tables of its
# files are built (a second in QEMU) only 64 KiB of its stack are read.
# files: $BUILD/test/live/unwind_life=/bin/unwind_life
mode=auto

# check PERCENT FRAMES CMD…: how many of the stacks that had a table are complete. How long the tables take
# depends on the host: most stacks may come before them.
check() {
	percent=$1
	wanted=$2
	shift 2
	"$CUPEL" record -F 499 --call-graph "$mode" -o x.data -- "$@" 2>log || {
		cat log
		return 1
	}
	grep -v '^$' log
	"$CUPEL" report --json -i x.data >json
	total=$(sed -n 's/.*"stacks": *{ *"total": *\([0-9]*\).*/\1/p' json)
	complete=$(sed -n 's/.*"complete": *\([0-9]*\).*/\1/p' json)
	"$CUPEL" collapse x.data >folded
	early=$(sed -n 's/.*"no-table": *\([0-9]*\).*/\1/p' json)
	late=$((total - ${early:-0}))
	frames=$(grep -cE "$wanted" folded)
	echo "$*: $complete of $total stacks complete, $frames different ones have the frames"
	sed -n 's/.*"stopped": *\({[^}]*}\).*/\1/p' json
	[ "$total" -ge 20 ] && [ $((late * 4)) -ge "$total" ] && [ $((complete * 100)) -ge $((late * percent)) ] && [ "$frames" -ge 1 ] || {
		head -n 5 folded
		return 1
	}
}

failed=0
check 97 ';main;busy;work' unwind_life spin || failed=1
check 97 ';main;forks;busy;work' unwind_life fork || failed=1
check 80 ';main;descend;descend' sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do unwind_life deep; done' || failed=1
exit $failed
