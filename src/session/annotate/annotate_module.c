// SPDX-License-Identifier: GPL-2.0-or-later
/* Modules of a profile (see annotate_module.h). */
#include "session/annotate/annotate_module.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "profile/profile.h"
#include "session/capture.h"
#include "session/load/resolve.h"

static bool is_module(const struct module *module, const struct profile *profile,
		      const struct profile_module *wanted)
{
	char hex[2 * BUILD_ID_MAX + 1] = "";
	AUTO_FREE char *path = mem_strdup(resolve_module_path(module));

	text_tidy(path, strlen(path)); /* as strings of a profile are */
	if (strcmp(path, profile_string(profile, wanted->path)) != 0)
		return false;
	build_id_hex(&module->build_id, hex);
	return strcmp(hex, wanted->build_id) == 0;
}

const struct module *annotate_find_module(const struct capture *capture,
					  const struct profile *profile, uint32_t number)
{
	const struct profile_module *wanted = &profile->modules.item[number];
	size_t count = capture && capture->modules ? module_table_count(capture->modules) : 0;

	for (size_t i = 0; i < count; i++) {
		const struct module *m =
			module_table_get(capture->modules, (module_id){ (uint32_t)i });

		if (is_module(m, profile, wanted))
			return m;
	}
	return NULL;
}

static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	while (*list) {
		size_t item = strcspn(list, ",");

		if (item == len && strncmp(list, word, len) == 0)
			return true;
		list += item + (list[item] == ',');
	}
	return false;
}

bool annotate_is_listed(const struct profile *profile, uint32_t number, const char *list)
{
	const struct profile_module *module = &profile->modules.item[number];

	return !list || has_word(list, profile_string(profile, module->name)) ||
	       has_word(list, profile_string(profile, module->path));
}
