#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# One of the two disks of a RAID0 is slow (dm-delay): the ledger names that disk for direct reads,
# cached reads and fsync, and neither the RAID nor the disk below the delay.
# modules: brd raid0 dm-delay crc32c_generic ext4
failed=0
# another test in the same guest may have made it
[ -e /sys/block/md0/slaves/dm-0 ] || /helper/slow_raid /dev/ram0 /dev/ram1 40 || exit 1
mke2fs -F /dev/md0 >/dev/null && mount -t ext4 /dev/md0 /mnt || exit 1

# slow NAME PROGRAM…: most of the program's waits for disks are for dm-0
slow() {
	name=$1
	shift
	"$CUPEL" wall -o text -- "$@" 2>errors || {
		cat errors
		failed=1
		return
	}
	echo "$name"
	grep -A 2 "^    disk " text
	awk '
		$1 == "disk" && !all { all = $2; next }
		$1 == "dm-0" && !slow { slow = $2; about = /slow, part of md0$/ }
		END { exit !(all > 0 && slow > all / 2 && about) }' text || {
		echo "$name: the slow device is not named:"
		cat text
		failed=1
	}
}

slow "direct reads" dd if=/dev/md0 of=/dev/null bs=64k count=16 iflag=direct
slow "write and fsync" dd if=/dev/zero of=/mnt/file bs=64k count=16 conv=fsync
echo 3 >/proc/sys/vm/drop_caches
slow "reads through the cache" dd if=/mnt/file of=/dev/null bs=4k
grep 'blocked disk dm-0, woken by' text || failed=1
echo 3 >/proc/sys/vm/drop_caches
"$CUPEL" wall --flamegraph wall.svg -- dd if=/mnt/file of=/dev/null bs=4k >/dev/null 2>&1 &&
	grep -q '<title>dm-0 (' wall.svg || {
	echo "the flame graph has no dm-0"
	failed=1
}
umount /mnt
exit "$failed"
