// SPDX-License-Identifier: GPL-2.0-or-later
/* Loads libraries at first use (see library.h). */
#include "base/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"

static void *find_function(const struct library_function *function, void *handle)
{
	void *ret = handle ? dlsym(handle, function->name) : NULL;

	if (function->linked)
		memcpy(&ret, &function->linked, sizeof(ret)); /* a cast would be -Wpedantic's */
	return ret;
}

static bool is_linked(const struct library *library)
{
	for (size_t i = 0; i < library->function_count; i++)
		if (!library->functions[i].linked)
			return false;
	return true;
}

int library_load(const struct library *library, void *ret_table, struct err *err)
{
	void *handle = NULL;

	if (!is_linked(library)) {
		/* never unloaded: some libraries do not support it */
		handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
		if (!handle) {
			err_set(err, -ENOSYS, "%s is not installed", library->file);
			return err_hint(err, "install the package that has %s", library->file);
		}
	}
	for (size_t i = 0; i < library->function_count; i++)
		if (!find_function(&library->functions[i], handle))
			return err_set(err, -ENOSYS, "%s has no function %s", library->file,
				       library->functions[i].name);
	for (size_t i = 0; i < library->function_count; i++) {
		void *function = find_function(&library->functions[i], handle);

		memcpy((char *)ret_table + library->functions[i].offset, &function,
		       sizeof(function));
	}
	return 0;
}
