/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/bpf/kept_types.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/user_cache.h"

#define KERNEL_NOTES "/sys/kernel/notes" /* its build id among them */

/* In front of the types. */
struct head {
	uint64_t key, sum;
};

/* Identifies the kernel. */
static bool add_kernel(struct buf *to)
{
	struct utsname kernel;
	struct err ignored;

	return uname(&kernel) == 0 && fd_read_file(KERNEL_NOTES, to, &ignored) == 0 && to->len &&
	       buf_append(to, kernel.release, strlen(kernel.release) + 1) == 0 &&
	       buf_append(to, kernel.version, strlen(kernel.version) + 1) == 0;
}

void kept_types_open(struct kept_types *kept, const char *object, const void *wanted, size_t len)
{
	struct buf from = { 0 };

	*kept = (struct kept_types){ .folder = -1 };
	if (snprintf(kept->name, sizeof(kept->name), "%s.types", object) <
		    (int)sizeof(kept->name) &&
	    add_kernel(&from) && buf_append(&from, wanted, len) == 0) {
		kept->key = hash_bytes(from.data, from.len);
		kept->folder = user_cache_open(NULL, "bpf");
	}
	buf_done(&from);
}

void kept_types_close(struct kept_types *kept)
{
	fd_close(&kept->folder);
	kept->folder = -1;
}

bool kept_types_get(const struct kept_types *kept, int to)
{
	AUTO_CLOSE int fd = kept->folder < 0 ? -1 : user_cache_get(kept->folder, kept->name);
	struct file_map map;
	struct err ignored;
	struct head head;
	size_t len;
	bool done;

	if (fd < 0 || file_map_fd(fd, &map, &ignored))
		return false;
	len = map.len < sizeof(head) ? 0 : map.len - sizeof(head);
	if (len)
		memcpy(&head, map.data, sizeof(head));
	done = len && head.key == kept->key &&
	       head.sum == hash_bytes(map.data + sizeof(head), len) &&
	       fd_write_all(to, map.data + sizeof(head), len) == 0;
	file_map_close(&map);
	return done;
}

void kept_types_put(const struct kept_types *kept, const void *data, size_t len)
{
	const struct head head = { kept->key, hash_bytes(data, len) };
	struct buf file = { 0 };

	if (kept->folder >= 0 && buf_append(&file, &head, sizeof(head)) == 0 &&
	    buf_append(&file, data, len) == 0)
		(void)user_cache_put(kept->folder, kept->name, file.data, file.len);
	buf_done(&file);
}
