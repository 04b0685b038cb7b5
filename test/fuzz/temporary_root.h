/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder that stands for / in fuzz targets of code that reads sysfs and procfs; removed at exit.
 */
#ifndef FUZZ_TEMPORARY_ROOT_H
#define FUZZ_TEMPORARY_ROOT_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char temporary_root[64];

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_root(void)
{
	(void)nftw(temporary_root, remove_one, 16, FTW_DEPTH | FTW_PHYS); /* best effort */
}

/* The root; made at the first call. */
static const char *fuzz_root(void)
{
	if (!temporary_root[0]) {
		(void)snprintf(temporary_root, sizeof(temporary_root), "/tmp/cupel-fuzz-XXXXXX");
		if (!mkdtemp(temporary_root) || atexit(remove_root))
			abort();
	}
	return temporary_root;
}

static void fuzz_put_file(const char *path, const void *data, size_t len)
{
	char full[512];
	FILE *file;

	(void)snprintf(full, sizeof(full), "%s%s", fuzz_root(), path);
	for (char *slash = full + strlen(fuzz_root()) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		(void)mkdir(full, 0755); /* may exist */
		*slash = '/';
	}
	file = fopen(full, "we");
	if (!file || (len && fwrite(data, len, 1, file) != 1) || fclose(file))
		abort();
}

#endif
