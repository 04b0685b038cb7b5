/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runtime's symbols (see python_binary.h). They are exported, so stripped binaries have them
 * too; only the cold part of the evaluation function has a name in full symbol tables alone. */
#include "symbol/python/python_binary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "proc/elf_file.h"

struct found {
	uint64_t value, size;
};

enum wanted {
	WANTED_RUNTIME,
	WANTED_VERSION,
	WANTED_EVAL,
	WANTED_COLD,
	WANTED_COUNT,
};

static const char *const wanted_name[WANTED_COUNT] = {
	[WANTED_RUNTIME] = "_PyRuntime",
	[WANTED_VERSION] = "Py_Version",
	[WANTED_EVAL] = "_PyEval_EvalFrameDefault",
	[WANTED_COLD] = "_PyEval_EvalFrameDefault.cold",
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool python_binary_likely(const char *path)
{
	return path[0] == '/' && strstr(base_name(path), "python");
}

/* The name in a string table, if it ends there. */
static const char *name_at(const uint8_t *names, size_t len, uint32_t at)
{
	return at < len && memchr(names + at, '\0', len - at) ? (const char *)names + at : "";
}

static void read_symbols(const struct elf_file *elf, const struct elf_section *section,
			 struct found found[WANTED_COUNT])
{
	const uint8_t *data, *names;
	size_t len, names_len;

	if (!section || section->link >= elf->section_count ||
	    !elf_section_data(elf, section, &data, &len) ||
	    !elf_section_data(elf, &elf->section[section->link], &names, &names_len))
		return;
	for (size_t at = 0; at + sizeof(Elf64_Sym) <= len; at += sizeof(Elf64_Sym)) {
		const char *name = name_at(names, names_len, elf_u32(elf, data + at));
		uint64_t value = elf_u64(elf, data + at + offsetof(Elf64_Sym, st_value));

		if (!value || (name[0] != '_' && name[0] != 'P'))
			continue;
		for (size_t i = 0; i < WANTED_COUNT; i++)
			if (strcmp(name, wanted_name[i]) == 0)
				found[i] = (struct found){
					value,
					elf_u64(elf, data + at + offsetof(Elf64_Sym, st_size))
				};
	}
}

/* "…/python3.9", "…/libpython3.9.so.1.0". */
static uint32_t version_in(const char *path)
{
	const char *at = strstr(base_name(path), "python3.");
	unsigned long minor;

	if (!at)
		return 0;
	minor = strtoul(at + strlen("python3."), NULL, 10);
	return minor && minor < 256 ? 0x0300 | (uint32_t)minor : 0;
}

static uint32_t version_of(const struct elf_file *elf, const char *path, uint64_t version_at)
{
	const uint8_t *data;
	size_t len;

	if (version_at && elf_file_at(elf, version_at, &data, &len) && len >= 4)
		return elf_u32(elf, data) >> 16;
	return version_in(path);
}

int python_binary_find(const struct elf_file *elf, const char *path, struct python_binary *ret,
		       struct err *err)
{
	struct found found[WANTED_COUNT] = { 0 };
	struct python_binary binary = { 0 };
	const uint8_t *runtime = NULL;
	size_t len = 0;
	int code;

	if (!elf->is_64 || elf->swap)
		return err_set(err, -ENOENT, "not supported on this CPU");
	read_symbols(elf, elf_file_section(elf, ".dynsym"), found);
	read_symbols(elf, elf_file_section(elf, ".symtab"), found);
	if (!found[WANTED_RUNTIME].value || !found[WANTED_EVAL].size)
		return err_set(err, -ENOENT, "no Python runtime");
	if (!elf_file_at(elf, found[WANTED_RUNTIME].value, &runtime, &len))
		len = 0;
	code = python_layout_get(version_of(elf, path, found[WANTED_VERSION].value), runtime, len,
				 &binary.layout, err);
	if (code)
		return code;
	binary.runtime = found[WANTED_RUNTIME].value;
	binary.eval[0].start = found[WANTED_EVAL].value;
	binary.eval[0].len = found[WANTED_EVAL].size;
	binary.eval[1].start = found[WANTED_COLD].value;
	binary.eval[1].len = found[WANTED_COLD].size;
	*ret = binary;
	return 0;
}
