#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Waits on this kernel: the ledger has sleep, pipe, child and throttle; a chain leads from a pipe's
# reader to the program on the other end, and from there to a timer.
failed=0
# has FILE PATTERN
has() {
	grep -Eq "$2" "$1" && return
	echo "no line with $2:"
	cat "$1"
	failed=1
}

"$CUPEL" wall -o ledger -- sh -c 'sleep 0.3 | cat' || exit 1
has ledger '^    sleep +0\.[3-9]'
has ledger '^    pipe +0\.[1-9]' # it may start later than the sleep
has ledger '^    child +0\.'
has ledger 'unaccounted 0\.0[0-9]* %'
has ledger 'cat:[0-9]+ blocked pipe, woken by sleep:'
has ledger 'sleep:[0-9]+ blocked sleep, woken by a timer'

"$CUPEL" record -q -e off-cpu,wakeup -o waits.data -- sh -c 'sleep 0.3 | cat' || exit 1
"$CUPEL" collapse --wake-chain waits.data >chains || exit 1
has chains '^cat;.*;pipe_read;.*;woken by sleep;.*;meanwhile waited: sleep;.*;woken by an interrupt;.*hrtimer_wakeup'

group=/sys/fs/cgroup/waits
if echo +cpu >/sys/fs/cgroup/cgroup.subtree_control && mkdir $group &&
	echo 5000 100000 >$group/cpu.max; then
	# shellcheck disable=SC2016 # the inner shell expands it
	"$CUPEL" wall -o ledger -- sh -c 'echo $$ >$0/cgroup.procs
		exec timeout 2 sh -c "while :; do :; done"' $group
	has ledger '^    throttle +[0-9]\.[0-9]*[1-9]'
	rmdir $group
fi
exit $failed
