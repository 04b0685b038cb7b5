#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How long the kernel holds its locks, where it has probes: each write to a file takes the inode's
# semaphore once; a try that fails holds nothing.
# programs: dd
# seconds: 120
failed=0

fail() {
	echo "FAIL: $*"
	cat log out 2>/dev/null
	failed=1
}

"$CUPEL" klockstat -S acq_max,hld_count -n 5 -- dd if=/dev/zero of=/tmp/x bs=4k count=2000 >out 2>log ||
	fail "klockstat: $?"
grep -q 'Caller  Avg Hold    Count   Max Hold   Total Hold' out || fail "no table of holds"
grep -Eq ' (shmem_file_write_iter|generic_file_write_iter)\+0x[0-9a-f]+ .* 200[0-9]  ' out ||
	fail "not 2000 holds of a file's semaphore"
grep -q 'hold times: [0-9]* calls' log || fail "no number of stops"

"$CUPEL" klockstat --waits -- true >out 2>log || fail "--waits: $?"
grep -q 'Avg Hold' out && fail "--waits: holds"

"$CUPEL" lock --hold --kernel --rows 0 --stacks 0 -- dd if=/dev/zero of=/tmp/x bs=4k count=2000 >out 2>log ||
	fail "lock --hold --kernel: $?"
grep -Eq ' 200[0-9] .* rwsem:W  *(shmem|generic)_file_write_iter' out || fail "lock: no such row"
exit $failed
