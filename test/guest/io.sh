#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel io and the tools on Linux 6.1, which has no block_io_start: direct reads of a RAID0 with one slow
# disk (dm-delay) wait for the device, by the delay at least; an fsync on ext4 is one request. Tools for disks see requests of null_blk;
# what this kernel lacks is named, and the rest works.
# modules: brd raid0 dm-delay crc32c_generic ext4 null_blk
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}
# another test in the same guest may have made it
[ -e /sys/block/md0/slaves/dm-0 ] || /helper/slow_raid /dev/ram0 /dev/ram1 40 || exit 1

"$CUPEL" io -- dd if=/dev/md0 of=/dev/null bs=64k count=16 iflag=direct >out 2>errors || fail "io: $(cat errors)"
grep '^Bottleneck: .* device .*dd(' out || { fail "the device is no bottleneck"; cat out errors; }
"$CUPEL" io --slower 30ms -- dd if=/dev/md0 of=/dev/null bs=64k count=16 iflag=direct >out 2>errors
grep -q ' read [0-9.]* ms = device [3-9][0-9]\.' out || { fail "no slow request"; cat out; }
mke2fs -F /dev/md0 >/dev/null && mount -t ext4 /dev/md0 /mnt || exit 1
"$CUPEL" io -- dd if=/dev/zero of=/mnt/file bs=64k count=16 conv=fsync >out 2>errors || fail "fsync: $(cat errors)"
grep -q ' fsync$' out || { fail "no fsync"; cat out; }
umount /mnt

disk=$(basename "$(find /sys/block -name 'nullb*' | head -n 1)")
if [ -n "$disk" ]; then
	"$CUPEL" biosnoop -Q -- dd if=/dev/$disk of=/dev/null bs=4k count=50 iflag=direct >out 2>errors ||
		fail "biosnoop: $(cat errors)"
	[ "$(grep -c " $disk  *R .* 4096 " out)" = 50 ] || { fail "biosnoop"; cat out errors; }
	"$CUPEL" biolatency -d "$disk" -- dd if=/dev/$disk of=/dev/null bs=4k count=50 iflag=direct >out 2>errors
	[ "$(awk '$2 == "->" { n += $5 } END { print n + 0 }' out)" = 50 ] || { fail "biolatency"; cat out errors; }
else
	echo "not tested: requests of null_blk: there is no such disk"
fi
"$CUPEL" opensnoop -- cat /etc/passwd /no-such-file >out 2>errors
grep -q 'cat  *-1  *2  */no-such-file' out || { fail "opensnoop"; cat out errors; }
"$CUPEL" execsnoop -- sh -c '/bin/cat /dev/null; true' >out 2>errors
grep -q '/bin/cat /dev/null' out || { fail "execsnoop"; cat out errors; }
"$CUPEL" cachestat 600 -- cat /etc/passwd >out 2>errors
grep -q 'no tracepoint mm_filemap_get_pages; the rest works' errors || { fail "cachestat"; cat out errors; }
exit "$failed"
