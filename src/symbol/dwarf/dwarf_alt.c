// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens the supplementary debug file (see dwarf_alt.h). The link is a path, NUL, and the build id;
 * a relative path counts from the folder of the file that has the link. */
#include "symbol/dwarf/dwarf_alt.h"

#include <errno.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "symbol/dwarf.h"
#include "symbol/dwarf/dwarf_unit.h"

#define MAX_BUILD_ID 64

struct dwarf_alt {
	struct file_map image;
	struct dwarf_file file;
};

struct alt_link {
	const char *path;
	struct bytes build_id;
};

static bool note_has_id(Elf_Data *data, struct bytes id)
{
	GElf_Nhdr note;
	size_t name, desc, offset = 0;

	while ((offset = gelf_getnote(data, offset, &note, &name, &desc)))
		if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz == id.len &&
		    !memcmp((char *)data->d_buf + desc, id.data, id.len))
			return true;
	return false;
}

/* Another version of the file would give wrong names, so the ids must agree. */
static bool has_build_id(const struct file_map *image, struct bytes id)
{
	Elf *elf;
	bool found = false;

	(void)elf_version(EV_CURRENT);
	elf = image->len ? elf_memory((char *)(uintptr_t)image->data, image->len) : NULL;
	for (Elf_Scn *scn = NULL; elf && !found && (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr shdr;
		Elf_Data *data;

		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_NOTE &&
		    (data = elf_getdata(scn, NULL)))
			found = note_has_id(data, id);
	}
	elf_end(elf);
	return found;
}

static bool open_path(const char *path, struct bytes id, struct dwarf_alt *alt)
{
	struct err ignored; /* the next place may have it */

	if (file_map_open(path, &alt->image, &ignored))
		return false;
	if (has_build_id(&alt->image, id) &&
	    !dwarf_sections_load(&alt->image, "", &alt->file.sections, &ignored))
		return true;
	file_map_close(&alt->image);
	return false;
}

/* The path in the link, seen from the file that holds it. */
static bool open_linked(const struct alt_link *link, const struct dwarf_options *options,
			struct dwarf_alt *alt)
{
	const char *symfs = options->symfs ? options->symfs : "";
	char path[PATH_MAX];
	AUTO_FREE char *real = NULL;
	char *slash;
	int len;

	if (*link->path == '/') {
		len = snprintf(path, sizeof(path), "%s%s", symfs, link->path);
		return len < (int)sizeof(path) && open_path(path, link->build_id, alt);
	}
	real = options->path ? realpath(options->path, NULL) : NULL;
	slash = real ? strrchr(real, '/') : NULL;
	if (!slash)
		return false;
	len = snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - real), real, link->path);
	return len < (int)sizeof(path) && open_path(path, link->build_id, alt);
}

static bool open_by_id(const struct alt_link *link, const struct dwarf_options *options,
		       struct dwarf_alt *alt)
{
	const char *symfs = options->symfs ? options->symfs : "";
	char hex[2 * MAX_BUILD_ID + 1];
	char path[PATH_MAX];
	int len;

	for (size_t i = 0; i < link->build_id.len; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", link->build_id.data[i]);
	len = snprintf(path, sizeof(path), "%s/usr/lib/debug/.build-id/%.2s/%s.debug", symfs, hex,
		       hex + 2);
	return len < (int)sizeof(path) && open_path(path, link->build_id, alt);
}

int dwarf_alt_open(const struct dwarf_sections *sections, const struct dwarf_options *options,
		   struct dwarf_alt **ret, struct err *err)
{
	struct reader r = reader_at(sections->section[DWARF_ALT_LINK], 0);
	struct dwarf_alt *alt;
	struct alt_link link;

	*ret = NULL;
	if (!reader_left(&r))
		return 0;
	link.path = read_string(&r);
	link.build_id = (struct bytes){ r.pos, reader_left(&r) };
	if (!link.path || link.build_id.len < 2 || link.build_id.len > MAX_BUILD_ID)
		return err_set(err, -EINVAL, "damaged link to shared debug info");
	alt = mem_zalloc(sizeof(*alt));
	if (!open_linked(&link, options, alt) && !open_by_id(&link, options, alt)) {
		free(alt);
		return err_set(err, -ENOENT, "shared debug info %s is not there", link.path);
	}
	dwarf_file_scan(&alt->file);
	*ret = alt;
	return 0;
}

struct dwarf_file *dwarf_alt_file(struct dwarf_alt *alt)
{
	return &alt->file;
}

void dwarf_alt_close(struct dwarf_alt *alt)
{
	if (!alt)
		return;
	dwarf_file_done(&alt->file);
	file_map_close(&alt->image);
	free(alt);
}
