/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of file descriptors (see trace_files.h). */
#include "session/trace/trace_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "session/trace/trace_value.h"

#define LINK_SIZE 512
#define FD_MAX	  1024 /* descriptors that a process gets from another one */
#define STD_COUNT (STDERR_FILENO + 1)

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
	map_set(&files->since_ns, key_of(files, pid, fd), files->returned_ns);
	end = map_add(&files->end, pid, &added);
	if (name && fd >= 0 && *end <= (uint64_t)fd)
		*end = (uint64_t)fd + 1;
}

static const char *name_text(const struct trace_files *files, uint64_t name)
{
	return strtab_get(files->strings, (string_id){ (uint32_t)(name - 1) });
}

void trace_files_init(struct trace_files *files, bool sees_all)
{
	*files = (struct trace_files){ .strings = strtab_new(), .sees_all = sees_all };
}

void trace_files_done(struct trace_files *files)
{
	map_done(&files->name);
	map_done(&files->since_ns);
	map_done(&files->unproved);
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
	trace_files_open(files, pid, fd, kind);
}

void trace_files_meet(struct trace_files *files, uint32_t pid)
{
	char link[LINK_SIZE];
	bool added;

	for (int fd = 0; fd < FD_MAX; fd++)
		if (read_link(pid, fd, link, sizeof(link)))
			trace_files_open(files, pid, fd, link);
	*map_add(&files->unproved, pid, &added) = 1;
}

void trace_files_prove(struct trace_files *files, uint32_t pid)
{
	uint64_t end = 0, name, unproved = 0;
	char link[LINK_SIZE];

	if (!map_get(&files->unproved, pid, &unproved) || !unproved)
		return;
	map_set(&files->unproved, pid, 0);
	(void)map_get(&files->end, pid, &end);
	for (int fd = 0; fd < (int)end; fd++) {
		struct buf now = { 0 };

		if (!map_get(&files->name, key_of(files, pid, fd), &name) || !name)
			continue;
		if (read_link(pid, fd, link, sizeof(link)))
			trace_put_escaped((const uint8_t *)link, strlen(link), &now);
		if (!now.data || strcmp(now.data, name_text(files, name)) != 0)
			map_set(&files->name, key_of(files, pid, fd), 0);
		buf_done(&now);
	}
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
	uint64_t end = 0, name, since_ns, unused;
	int most = map_get(&files->programs, child, &unused) ? STD_COUNT : FD_MAX;

	(void)map_get(&files->end, parent, &end);
	for (int fd = 0; fd < (int)end && fd < most; fd++) {
		if (!map_get(&files->name, key_of(files, parent, fd), &name) || !name ||
		    map_get(&files->name, key_of(files, child, fd), &unused))
			continue;
		since_ns = 0;
		(void)map_get(&files->since_ns, key_of(files, parent, fd), &since_ns);
		if (since_ns > files->begun_ns)
			continue; /* another thread of the parent opened it meanwhile */
		set_name(files, child, fd, name);
		map_set(&files->since_ns, key_of(files, child, fd), since_ns);
	}
}

void trace_files_copy(struct trace_files *files, uint32_t pid, int from, int to)
{
	uint64_t name = 0;

	(void)map_get(&files->name, key_of(files, pid, from), &name);
	set_name(files, pid, to, name);
}

void trace_files_forget(struct trace_files *files, uint32_t pid, unsigned kept)
{
	unsigned count = kept < FD_MAX ? kept : FD_MAX;
	uint64_t *name = mem_zalloc((count + 1) * sizeof(*name));
	bool added, *known = mem_zalloc((count + 1) * sizeof(*known));

	for (unsigned fd = 0; fd < count; fd++)
		known[fd] = map_get(&files->name, key_of(files, pid, (int)fd), &name[fd]);
	++*map_add(&files->programs, pid, &added);
	for (unsigned fd = 0; fd < count; fd++)
		if (known[fd])
			set_name(files, pid, (int)fd, name[fd]);
	free(name);
	free(known);
}

void trace_files_close(struct trace_files *files, uint32_t pid, int fd)
{
	if (files->sees_all)
		set_name(files, pid, fd, 0);
}

void trace_files_put(struct trace_files *files, uint32_t pid, int fd, struct buf *out)
{
	uint64_t name = 0, since_ns = 0;

	if (!map_get(&files->name, key_of(files, pid, fd), &name) || !name)
		return;
	(void)map_get(&files->since_ns, key_of(files, pid, fd), &since_ns);
	if (since_ns > files->begun_ns)
		return;
	(void)buf_putc(out, '<');
	(void)buf_puts(out, name_text(files, name));
	(void)buf_putc(out, '>');
}
