/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables at a place (see show_source.h). */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "session/probe/debug_info.h"
#include "session/probe/show_source.h"
#include "symbol/dwarf/dwarf_type.h"
#include "symbol/dwarf/dwarf_variable.h"

struct listing {
	const struct debug_info *info;
	uint64_t address;
	VEC(char *) line;
};

/* Those that are somewhere at the address. */
static bool add_variable(void *context, const struct dwarf_variable *variable)
{
	struct listing *listing = context;
	enum dwarf_presence presence;
	struct buf text = { 0 };
	struct bytes ignored;
	uint64_t constant;

	presence = dwarf_variable_place(&variable->die, listing->address - listing->info->bias,
					&ignored, &constant);
	if (presence != DWARF_PRESENT && presence != DWARF_CONSTANT)
		return true;
	dwarf_type_put(&variable->die, &text);
	(void)buf_printf(&text, "\t%s", variable->name);
	if (text.data)
		vec_push(&listing->line, text.data);
	return true;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void put_place(const struct debug_info *info, const struct debug_place *place, bool externs,
		      struct buf *out)
{
	struct listing listing = { .info = info, .address = place->address };
	const char *name = dwarf_die_name(&place->function);

	dwarf_variable_each(&place->function, place->address - info->bias, externs, add_variable,
			    &listing);
	if (listing.line.count)
		qsort(listing.line.item, listing.line.count, sizeof(char *), by_text);
	(void)buf_printf(out, "\t@<%s+%llu>\n", name ? name : "?",
			 (unsigned long long)(place->address - place->entry));
	for (size_t i = 0; i < listing.line.count; i++)
		if (!i || strcmp(listing.line.item[i - 1], listing.line.item[i]) != 0)
			(void)buf_printf(out, "\t\t%s\n", listing.line.item[i]);
	if (!listing.line.count)
		(void)buf_puts(out, "\t\t(No matched variables)\n");
	for (size_t i = 0; i < listing.line.count; i++)
		free(listing.line.item[i]);
	vec_done(&listing.line);
}

int show_variables(const struct debug_info *info, const char *place, bool externs, struct buf *out,
		   struct err *err)
{
	struct debug_places places;
	int code = debug_info_find(info, place, &places, err);

	if (code)
		return code;
	(void)buf_printf(out, "Available variables at %s\n", place);
	for (size_t i = 0; i < places.list.count; i++)
		if (places.list.item[i].function.tag)
			put_place(info, &places.list.item[i], externs, out);
	debug_places_done(&places);
	return 0;
}
