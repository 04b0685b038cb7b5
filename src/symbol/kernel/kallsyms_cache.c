/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeping kallsyms (see kallsyms_cache.h): one file, its key padded with NULs, then the packed
 * functions: a struct packed_head, the ranges in order, the text with their names. It is mapped and
 * searched as it is: few runs need more than a few of its pages. */
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
#define KEY_LEN	 128u /* keeps what follows aligned */

struct packed_head {
	uint64_t count, text_len, text_start, modules;
};

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

/* What the list holds for, KEY_LEN bytes; false = it is not known. */
static bool make_key(struct buf *ret)
{
	struct buf boot = { .limit = 4096 }, modules = { .limit = 16 << 20 };
	struct err ignored = { 0 };
	bool known = !fd_read_file("/proc/sys/kernel/random/boot_id", &boot, &ignored) && boot.len;
	uint64_t hash = 0;

	if (known && !fd_read_file("/proc/modules", &modules, &ignored) && modules.len)
		hash = hash_modules(modules.data); /* no such file: a kernel without modules */
	if (known)
		(void)buf_printf(ret, "# functions %.*s %016llx\n", (int)strcspn(boot.data, "\n"),
				 boot.data, (unsigned long long)hash);
	known = known && ret->len < KEY_LEN;
	while (known && ret->len < KEY_LEN)
		(void)buf_putc(ret, '\0');
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

void kallsyms_pack(const struct kallsyms *kallsyms, struct buf *ret)
{
	const struct range_table *ranges = &kallsyms->ranges;
	struct packed_head head = { .count = ranges->count,
				    .text_len = kallsyms->text_len,
				    .text_start = kallsyms->text_start,
				    .modules = kallsyms->modules };

	(void)buf_append(ret, &head, sizeof(head));
	(void)buf_append(ret, ranges->item, ranges->count * sizeof(*ranges->item));
	(void)buf_append(ret, kallsyms->text, head.text_len);
}

bool kallsyms_unpack(const void *data, size_t len, struct kallsyms *ret)
{
	struct packed_head head;	       /* a copy: the file can change */
	char *bytes = (char *)(uintptr_t)data; /* only read */
	size_t size;

	if (len < sizeof(head) || (uintptr_t)data % _Alignof(struct range))
		return false;
	memcpy(&head, data, sizeof(head));
	if (!head.count || head.count > len / sizeof(struct range) || !head.text_len)
		return false;
	size = head.count * sizeof(struct range);
	if (len - sizeof(head) < size || len - sizeof(head) - size != head.text_len ||
	    bytes[len - 1])
		return false;
	*ret = (struct kallsyms){
		.ranges = { .item = (struct range *)(void *)(bytes + sizeof(head)),
			    .count = head.count },
		.text = bytes + len - head.text_len,
		.text_len = head.text_len,
		.text_start = head.text_start,
		.modules = head.modules,
		.borrowed = true,
	};
	return true;
}

/* False when there is none for this key. */
static bool read_kept(int folder, const struct buf *key, struct kallsyms *ret)
{
	AUTO_CLOSE int fd = user_cache_get(folder, FILENAME);
	struct file_map map;
	struct err ignored = { 0 };

	if (fd < 0 || file_map_fd(fd, &map, &ignored))
		return false;
	if (map.len > KEY_LEN && memcmp(map.data, key->data, KEY_LEN) == 0 &&
	    kallsyms_unpack(map.data + KEY_LEN, map.len - KEY_LEN, ret)) {
		ret->file = map;
		return true;
	}
	file_map_close(&map);
	return false;
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

static void put(int folder, const struct buf *key, const struct kallsyms *kallsyms)
{
	struct buf file = { 0 };

	(void)buf_append(&file, key->data, key->len); /* far below the limit of a buf */
	kallsyms_pack(kallsyms, &file);
	(void)user_cache_put(folder, FILENAME, file.data, file.len); /* costs time later */
	buf_done(&file);
}

int kallsyms_read_running(struct kallsyms *ret, struct err *err)
{
	struct buf key = { 0 }, text = { .limit = MAX_FILE };
	AUTO_CLOSE int folder = make_key(&key) ? user_cache_open(NULL, FOLDER) : -1;
	int code = 0;

	if (folder < 0 || !read_kept(folder, &key, ret)) {
		code = read_proc(&text, err);
		if (!code) {
			size_t len = text.len;

			code = kallsyms_parse(take_pointer(&text.data), len, ret, err);
		}
		if (!code && folder >= 0) /* hidden addresses are not kept: they do not parse */
			put(folder, &key, ret);
	}
	buf_done(&key);
	buf_done(&text);
	return code;
}

static bool is_kept(int folder, const struct buf *key)
{
	AUTO_CLOSE int fd = user_cache_get(folder, FILENAME);
	char start[KEY_LEN];

	return fd >= 0 && fd_read_full(fd, start, KEY_LEN) == (ssize_t)KEY_LEN &&
	       memcmp(start, key->data, KEY_LEN) == 0;
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
