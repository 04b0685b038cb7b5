/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binaries in archives (see archived_files.h), laid out as below ~/.debug. */
#include "session/archived_files.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "format/archive/tar.h"
#include "proc/elf_file.h"
#include "proc/module_bundle.h"

static struct bundled_file find(const struct module_bundle *bundle, const struct build_id *id,
				const char *path, const char *file)
{
	const struct tar_member *member;
	char name[PATH_MAX], hex[2 * BUILD_ID_MAX + 1];

	if (id->len >= 2) {
		build_id_hex(id, hex);
		(void)snprintf(name, sizeof(name), ".build-id/%.2s/%s/%s", hex, hex + 2, file);
	} else if (snprintf(name, sizeof(name), "%s", path + strspn(path, "/")) >=
		   (int)sizeof(name)) {
		return (struct bundled_file){ 0 };
	}
	member = tar_find(bundle->context, name);
	return member ? (struct bundled_file){ member->data, member->len }
		      : (struct bundled_file){ 0 };
}

void archived_files_init(struct module_bundle *ret, const struct tar *tar)
{
	*ret = (struct module_bundle){ .find = find, .context = tar };
}
