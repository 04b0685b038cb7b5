/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cgroup file system (see cgroup.h). Format: proc_pid_mounts(5). */
#include "source/cgroup.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"

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
