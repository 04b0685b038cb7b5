/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's own mappings: its text as "[kernel.kallsyms]_text" with pgoff = address of _text
 * (perf's form to compute the kernel's relocation) and its modules. See scan.h. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "proc/scan.h"

#define FILE_LIMIT ((size_t)64 << 20)
#define NAME_LIMIT 512

static void read_whole(const char *root, const char *name, struct buf *ret)
{
	struct err ignored; /* a missing file counts as empty */
	char path[PATH_MAX];

	buf_clear(ret);
	ret->limit = FILE_LIMIT;
	if (snprintf(path, sizeof(path), "%s%s", root, name) < (int)sizeof(path) &&
	    fd_read_file(path, ret, &ignored))
		buf_clear(ret);
}

/* Addresses of text symbols in /proc/kallsyms. Reads no further than needed: _text comes first in
 * the file, _etext behind a hundred thousand others. */
struct text_symbols {
	uint64_t text, end;
	const char *name; /* "_text" or "_stext" */
};

static bool take_symbol(struct text_symbols *symbols, char *line, bool want_end)
{
	char *rest;
	uint64_t address = strtoull(line, &rest, 16);

	if (rest == line || strnlen(rest, 4) < 4 || rest[0] != ' ' || rest[2] != ' ')
		return false;
	rest += 3;
	if (strcmp(rest, "_text") == 0 || (!symbols->name && strcmp(rest, "_stext") == 0)) {
		symbols->text = address;
		symbols->name = rest[1] == 't' ? "_text" : "_stext";
	} else if (strcmp(rest, "_etext") == 0) {
		symbols->end = address;
	}
	return symbols->name && (want_end ? symbols->end : symbols->name[1] == 't');
}

static struct text_symbols read_symbols(const char *root, bool want_end)
{
	struct text_symbols symbols = { 0 };
	char path[PATH_MAX], *line = NULL;
	size_t capacity = 0;
	FILE *file;

	if (snprintf(path, sizeof(path), "%s/proc/kallsyms", root) >= (int)sizeof(path))
		return symbols;
	file = fopen(path, "re");
	while (file && getline(&line, &capacity, file) > 0) {
		line[strcspn(line, "\t\n")] = '\0';
		if (take_symbol(&symbols, line, want_end))
			break;
	}
	free(line);
	if (file)
		(void)fclose(file); /* only read */
	return symbols;
}

/* "  01000000-0220bb07 : Kernel code": physical, but of the same length. 0 when hidden. */
static uint64_t text_bytes(const char *root)
{
	struct buf text = { 0 };
	uint64_t start = 0, last = 0;
	char *line, *rest;

	read_whole(root, "/proc/iomem", &text);
	line = text.len ? strstr(text.data, " : Kernel code") : NULL;
	while (line && line > text.data && line[-1] != '\n')
		line--;
	if (line) {
		start = strtoull(line, &rest, 16);
		if (*rest == '-')
			last = strtoull(rest + 1, NULL, 16);
	}
	buf_done(&text);
	return last > start ? last - start + 1 : 0;
}

static int emit_map(const struct event_mmap *map, struct sink *sink, struct err *err)
{
	struct event event = { .type = EVENT_MMAP,
			       .misc = PERF_RECORD_MISC_KERNEL,
			       .pid = UINT32_MAX,
			       .cpu = UINT32_MAX,
			       .mmap = *map };

	return sink->event(sink, &event, err);
}

static int scan_text(const char *root, struct sink *sink, struct err *err)
{
	struct text_symbols symbols = read_symbols(root, false);
	struct event_mmap map = { 0 };
	uint64_t bytes = text_bytes(root);
	char path[64];

	if (!symbols.text)
		return 0; /* hidden by kptr_restrict */
	if (!bytes) {
		symbols = read_symbols(root, true);
		bytes = symbols.end > symbols.text ? symbols.end - symbols.text : 0;
	}
	(void)snprintf(path, sizeof(path), "[kernel.kallsyms]%s", symbols.name);
	map.start = map.pgoff = symbols.text;
	map.len = UINT64_MAX - symbols.text;
	if (bytes && bytes < map.len)
		map.len = bytes;
	map.path = path;
	return map.len ? emit_map(&map, sink, err) : 0;
}

/* Module names use _ where file names may use -. */
static bool is_file_of(const char *line, size_t len, const char *module)
{
	const char *base = memrchr(line, '/', len);
	size_t i = 0;

	base = base ? base + 1 : line;
	len -= (size_t)(base - line);
	for (; module[i]; i++)
		if (i >= len || (base[i] == '-' ? '_' : base[i]) != module[i])
			return false;
	return len - i >= 3 && strncmp(base + i, ".ko", 3) == 0;
}

/* Path of a module's file by modules.dep ("kernel/fs/ext4/ext4.ko: …"), "[name]" when unknown. */
static void module_path(const struct buf *deps, const char *module, char *ret, size_t size)
{
	struct utsname name;

	(void)snprintf(ret, size, "[%s]", module);
	if (!deps->len || uname(&name))
		return;
	for (const char *line = deps->data; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		size_t len = strcspn(line, ":\n");

		if (line[len] == ':' && is_file_of(line, len, module)) {
			(void)snprintf(ret, size, "/lib/modules/%s/%.*s", name.release, (int)len,
				       line);
			return;
		}
	}
}

/* "ext4 983040 2 mbcache,jbd2, Live 0xffffffffc0a00000 (O)" */
static bool parse_module(const char *line, char *name, uint64_t *ret_size, uint64_t *ret_address)
{
	unsigned long long size, address;

	if (sscanf(line, "%255s %llu %*s %*s %*s %llx", name, &size, &address) != 3 || !address ||
	    !size || strchr(name, '/'))
		return false;
	*ret_size = size;
	*ret_address = address;
	return true;
}

static int scan_modules(const char *root, struct sink *sink, struct err *err)
{
	struct buf modules = { 0 }, deps = { 0 };
	struct utsname release;
	char path[PATH_MAX];
	int r = 0;

	read_whole(root, "/proc/modules", &modules);
	if (modules.len && uname(&release) == 0) {
		(void)snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", release.release);
		read_whole(root, path, &deps);
	}
	for (char *line = modules.data, *end; line && *line && r == 0; line = end) {
		struct event_mmap map = { .path = path };
		char name[256];

		end = strchrnul(line, '\n');
		if (*end)
			*end++ = '\0';
		if (!parse_module(line, name, &map.len, &map.start))
			continue;
		module_path(&deps, name, path, sizeof(path));
		r = emit_map(&map, sink, err);
	}
	buf_done(&modules);
	buf_done(&deps);
	return r;
}

int scan_kernel(const struct scan_options *options, struct sink *sink, struct err *err)
{
	const char *root = options->root ? options->root : "";
	int r = scan_text(root, sink, err);

	return r ? r : scan_modules(root, sink, err);
}
