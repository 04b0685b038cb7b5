/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The search for separate debug files (see debug_file.h). Conventions: the GDB manual, "Debugging
 * Information in Separate Files", and the build-id folders of perf. */
#include "symbol/elf/debug_file.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/err.h"
#include "proc/binary_cache.h"
#include "proc/elf_file.h"
#include "proc/module_bundle.h"

#define DEBUG_ROOT "/usr/lib/debug"
#define PAGE_BYTES ((uint64_t)4096)

/* What a candidate has to be. */
struct wanted {
	struct build_id build_id; /* of the main file; len 0 = it has none */
	bool has_crc;
	uint32_t crc;	  /* from .gnu_debuglink */
	struct stat self; /* the main file is not its own debug file */
};

static bool is_wanted(const struct elf_file *debug, const struct wanted *wanted)
{
	const uint8_t *at = debug->data;
	uLong crc = 0;

	if (wanted->build_id.len)
		return build_id_equal(&wanted->build_id, &debug->build_id);
	if (!wanted->has_crc)
		return false;
	/* crc32() takes 32-bit lengths. */
	for (size_t left = debug->len; left;) {
		uInt part = left < (1u << 30) ? (uInt)left : 1u << 30;

		crc = crc32(crc, at, part);
		at += part;
		left -= part;
	}
	return crc == wanted->crc;
}

static bool try_file(const char *path, size_t root_len, const struct wanted *wanted,
		     struct elf_file **ret)
{
	struct err ignored = { 0 };
	struct elf_file *debug;
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode) ||
	    (st.st_ino == wanted->self.st_ino && st.st_dev == wanted->self.st_dev) ||
	    elf_file_open(path, &debug, &ignored))
		return false;
	debug->root_len = root_len;
	if (!is_wanted(debug, wanted)) {
		elf_file_close(debug);
		return false;
	}
	*ret = debug;
	return true;
}

static bool try_build_id(const char *root, int root_len, const struct wanted *wanted,
			 struct elf_file **ret)
{
	char path[2 * PATH_MAX], hex[2 * BUILD_ID_MAX + 1];

	if (wanted->build_id.len < 2)
		return false;
	build_id_hex(&wanted->build_id, hex);
	(void)snprintf(path, sizeof(path), "%.*s" DEBUG_ROOT "/.build-id/%.2s/%s.debug", root_len,
		       root, hex, hex + 2);
	if (try_file(path, (size_t)root_len, wanted, ret))
		return true;
	if (root_len && try_build_id("", 0, wanted, ret))
		return true;
	return !root_len && binary_cache_path(&wanted->build_id, "debug", path, sizeof(path)) &&
	       try_file(path, 0, wanted, ret);
}

/* The name in .gnu_debuglink, or NULL; a CRC, 4-byte aligned, follows it. */
static const char *read_debuglink(const struct elf_file *elf, struct wanted *wanted)
{
	const struct elf_section *section = elf_file_section(elf, ".gnu_debuglink");
	const uint8_t *data;
	size_t len, name_len;

	if (!section || !elf_section_data(elf, section, &data, &len))
		return NULL;
	name_len = strnlen((const char *)data, len);
	if (name_len == 0 || name_len > NAME_MAX || memchr(data, '/', name_len))
		return NULL;
	name_len = (name_len + 4) & ~(size_t)3;
	if (len < 4 || name_len > len - 4)
		return NULL;
	wanted->crc = elf_u32(elf, data + name_len);
	wanted->has_crc = true;
	return (const char *)data;
}

/* `path` is below the root; its folder is searched, then the mirror of it under /usr/lib/debug. */
static bool try_beside(const struct elf_file *elf, const char *path, const char *link,
		       const struct wanted *wanted, struct elf_file **ret)
{
	const char *slash = strrchr(path, '/');
	int root_len = (int)elf->root_len, dir_len = slash ? (int)(slash - path) : 0;
	char file[4 * PATH_MAX];

	if (link) {
		static const char *const inner[] = { "/", "/.debug/" };

		for (size_t i = 0; i < 2; i++) {
			(void)snprintf(file, sizeof(file), "%.*s%.*s%s%s", root_len, elf->path,
				       dir_len, path, inner[i], link);
			if (try_file(file, elf->root_len, wanted, ret))
				return true;
		}
		(void)snprintf(file, sizeof(file), "%.*s" DEBUG_ROOT "%.*s/%s", root_len, elf->path,
			       dir_len, path, link);
		if (try_file(file, elf->root_len, wanted, ret))
			return true;
	}
	(void)snprintf(file, sizeof(file), "%.*s" DEBUG_ROOT "%s.debug", root_len, elf->path, path);
	return try_file(file, elf->root_len, wanted, ret);
}

static bool try_bundle(const struct elf_file *elf, struct elf_file **ret)
{
	const struct module_bundle *bundle = elf->bundle;
	struct bundled_file file = { 0 };
	struct err ignored = { 0 };

	if (bundle && elf->build_id.len)
		file = bundle->find(bundle, &elf->build_id, "", "debug");
	return file.data && !elf_file_parse(file.data, file.len, ret, &ignored);
}

int debug_file_open(const struct elf_file *elf, const char *symfs, struct elf_file **ret,
		    struct err *err)
{
	struct wanted wanted = { .build_id = elf->build_id };
	const char *link = read_debuglink(elf, &wanted);
	const char *root = elf->root_len ? elf->path : symfs ? symfs : "";
	size_t root_len = elf->root_len ? elf->root_len : strlen(root);
	char *real;
	bool found;

	if (elf->path[0] && stat(elf->path, &wanted.self))
		wanted.self.st_ino = 0;
	if (try_bundle(elf, ret) || try_build_id(root, (int)root_len, &wanted, ret))
		return 0;
	if (!elf->path[0])
		return err_set(err, -ENOENT, "no debug file");
	if (try_beside(elf, elf->path + elf->root_len, link, &wanted, ret))
		return 0;
	/* A merged /usr: the path may lead through /lib → /usr/lib. */
	real = elf->root_len ? NULL : realpath(elf->path, NULL);
	found = real && strcmp(real, elf->path) && try_beside(elf, real, link, &wanted, ret);
	free(real);
	return found ? 0 : err_set(err, -ENOENT, "no debug file");
}

int debug_file_open_build_id(const struct build_id *id, const char *symfs, struct elf_file **ret,
			     struct err *err)
{
	struct wanted wanted = { .build_id = *id };
	const char *root = symfs ? symfs : "";

	if (try_build_id(root, (int)strlen(root), &wanted, ret))
		return 0;
	return err_set(err, -ENOENT, "no debug file");
}

void debug_file_restore_offsets(struct elf_file *debug)
{
	uint64_t end = 0;
	bool emptied = false;

	for (size_t i = 0; i < debug->segment_count; i++) {
		const struct elf_segment *s = &debug->segment[i];

		emptied |= s->type == PT_LOAD && (s->flags & PF_X) && !s->file_bytes;
	}
	for (size_t i = 0; i < debug->segment_count && emptied; i++) {
		struct elf_segment *s = &debug->segment[i];

		if (s->type != PT_LOAD)
			continue;
		s->offset = end + ((s->vaddr - end) & (PAGE_BYTES - 1));
		s->file_bytes = s->memory_bytes;
		end = s->offset + s->file_bytes;
	}
}

uint64_t debug_file_bias(const struct elf_file *elf, const struct elf_file *debug)
{
	const struct elf_section *a = elf_file_section(elf, ".text");
	const struct elf_section *b = elf_file_section(debug, ".text");

	return a && b ? a->addr - b->addr : 0;
}
