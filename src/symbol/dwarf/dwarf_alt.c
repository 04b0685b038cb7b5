// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens the supplementary debug file (see dwarf_alt.h). The link is a path, NUL, and the build id;
 * a relative path counts from the folder of the file that has the link. */
#include "symbol/dwarf/dwarf_alt.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "proc/elf_file.h"
#include "symbol/dwarf/dwarf.h"
#include "symbol/dwarf/dwarf_unit.h"
#include "symbol/elf/debug_file.h"
#include "symbol/elf/debuginfod.h"

struct dwarf_alt {
	struct elf_file *elf;
	struct dwarf_file file;
};

/* The path in the link, seen from the file that holds it. Another version of the file would give
 * wrong names, so the build ids must agree. */
static struct elf_file *open_linked(const struct elf_file *elf, const char *linked,
				    const struct build_id *id)
{
	char path[PATH_MAX];
	struct elf_file *ret;
	struct err ignored; /* it may be elsewhere */
	const char *slash;
	int len;

	if (*linked == '/') {
		len = snprintf(path, sizeof(path), "%.*s%s", (int)elf->root_len, elf->path, linked);
	} else {
		AUTO_FREE char *real = realpath(elf->path, NULL);

		slash = real ? strrchr(real, '/') : NULL;
		if (!slash)
			return NULL;
		len = snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - real), real, linked);
	}
	if (len < 0 || len >= (int)sizeof(path) || elf_file_open(path, &ret, &ignored))
		return NULL;
	if (build_id_equal(&ret->build_id, id))
		return ret;
	elf_file_close(ret);
	return NULL;
}

/* False = damaged. */
static bool read_link(const struct dwarf_sections *sections, const char **ret_path,
		      struct build_id *ret_id)
{
	struct reader r = reader_at(sections->section[DWARF_ALT_LINK], 0);
	const char *path = read_string(&r);
	size_t len = reader_left(&r);

	if (!path || !len || len > sizeof(ret_id->bytes))
		return false;
	*ret_path = path;
	ret_id->len = (uint8_t)len;
	memcpy(ret_id->bytes, r.pos, len);
	return true;
}

int dwarf_alt_open(const struct elf_file *elf, const struct dwarf_sections *sections,
		   const struct dwarf_options *options, struct dwarf_alt **ret, struct err *err)
{
	struct build_id id = { 0 };
	struct dwarf_alt *alt;
	struct elf_file *found;
	const char *path;
	int code;

	*ret = NULL;
	if (!sections->section[DWARF_ALT_LINK].len)
		return 0;
	if (!read_link(sections, &path, &id))
		return err_set(err, -EINVAL, "damaged link to shared debug info");
	found = open_linked(elf, path, &id);
	if (!found && debug_file_open_build_id(&id, options->symfs, &found, err) &&
	    (!options->debuginfod ||
	     debuginfod_session_open(options->debuginfod, &id, &found, err)))
		return err_set(err, -ENOENT, "shared debug info %s not found", path);
	alt = mem_zalloc(sizeof(*alt));
	alt->elf = found;
	alt->file.sections.cache = options->unpacked;
	code = dwarf_sections_load(found, "", &alt->file.sections, err);
	if (code) {
		dwarf_alt_close(alt);
		return err_wrap(err, "shared debug info %s", path);
	}
	dwarf_file_scan(&alt->file);
	*ret = alt;
	return 0;
}

struct dwarf_file *dwarf_alt_file(struct dwarf_alt *alt)
{
	return &alt->file;
}

void dwarf_alt_forget(const struct dwarf_alt *alt)
{
	if (alt)
		elf_file_forget(alt->elf);
}

void dwarf_alt_close(struct dwarf_alt *alt)
{
	if (!alt)
		return;
	dwarf_file_done(&alt->file);
	elf_file_close(alt->elf);
	free(alt);
}
