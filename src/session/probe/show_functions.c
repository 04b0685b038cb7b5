/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that can be probed (see show_probes.h). */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "session/probe/kernel_functions.h"
#include "session/probe/probe_binary.h"
#include "session/probe/show_probes.h"
#include "symbol/symbol_name.h"

/* One glob, with blanks around it and perhaps a `!`. */
static bool term_matches(const char *term, size_t len, const char *name)
{
	char glob[256];
	bool wanted = true;

	for (; len && strchr(" \t!", *term); term++, len--)
		wanted ^= *term == '!';
	while (len && strchr(" \t", term[len - 1]))
		len--;
	if (len >= sizeof(glob))
		return false;
	memcpy(glob, term, len);
	glob[len] = '\0';
	return (fnmatch(glob, name, 0) == 0) == wanted;
}

/* `&` binds closer than `|`. */
bool probe_filter_matches(const char *filter, const char *name)
{
	bool all = true;

	for (;;) {
		size_t len = strcspn(filter, "&|");

		all = all && term_matches(filter, len, name);
		if (filter[len] != '&') {
			if (all)
				return true;
			all = true;
		}
		if (!filter[len])
			return false;
		filter += len + 1;
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int show_of_kernel(const char *wanted, struct buf *out, struct err *err)
{
	struct kernel_functions all = { 0 };
	struct arena arena = { 0 };
	size_t before = out->len;
	int code = kernel_functions_find("*", &arena, &all, err);

	for (size_t i = 0; !code && i < all.item.count; i++)
		if (probe_filter_matches(wanted, all.item.item[i]))
			(void)buf_printf(out, "%s\n", all.item.item[i]);
	if (!code && out->len == before)
		code = err_set(err, -ENOENT, "no function of the kernel matches '%s'", wanted);
	kernel_functions_done(&all);
	arena_done(&arena);
	return code;
}

int show_functions(const char *binary, const char *filter, struct buf *out, struct err *err)
{
	const char *wanted = filter ? filter : "!_* & !*@plt", *last = "";
	struct probe_binary *opened;
	VEC(char *) names = { 0 };
	int code;

	if (!binary)
		return show_of_kernel(wanted, out, err);
	code = probe_binary_open(binary, 0, &opened, err);
	if (code)
		return code;
	for (size_t i = 0; i < opened->functions.item.count; i++) {
		const struct elf_function *function = &opened->functions.item.item[i];
		char *name = function->imported ? NULL
						: symbol_name_present(function->name, "", true);

		if (name && probe_filter_matches(wanted, name))
			vec_push(&names, name);
		else
			free(name);
	}
	if (names.count)
		qsort(names.item, names.count, sizeof(*names.item), by_text);
	for (size_t i = 0; i < names.count; i++) {
		if (strcmp(last, names.item[i]) != 0)
			(void)buf_printf(out, "%s\n", names.item[i]);
		last = names.item[i];
	}
	if (!names.count)
		code = err_set(err, -ENOENT, "%s: no function matches '%s'", opened->path, wanted);
	for (size_t i = 0; i < names.count; i++)
		free(names.item[i]);
	vec_done(&names);
	probe_binary_close(opened);
	return code;
}
