/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descendants by the files `children` of /proc (see descendants.h). Without CONFIG_PROC_CHILDREN
 * there are none. */
#include "source/descendants.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "source/id_list.h"

static bool has(const struct id_list *list, int id)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->item[i] == id)
			return true;
	return false;
}

/* What has ended meanwhile has no children. */
static void add_of_thread(int pid, int tid, struct id_list *ret)
{
	struct buf text = { .limit = 1 << 20 };
	struct err ignored = { 0 };
	char path[64];
	int child;

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, tid);
	if (!fd_read_file(path, &text, &ignored) && text.len)
		for (const char *p = text.data; id_take(&p, INT_MAX, &child); p += *p == ' ')
			if (child != getpid() && !has(ret, child))
				vec_push(ret, child);
	buf_done(&text);
}

static void add_of_process(int pid, struct id_list *ret)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		const char *name = entry->d_name;
		int tid;

		if (id_take(&name, INT_MAX, &tid))
			add_of_thread(pid, tid, ret);
	}
	if (dir)
		(void)closedir(dir);
}

void descendants_add(const struct id_list *of, bool threads, struct id_list *ret)
{
	size_t first = ret->count;

	for (size_t i = 0; i < of->count; i++) {
		if (threads)
			add_of_thread(of->item[i], of->item[i], ret);
		else
			add_of_process(of->item[i], ret);
	}
	for (size_t i = first; i < ret->count; i++)
		add_of_process(ret->item[i], ret);
}
