/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that can be probed (see show_probes.h). */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/vec.h"
#include "session/probe/kernel_functions.h"
#include "session/probe/probe_binary.h"
#include "session/probe/probe_signature.h"
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

struct shown {
	char *name;
	const char *symbol;
};

static int by_text(const void *a, const void *b)
{
	const struct shown *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(x->symbol, y->symbol);
}

/* Functions that differ in their parameters alone are shown with them. */
static void put_functions(const struct shown *shown, size_t count, struct buf *out)
{
	size_t next;

	for (size_t i = 0; i < count; i = next) {
		bool differ = false;

		for (next = i + 1; next < count && !strcmp(shown[next].name, shown[i].name); next++)
			differ |= strcmp(shown[next].symbol, shown[i].symbol) != 0;
		for (size_t j = i; differ && j < next; j++) {
			AUTO_FREE char *whole = probe_signature(shown[j].symbol);

			if (!whole)
				differ = false; /* twice in the table, not in C++ */
			else if (j == i || strcmp(shown[j].symbol, shown[j - 1].symbol) != 0)
				(void)buf_printf(out, "%s\n", whole);
		}
		if (!differ)
			(void)buf_printf(out, "%s\n", shown[i].name);
	}
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
	const char *wanted = filter ? filter : "!_* & !*@plt";
	struct probe_binary *opened;
	VEC(struct shown) names = { 0 };
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
			vec_push(&names, ((struct shown){ name, function->name }));
		else
			free(name);
	}
	if (names.count)
		qsort(names.item, names.count, sizeof(*names.item), by_text);
	put_functions(names.item, names.count, out);
	if (!names.count)
		code = err_set(err, -ENOENT, "%s: no function matches '%s'", opened->path, wanted);
	for (size_t i = 0; i < names.count; i++)
		free(names.item[i].name);
	vec_done(&names);
	probe_binary_close(opened);
	return code;
}
