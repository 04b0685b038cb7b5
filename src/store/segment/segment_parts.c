/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts in the folder of a store (see segment_store.h). */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/fd.h"
#include "store/segment/segment_store.h"

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct segment_part_name *)a)->name,
		      ((const struct segment_part_name *)b)->name);
}

int segment_parts_find(int folder, struct segment_parts *ret, struct err *err)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		fd_close(&fd);
		return err_errno(err, "the folder of the store");
	}
	while ((entry = readdir(dir))) {
		struct segment_part_name part;
		unsigned number;

		if (!part_name_parse(entry->d_name, &part.day, &number))
			continue;
		memcpy(part.name, entry->d_name, strlen(entry->d_name) + 1);
		vec_push(&ret->part, part);
	}
	(void)closedir(dir);
	if (ret->part.count)
		qsort(ret->part.item, ret->part.count, sizeof(*ret->part.item), compare_names);
	return 0;
}
