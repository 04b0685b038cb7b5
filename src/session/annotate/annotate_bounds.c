/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions without names (see annotate_bounds.h). */
#include "session/annotate/annotate_bounds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "proc/module.h"
#include "profile/profile.h"
#include "session/annotate/annotate_module.h"
#include "session/annotate/annotate_names.h"
#include "symbol/symbolizer.h"
#include "unwind/cfi/cfi.h"
#include "unwind/table.h"

static void bound_frame(struct profile *profile, struct frame *frame,
			const struct unwind_table *table)
{
	const struct unwind_place place = { .offset = frame->offset - frame->caller };
	struct cfi_fde fde;
	struct cfi_vm vm;
	uint64_t address;
	char name[24];

	if (!unwind_table_row(table, place, &fde, &vm, &address) || fde.end <= fde.start)
		return;
	(void)snprintf(name, sizeof(name), "0x%" PRIx64, fde.start);
	frame->function = strtab_puts(profile->strings, name);
	frame->symbol_start = fde.start - address + place.offset;
	frame->symbol_end = fde.end - address + place.offset;
}

/* Opened with the first frame that needs it. */
static struct unwind_table *open_table(const struct profile *profile, uint32_t number,
				       const struct annotate_names_options *options)
{
	const struct module *module = annotate_find_module(options->capture, profile, number);

	if (!module || module->kind != MODULE_FILE ||
	    !annotate_is_listed(profile, number, options->modules))
		return NULL;
	return unwind_table_open(module, options->symbol->symfs);
}

void annotate_bound_frames(struct profile *profile, const struct annotate_names_options *options)
{
	const size_t modules = profile->modules.count;
	struct unwind_table **tables = mem_zalloc((modules + 1) * sizeof(*tables));
	bool *tried = mem_zalloc(modules + 1);

	for (uint32_t i = 0; i < profile->frames.count; i++) {
		struct frame *frame = &profile->frames.item[i];

		if (frame->function.v != STRING_EMPTY.v || frame->kind != FRAME_USER ||
		    frame->module >= modules)
			continue;
		if (!tried[frame->module])
			tables[frame->module] = open_table(profile, frame->module, options);
		tried[frame->module] = true;
		if (tables[frame->module])
			bound_frame(profile, frame, tables[frame->module]);
	}
	for (size_t i = 0; i < modules; i++)
		unwind_table_close(tables[i]);
	free(tables);
	free(tried);
}
