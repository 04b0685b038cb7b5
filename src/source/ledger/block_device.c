/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of devices (see block_device.h). Formats: sysfs-block in the kernel's ABI documentation,
 * proc_pid_mountinfo(5). */
#include "source/ledger/block_device.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "event/ledger_account.h"

/* The first line of a file of the device. */
static void put_attribute(const char *folder, const char *file, struct buf *out)
{
	struct buf text = { .limit = 1 << 16 };
	struct err ignored = { 0 };
	char path[PATH_MAX + 32];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, file);
	if (fd_read_file(path, &text, &ignored) == 0 && text.len) {
		text.data[strcspn(text.data, "\n")] = 0;
		(void)buf_put_tidy(out, text.data);
	}
	buf_done(&text);
}

static void put_holders(const char *folder, struct buf *out)
{
	const char *separator = out->len ? ", part of " : "part of ";
	char path[PATH_MAX + 32];
	struct dirent *entry;
	DIR *dir;

	(void)snprintf(path, sizeof(path), "%s/holders", folder);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		(void)buf_puts(out, separator);
		(void)buf_put_tidy(out, entry->d_name);
		separator = " and ";
	}
	if (dir)
		(void)closedir(dir);
}

static bool name_of_disk(const char *folder, struct buf *name, struct buf *about)
{
	char target[PATH_MAX];
	ssize_t len = readlink(folder, target, sizeof(target) - 1);
	const char *last;

	if (len <= 0)
		return false;
	target[len] = 0;
	last = strrchr(target, '/');
	(void)buf_put_tidy(name, last ? last + 1 : target);
	put_attribute(folder, "dm/name", about);
	put_attribute(folder, "loop/backing_file", about);
	put_holders(folder, about);
	return true;
}

/* "36 35 0:45 / /mnt rw,noatime shared:1 - fuse.sshfs host: rw": the first with that number. */
static bool name_of_mount(const char *path, uint32_t major, uint32_t minor, struct buf *name,
			  struct buf *about)
{
	struct buf text = { .limit = 1 << 22 };
	struct err ignored = { 0 };
	char empty[] = "", *save = NULL;
	bool found = false;

	(void)fd_read_file(path, &text, &ignored);
	for (char *line = strtok_r(text.data ? text.data : empty, "\n", &save); line && !found;
	     line = strtok_r(NULL, "\n", &save)) {
		char *type = strstr(line, " - "), where[4096];
		uint32_t of_major, of_minor;

		found = type &&
			sscanf(line, "%*u %*u %" SCNu32 ":%" SCNu32 " %*s %4095s", &of_major,
			       &of_minor, where) == 3 &&
			of_major == major && of_minor == minor;
		if (!found)
			continue;
		type += 3;
		type[strcspn(type, " ")] = 0;
		(void)buf_put_tidy(name, where);
		(void)buf_put_tidy(about, type);
	}
	buf_done(&text);
	return found;
}

void block_device_name(const char *root, uint32_t device, struct buf *name, struct buf *about)
{
	uint32_t major = device >> LEDGER_MINOR_BITS;
	uint32_t minor = device & ((1u << LEDGER_MINOR_BITS) - 1);
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/sys/dev/block/%" PRIu32 ":%" PRIu32, root, major,
		       minor);
	if (name_of_disk(path, name, about))
		return;
	(void)snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root);
	if (!name_of_mount(path, major, minor, name, about))
		(void)buf_printf(name, "%" PRIu32 ":%" PRIu32, major, minor);
}
