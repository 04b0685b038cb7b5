/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of file descriptors (see trace_files.h). */
#include "session/trace/trace_files.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"

static uint64_t key_of(const struct trace_files *files, uint32_t pid, int fd)
{
	uint64_t programs = 0;

	(void)map_get(&files->programs, pid, &programs);
	return hash_u64(hash_u64((uint64_t)pid << 32 | (uint32_t)fd) + programs);
}

void trace_files_init(struct trace_files *files, bool sees_all)
{
	*files = (struct trace_files){ .strings = strtab_new(), .sees_all = sees_all };
}

void trace_files_done(struct trace_files *files)
{
	map_done(&files->name);
	map_done(&files->programs);
	strtab_free(files->strings);
}

/* As /proc has it now. */
static bool read_link(uint32_t pid, int fd, char *ret, size_t size)
{
	char link[64];
	ssize_t len;

	(void)snprintf(link, sizeof(link), "/proc/%u/fd/%d", pid, fd);
	len = readlink(link, ret, size - 1);
	if (len <= 0)
		return false;
	ret[len] = '\0';
	return true;
}

void trace_files_open(struct trace_files *files, uint32_t pid, int fd, const char *path)
{
	if (!files->sees_all || !path)
		trace_files_close(files, pid, fd);
	else
		map_set(&files->name, key_of(files, pid, fd),
			(uint64_t)strtab_intern(files->strings, path, strlen(path)).v + 1);
}

void trace_files_copy(struct trace_files *files, uint32_t pid, int from, int to)
{
	uint64_t name = 0;

	(void)map_get(&files->name, key_of(files, pid, from), &name);
	map_set(&files->name, key_of(files, pid, to), name);
}

void trace_files_forget(struct trace_files *files, uint32_t pid)
{
	bool added;

	++*map_add(&files->programs, pid, &added);
}

void trace_files_close(struct trace_files *files, uint32_t pid, int fd)
{
	uint64_t unused;

	if (map_get(&files->name, key_of(files, pid, fd), &unused))
		map_set(&files->name, key_of(files, pid, fd), 0);
}

void trace_files_put(struct trace_files *files, uint32_t pid, int fd, struct buf *out)
{
	char link[512];
	uint64_t name = 0;

	(void)map_get(&files->name, key_of(files, pid, fd), &name);
	if (!name && !read_link(pid, fd, link, sizeof(link)))
		return;
	(void)buf_putc(out, '<');
	(void)buf_put_tidy(
		out, name ? strtab_get(files->strings, (string_id){ (uint32_t)(name - 1) }) : link);
	(void)buf_putc(out, '>');
}
