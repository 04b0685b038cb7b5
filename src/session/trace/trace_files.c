/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of file descriptors (see trace_files.h). */
#include "session/trace/trace_files.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "session/trace/trace_value.h"

#define LINK_SIZE 512
#define FORK_MAX  1024 /* descriptors of a child that get names */

static uint64_t key_of(const struct trace_files *files, uint32_t pid, int fd)
{
	uint64_t programs = 0;

	(void)map_get(&files->programs, pid, &programs);
	return hash_u64(hash_u64((uint64_t)pid << 32 | (uint32_t)fd) + programs);
}

static void set_name(struct trace_files *files, uint32_t pid, int fd, uint64_t name)
{
	bool added;
	uint64_t *end;

	map_set(&files->name, key_of(files, pid, fd), name);
	end = map_add(&files->end, pid, &added);
	if (name && fd >= 0 && *end <= (uint64_t)fd)
		*end = (uint64_t)fd + 1;
}

void trace_files_init(struct trace_files *files, bool sees_all)
{
	*files = (struct trace_files){ .strings = strtab_new(), .sees_all = sees_all };
}

void trace_files_done(struct trace_files *files)
{
	map_done(&files->name);
	map_done(&files->programs);
	map_done(&files->end);
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
	struct buf text = { 0 };

	if (!files->sees_all || !path) {
		trace_files_close(files, pid, fd);
		return;
	}
	trace_put_escaped((const uint8_t *)path, strlen(path), &text);
	set_name(files, pid, fd,
		 (uint64_t)strtab_intern(files->strings, text.len ? text.data : "", text.len).v +
			 1);
	buf_done(&text);
}

void trace_files_make(struct trace_files *files, uint32_t pid, int fd, const char *kind)
{
	size_t len = strlen(kind);
	char link[LINK_SIZE], plain[64];

	(void)snprintf(plain, sizeof(plain), "%.*s", (int)(len - (kind[len - 1] == ':')), kind);
	if (read_link(pid, fd, link, sizeof(link)) && strncmp(link, kind, len) == 0)
		trace_files_open(files, pid, fd, link);
	else
		trace_files_open(files, pid, fd, plain);
}

void trace_files_start(struct trace_files *files, uint32_t pid)
{
	char link[LINK_SIZE];

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (read_link((uint32_t)getpid(), fd, link, sizeof(link)))
			trace_files_open(files, pid, fd, link);
}

void trace_files_fork(struct trace_files *files, uint32_t parent, uint32_t child)
{
	uint64_t end = 0, name, unused;

	(void)map_get(&files->end, parent, &end);
	for (int fd = 0; fd < (int)end && fd < FORK_MAX; fd++)
		if (map_get(&files->name, key_of(files, parent, fd), &name) && name &&
		    !map_get(&files->name, key_of(files, child, fd), &unused))
			set_name(files, child, fd, name);
}

void trace_files_copy(struct trace_files *files, uint32_t pid, int from, int to)
{
	uint64_t name = 0;

	(void)map_get(&files->name, key_of(files, pid, from), &name);
	set_name(files, pid, to, name);
}

void trace_files_forget(struct trace_files *files, uint32_t pid)
{
	bool added;

	++*map_add(&files->programs, pid, &added);
}

void trace_files_close(struct trace_files *files, uint32_t pid, int fd)
{
	if (files->sees_all)
		set_name(files, pid, fd, 0);
}

void trace_files_put(struct trace_files *files, uint32_t pid, int fd, struct buf *out)
{
	char link[LINK_SIZE];
	uint64_t name = 0;

	(void)map_get(&files->name, key_of(files, pid, fd), &name);
	if (!name && !read_link(pid, fd, link, sizeof(link)))
		return;
	(void)buf_putc(out, '<');
	if (name)
		(void)buf_puts(out,
			       strtab_get(files->strings, (string_id){ (uint32_t)(name - 1) }));
	else
		trace_put_escaped((const uint8_t *)link, strlen(link), out);
	(void)buf_putc(out, '>');
}
