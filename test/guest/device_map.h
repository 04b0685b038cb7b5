/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Creates devices of the device mapper, like dmsetup, which the guest has not. */
#ifndef TEST_GUEST_DEVICE_MAP_H
#define TEST_GUEST_DEVICE_MAP_H

#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <unistd.h>

struct device_map {
	const char *name, *target, *path;
	const char *parameters; /* after the path and the offset 0 */
};

struct device_map_request {
	struct dm_ioctl head;
	struct dm_target_spec target;
	char parameters[256];
};

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

/* One step in the creation of a device; returns its number. */
static dev_t device_map_step(const struct device_map *map, unsigned long number,
			     struct device_map_request *request)
{
	int fd = open_device("/dev/mapper/control");
	struct dm_ioctl *head = &request->head;

	head->version[0] = DM_VERSION_MAJOR;
	head->data_size = sizeof(*request);
	head->data_start = sizeof(*head);
	(void)snprintf(head->name, sizeof(head->name), "%s", map->name);
	check(ioctl(fd, number, request), map->target);
	close(fd);
	return head->dev;
}

static dev_t device_map_make(const struct device_map *map)
{
	struct device_map_request create = { 0 }, load = { 0 }, resume = { 0 };
	unsigned long long bytes;
	int disk = open_device(map->path);

	check(ioctl(disk, BLKGETSIZE64, &bytes), map->path);
	(void)device_map_step(map, DM_DEV_CREATE, &create);
	load.head.target_count = 1;
	load.target.length = bytes / 512;
	(void)snprintf(load.target.target_type, sizeof(load.target.target_type), "%s", map->target);
	(void)snprintf(load.parameters, sizeof(load.parameters), "%s 0 %s", map->path,
		       map->parameters);
	(void)device_map_step(map, DM_TABLE_LOAD, &load);
	close(disk);
	return device_map_step(map, DM_DEV_SUSPEND, &resume); /* without the flag it resumes */
}

#endif
