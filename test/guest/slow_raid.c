/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Creates a RAID0 (md) of two devices, the second with a delay (dm-delay), like mdadm and dmsetup.
 *
 * usage: slow_raid DEVICE DEVICE MS     → /dev/md0, and "slow" of the device mapper in it */
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <linux/fs.h>
#include <linux/major.h>
#include <linux/raid/md_p.h>
#include <linux/raid/md_u.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define CHUNK (64 << 10)

static void check(int result, const char *what)
{
	if (result >= 0)
		return;
	perror(what);
	exit(1);
}

static int open_device(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	check(fd, path);
	return fd;
}

struct request {
	struct dm_ioctl head;
	struct dm_target_spec target;
	char parameters[256];
};

/* One step in the creation of the device "slow"; returns its number. */
static dev_t control(int fd, unsigned long number, const char *what, struct request *request)
{
	struct dm_ioctl *head = &request->head;

	head->version[0] = DM_VERSION_MAJOR;
	head->data_size = sizeof(*request);
	head->data_start = sizeof(*head);
	(void)snprintf(head->name, sizeof(head->name), "slow");
	check(ioctl(fd, number, request), what);
	return head->dev;
}

static dev_t make_slow(const char *path, const char *ms)
{
	struct request create = { 0 }, load = { 0 }, resume = { 0 };
	unsigned long long bytes;
	int disk = open_device(path), fd = open_device("/dev/mapper/control");

	check(ioctl(disk, BLKGETSIZE64, &bytes), path);
	(void)control(fd, DM_DEV_CREATE, "DM_DEV_CREATE", &create);
	load.head.target_count = 1;
	load.target.length = bytes / 512;
	(void)snprintf(load.target.target_type, sizeof(load.target.target_type), "delay");
	(void)snprintf(load.parameters, sizeof(load.parameters), "%s 0 %s", path, ms);
	(void)control(fd, DM_TABLE_LOAD, "DM_TABLE_LOAD", &load);
	close(disk);
	return control(fd, DM_DEV_SUSPEND, "DM_DEV_SUSPEND",
		       &resume); /* without the flag it resumes */
}

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
	struct stat fast;
	int array;

	if (argc != 4)
		return 2;
	check(stat(argv[1], &fast), argv[1]);
	(void)mknod("/dev/md0", S_IFBLK | 0600, makedev(MD_MAJOR, 0));
	array = open_device("/dev/md0");
	check(ioctl(array, SET_ARRAY_INFO, &info), "SET_ARRAY_INFO");
	add(array, 0, fast.st_rdev);
	add(array, 1, make_slow(argv[2], argv[3]));
	check(ioctl(array, RUN_ARRAY, NULL), "RUN_ARRAY");
	return 0;
}
