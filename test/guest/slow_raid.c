/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Creates a RAID0 (md) of two devices, the second with a delay (dm-delay), like mdadm and dmsetup.
 *
 * usage: slow_raid DEVICE DEVICE MS     → /dev/md0, and "slow" of the device mapper in it */
#include <linux/major.h>
#include <linux/raid/md_p.h>
#include <linux/raid/md_u.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "device_map.h"

#define CHUNK (64 << 10)

static void add(int array, int number, dev_t device)
{
	mdu_disk_info_t disk = { .number = number,
				 .raid_disk = number,
				 .major = (int)major(device),
				 .minor = (int)minor(device),
				 .state = 1 << MD_DISK_ACTIVE | 1 << MD_DISK_SYNC };

	check(ioctl(array, ADD_NEW_DISK, &disk), "ADD_NEW_DISK");
}

int main(int argc, char **argv)
{
	mdu_array_info_t info = { .major_version = 0,
				  .minor_version = 90,
				  .level = 0,
				  .nr_disks = 2,
				  .raid_disks = 2,
				  .not_persistent = 1,
				  .state = 1,
				  .active_disks = 2,
				  .working_disks = 2,
				  .chunk_size = CHUNK };
	struct device_map slow = { .name = "slow", .target = "delay" };
	struct stat fast;
	int array;

	if (argc != 4)
		return 2;
	slow.path = argv[2];
	slow.parameters = argv[3];
	check(stat(argv[1], &fast), argv[1]);
	(void)mknod("/dev/md0", S_IFBLK | 0600, makedev(MD_MAJOR, 0));
	array = open_device("/dev/md0");
	check(ioctl(array, SET_ARRAY_INFO, &info), "SET_ARRAY_INFO");
	add(array, 0, fast.st_rdev);
	add(array, 1, device_map_make(&slow));
	check(ioctl(array, RUN_ARRAY, NULL), "RUN_ARRAY");
	return 0;
}
