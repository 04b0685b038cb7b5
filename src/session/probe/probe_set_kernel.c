/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of the kernel is probed: tracepoints, and functions (see probe_set.h). */
#include "session/probe/probe_set.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "session/probe/kernel_functions.h"
#include "source/event_spec/name_list.h"
#include "source/event_spec/tracepoint.h"

int probe_set_add_tracepoints(struct probe_set *set, const struct probe_spec *spec, struct err *err)
{
	struct name_list list = { 0 };
	struct buf pattern = { 0 };
	const char *tracefs;
	int code = tracefs_find("", &set->arena, &tracefs, err);

	(void)buf_printf(&pattern, "%s:%s", spec->binary, spec->function);
	if (!code)
		code = tracepoint_match(tracefs, pattern.data, &set->arena, &list, err);
	if (!code && !list.count)
		code = probe_set_missing_tracepoint(tracefs, pattern.data, &set->arena, err);
	for (size_t i = 0; !code && i < list.count; i++) {
		char *category = arena_strdup(&set->arena, list.item[i]);
		char *colon = strchr(category, ':');
		size_t before = set->choice.names.count;
		uint32_t number = probe_set_number(set, list.item[i], 0);

		*colon = '\0';
		if (set->choice.names.count != before)
			vec_push(&set->choice.tracepoints,
				 ((struct probe_tracepoint){ number, category, colon + 1 }));
	}
	name_list_done(&list);
	buf_done(&pattern);
	return code;
}

int probe_set_add_kernel(struct probe_set *set, const struct probe_spec *spec,
			 const struct probe_set_options *options, struct err *err)
{
	const char *name = spec->function;
	struct kernel_functions found = { 0 };
	int code;

	if (spec->source || (name && strchr(name, ':'))) {
		(void)err_set(err, -EOPNOTSUPP,
			      "the kernel's file has no debug information that is read here");
		return err_hint(err, "name the beginning of a function, as vfs_read or 'vfs_*'");
	}
	if (!name || spec->offset)
		return err_usage(err, "of the kernel, the beginnings of functions are probed: "
				      "name one, as vfs_read or 'vfs_*'");
	if (strchr(name, '/')) {
		(void)err_set(err, -EINVAL, "%s: no function of the kernel", name);
		return err_hint(err, "a file has a colon behind its name: FILE:FUNCTION; with a "
				     "blank or a comma in its name it needs a link without");
	}
	if (!options->kernel) {
		(void)err_set(err, -EOPNOTSUPP,
			      "%s: functions of the kernel are traced by cupel ftrace without -x",
			      name);
		return err_hint(err, "name the file of a function: c:%s", name);
	}
	code = kernel_functions_find(name, &set->arena, &found, err);
	for (size_t i = 0; !code && i < found.item.count; i++) {
		size_t before = set->choice.names.count;
		uint32_t number = probe_set_number(set, found.item.item[i], 0);

		if (set->choice.names.count != before)
			vec_push(&set->choice.kernel,
				 ((struct probe_kernel_function){ number, found.item.item[i] }));
	}
	kernel_functions_done(&found);
	return code;
}
