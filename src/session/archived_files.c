/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binaries in archives (see archived_files.h), laid out as below ~/.debug. */
#include "session/archived_files.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "format/archive/tar.h"
#include "proc/elf_file.h"
#include "proc/module_bundle.h"

/* PATH/ID/FILE of a module without a build id; NULL when there are none or several. */
static const struct tar_member *find_any_id(const struct tar *tar, const char *path,
					    const char *file)
{
	const struct tar_member *found = NULL;
	size_t len = strlen(path);

	for (size_t i = 0; i < tar_count(tar); i++) {
		const struct tar_member *member = tar_get(tar, i);
		const char *id;
		size_t digits;

		if (member->type != TAR_FILE || strncmp(member->name, path, len) != 0 ||
		    member->name[len] != '/')
			continue;
		id = member->name + len + 1;
		digits = strspn(id, "0123456789abcdef");
		if (!digits || id[digits] != '/' || strcmp(id + digits + 1, file) != 0)
			continue;
		if (found)
			return NULL;
		found = member;
	}
	return found;
}

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
	if (!member && id->len < 2 && *file)
		member = find_any_id(bundle->context, name, file);
	return member ? (struct bundled_file){ member->data, member->len }
		      : (struct bundled_file){ 0 };
}

void archived_files_init(struct module_bundle *ret, const struct tar *tar)
{
	*ret = (struct module_bundle){ .find = find, .context = tar };
}
