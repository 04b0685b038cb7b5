/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cgroup file system (see cgroup.h). Format: proc_pid_mounts(5). */
#include "source/cgroup.h"

#include <errno.h>
#include <fts.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"

#define CGROUP2_MAGIC 0x63677270 /* linux/magic.h */

int cgroup_mount(const char *root, char *ret, size_t size, struct err *err)
{
	struct buf text = { .limit = 1 << 20 };
	char path[4096], empty[] = "", *save = NULL;
	int code;

	(void)snprintf(path, sizeof(path), "%s/proc/self/mounts", root);
	code = fd_read_file(path, &text, err);
	if (code)
		goto out;
	code = -ENOENT;
	for (char *line = strtok_r(text.data ? text.data : empty, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char where[4096], type[64], flags[1024];
		bool first_version;

		if (sscanf(line, "%*s %4095s %63s %1023s", where, type, flags) != 3)
			continue;
		first_version = strcmp(type, "cgroup") == 0 && strstr(flags, "perf_event");
		if (!first_version && (code == 0 || strcmp(type, "cgroup2") != 0))
			continue;
		(void)snprintf(ret, size, "%s", where);
		code = 0;
		if (first_version)
			break; /* the controller can only be in one place */
	}
	if (code)
		code = err_set(err, -ENOENT, "no cgroup file system is mounted");
out:
	buf_done(&text);
	return code;
}

/* Where version 2 is mounted on a live system. */
static void find_version_2(char *ret, size_t size)
{
	static const char *const usual[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	struct statfs fs;

	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (statfs(usual[i], &fs) == 0 && fs.f_type == CGROUP2_MAGIC)
			(void)snprintf(ret, size, "%s", usual[i]);
}

int cgroup_id(const char *path, uint64_t *ret, struct err *err)
{
	char root[64] = "", folder[4096];
	struct statfs fs;
	struct stat status;

	find_version_2(root, sizeof(root));
	if (statfs(path, &fs) == 0 && fs.f_type == CGROUP2_MAGIC)
		(void)snprintf(folder, sizeof(folder), "%s", path);
	else
		(void)snprintf(folder, sizeof(folder), "%s/%s", root, path);
	if (stat(folder, &status) || statfs(folder, &fs) || fs.f_type != CGROUP2_MAGIC)
		return err_set(err, -ENOENT, "%s: not a version 2 cgroup", path);
	*ret = status.st_ino;
	return 0;
}

void cgroup_each(void (*visit)(void *context, uint64_t id, const char *name), void *context)
{
	char root[64] = "";
	char *const roots[] = { root, NULL };
	FTS *walk;
	FTSENT *at;

	find_version_2(root, sizeof(root));
	walk = *root ? fts_open(roots, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR, NULL) : NULL;
	while (walk && (at = fts_read(walk))) /* some may come and go meanwhile */
		if (at->fts_info == FTS_D)
			visit(context, at->fts_statp->st_ino,
			      at->fts_path[strlen(root)] ? at->fts_path + strlen(root) : "/");
	if (walk)
		(void)fts_close(walk);
}
