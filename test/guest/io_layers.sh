#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What cupel io says of known requests is what they are: on a RAID0 with one delayed leg (md, dm-delay), on
# dm-flakey, null_blk, ext4 and xfs. The layers of each operation add up to its time within 1 %, that time
# is what the program measured, and bytes are those of /proc/PID/io and /proc/diskstats.
# modules: brd raid0 dm-delay dm-flakey crc32c_generic ext4 xfs null_blk loop
# programs, if there: mkfs.xfs
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}
[ -e /sys/block/md0/slaves/dm-0 ] || /helper/slow_raid /dev/ram0 /dev/ram1 40 || exit 1

# number NAME: of the rows of the program's file in "out.json" of the last check, the sum
number() {
	tr '{' '\n' <out.json | grep "\"file\": \"$file\"" | sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" |
		awk '{ n += $1 } END { printf "%.0f\n", n }'
}

# sectors FIELD DISK: of /proc/diskstats
sectors() {
	awk -v disk="$2" -v field="$1" '$3 == disk { print $field }' /proc/diskstats
}

# layers: no row of any table in out.json has layers that differ from its time by more than 1 %
layers() {
	sed 's/, "layers_ns"/\n&/g' out.json | awk -F '[:,{}]' '
		/"time_ns"/ { for (i = 1; i < NF; i++) if ($i ~ /"time_ns"/) time = $(i + 1) }
		/"layers_ns"/ {
			sum = 0
			for (i = 1; i < NF; i++)
				if ($i ~ /"(running|CPU queue|disk queue|device|journal|I\/O of others|lock|network|pipe|in flight|other waits)"/)
					sum += $(i + 1)
			rows++
			if (sum < 0.99 * time || sum > 1.01 * time) { print "layers " sum ", time " time; bad = 1 }
		}
		END { exit bad || !rows }' || fail "$1: layers do not add up"
}

# known NAME DISK read|write FILE COUNT BYTES LEAST: LEAST ns, it takes at least; the emulation is so slow that
# what is outside of the calls cannot have a limit. Calls on other files, as the loader's, are not among them.
known() {
	name=$1 disk=$2 way=$3 file=$4 bytes=$(($5 * $6)) least=$7
	dd if="$file" of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null # the kernel looks for partitions
	before=$(sectors 6 "$disk")
	"$CUPEL" io --json -o out.json -- /helper/io_truth "$way" "$file" "$5" "$6" >truth 2>errors ||
		{ fail "$name: $(cat errors)"; return; }
	after=$(sectors 6 "$disk")
	# shellcheck disable=SC2046 # five words
	set -- $(grep '^truth ' truth)
	layers "$name"
	[ "$(number bytes)" = "$bytes" ] || fail "$name: $(number bytes) of $bytes bytes"
	[ "$(number requests)" = "$2" ] || fail "$name: $(number requests) of $2 calls"
	echo "$name: $2 calls, measured $3 ns, cupel $(number time_ns) ns; $bytes bytes," \
		"/proc/PID/io $4 and $5, $disk $(((after - before) * 512))"
	awk -v truth="$3" -v said="$(number time_ns)" -v least="$least" \
		'BEGIN { exit !(said <= truth * 1.01 && said >= least * 0.99) }' ||
		fail "$name: the program measured $3 ns, cupel $(number time_ns)"
	if [ "$way" = write ]; then
		[ "$5" -ge "$bytes" ] || fail "$name: /proc/PID/io has $5 bytes written"
	elif [ "$4" != "$bytes" ] || [ $(((after - before) * 512)) != "$bytes" ]; then
		fail "$name: /proc/PID/io has $4, /proc/diskstats $(((after - before) * 512)) bytes"
	fi
}

known "RAID0 with a slow leg" md0 read /dev/md0 4 65536 80000000
/helper/map_device flakey flakey /dev/ram2 "600 0" || exit 1
disk=$(grep -lx flakey /sys/block/dm-*/dm/name)
disk=${disk#/sys/block/}
known dm-flakey "${disk%%/*}" read /dev/mapper/flakey 20 4096 0
disk=$(basename "$(find /sys/block -name 'nullb*' | head -n 1)")
if [ -n "$disk" ]; then
	known null_blk "$disk" read "/dev/$disk" 20 4096 0
	# those below are memory, which takes no requests
	[ "$(number disk_read_bytes)" = 81920 ] || fail "null_blk: $(number disk_read_bytes) bytes of requests"
else
	echo "not tested: null_blk: there is no such disk"
fi
mke2fs -F /dev/md0 >/dev/null && mount -t ext4 /dev/md0 /mnt || exit 1
known "ext4, write and fsync" md0 write /mnt/file 4 65536 0
umount /mnt
if command -v mkfs.xfs >/dev/null; then
	truncate -s 400M disk.xfs
	mkfs.xfs -q disk.xfs && mount -t xfs -o loop disk.xfs /mnt || exit 1
	known "xfs, write and fsync" loop0 write /mnt/file 4 65536 0
	umount /mnt
else
	echo "not tested: xfs: this machine has no mkfs.xfs"
fi
exit "$failed"
