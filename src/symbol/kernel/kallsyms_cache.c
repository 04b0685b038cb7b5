/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeping kallsyms (see kallsyms_cache.h): one file, a line with its key and then the list. */
#include "symbol/kernel/kallsyms_cache.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/user_cache.h"
#include "symbol/kernel/kallsyms.h"

#define FOLDER	 "kernel"
#define FILENAME "kallsyms"
#define MAX_FILE ((size_t)512 << 20)

/* Modules without their use counts: name, size, address of each. */
static uint64_t hash_modules(char *text)
{
	uint64_t hash = 0;
	char *rest, *line;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *field_rest, *field = strtok_r(line, " ", &field_rest);

		for (int i = 0; field; i++, field = strtok_r(NULL, " ", &field_rest))
			if (i < 2 || i == 5)
				hash = hash_u64(hash ^ hash_bytes(field, strlen(field)));
	}
	return hash;
}

/* What the list holds for, as a line; false = it is not known. */
static bool make_key(struct buf *ret)
{
	struct buf boot = { .limit = 4096 }, modules = { .limit = 16 << 20 };
	struct err ignored = { 0 };
	bool known = !fd_read_file("/proc/sys/kernel/random/boot_id", &boot, &ignored) && boot.len;
	uint64_t hash = 0;

	if (known && !fd_read_file("/proc/modules", &modules, &ignored) && modules.len)
		hash = hash_modules(modules.data); /* no such file: a kernel without modules */
	if (known)
		(void)buf_printf(ret, "# %.*s %016llx\n", (int)strcspn(boot.data, "\n"), boot.data,
				 (unsigned long long)hash);
	buf_done(&boot);
	buf_done(&modules);
	return known;
}

/* Functions of the kernel and its modules. */
static bool is_wanted(const char *line, const char *end)
{
	static const char bpf[] = "\t[bpf]";
	size_t len = sizeof(bpf) - 1;
	const char *type = memchr(line, ' ', (size_t)(end - line));

	if (!type || type + 1 >= end || !strchr("TtWw", type[1]))
		return false;
	return (size_t)(end - line) <= len || memcmp(end - len, bpf, len) != 0;
}

void kallsyms_keep_functions(struct buf *text)
{
	char *end = text->data + text->len, *to = text->data;

	for (char *line = text->data; line < end;) {
		char *newline = memchr(line, '\n', (size_t)(end - line));
		char *stop = newline ? newline : end;
		size_t len = (size_t)(stop - line) + (newline != NULL);

		if (is_wanted(line, stop)) {
			memmove(to, line, len);
			to += len;
		}
		line += len;
	}
	text->len = (size_t)(to - text->data);
	if (text->data)
		*to = '\0';
}

/* The kept list, with its key; empty when there is none for this key. */
static void read_kept(int folder, const struct buf *key, struct buf *ret)
{
	AUTO_CLOSE int fd = user_cache_get(folder, FILENAME);
	struct err ignored = { 0 };
	char path[64];

	if (fd < 0)
		return;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd_read_file(path, ret, &ignored) || ret->len <= key->len ||
	    memcmp(ret->data, key->data, key->len) != 0)
		buf_clear(ret);
}

static int read_proc(struct buf *ret, struct err *err)
{
	int code = fd_read_file("/proc/kallsyms", ret, err);

	if (!code && ret->len == 0)
		code = err_set(err, -ENODATA, "/proc/kallsyms: empty");
	if (!code)
		kallsyms_keep_functions(ret);
	return code;
}

/* Parsing takes the text over. */
static int parse_copy(const char *text, size_t len, struct kallsyms *ret, struct err *err)
{
	char *copy = mem_alloc(len + 1);

	memcpy(copy, text, len);
	copy[len] = '\0';
	return kallsyms_parse(copy, len, ret, err);
}

static void put(int folder, const struct buf *key, const struct buf *text)
{
	struct buf file = { 0 };

	(void)buf_append(&file, key->data, key->len); /* far below the limit of a buf */
	(void)buf_append(&file, text->data, text->len);
	(void)user_cache_put(folder, FILENAME, file.data, file.len); /* costs time later */
	buf_done(&file);
}

int kallsyms_read_running(struct kallsyms *ret, struct err *err)
{
	struct buf key = { 0 }, text = { .limit = MAX_FILE };
	AUTO_CLOSE int folder = make_key(&key) ? user_cache_open(NULL, FOLDER) : -1;
	size_t skip = 0;
	int code;

	if (folder >= 0)
		read_kept(folder, &key, &text);
	if (text.len)
		skip = key.len;
	code = skip ? 0 : read_proc(&text, err);
	if (!code)
		code = parse_copy(text.data + skip, text.len - skip, ret, err);
	if (!code && !skip && folder >= 0) /* hidden addresses are not kept: they do not parse */
		put(folder, &key, &text);
	buf_done(&key);
	buf_done(&text);
	return code;
}

static bool is_kept(int folder, const struct buf *key)
{
	AUTO_CLOSE int fd = user_cache_get(folder, FILENAME);
	char start[256];

	return fd >= 0 && key->len <= sizeof(start) &&
	       fd_read_full(fd, start, key->len) == (ssize_t)key->len &&
	       memcmp(start, key->data, key->len) == 0;
}

void kallsyms_keep_running(void)
{
	struct buf key = { 0 };
	AUTO_CLOSE int folder = make_key(&key) ? user_cache_open(NULL, FOLDER) : -1;
	bool kept = folder < 0 || is_kept(folder, &key);
	struct kallsyms kallsyms;
	struct err ignored = { 0 };

	buf_done(&key);
	if (!kept && !kallsyms_read_running(&kallsyms, &ignored))
		kallsyms_done(&kallsyms);
}
