/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Creates a device of the device mapper upon all of another one, and its node.
 *
 * usage: map_device NAME TARGET DEVICE PARAMETERS     → /dev/mapper/NAME */
#include <sys/stat.h>

#include "device_map.h"

int main(int argc, char **argv)
{
	struct device_map map = { 0 };
	char path[128];

	if (argc != 5)
		return 2;
	map.name = argv[1];
	map.target = argv[2];
	map.path = argv[3];
	map.parameters = argv[4];
	(void)snprintf(path, sizeof(path), "/dev/mapper/%s", map.name);
	check(mknod(path, S_IFBLK | 0600, device_map_make(&map)), path);
	return 0;
}
