/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events by the names that the CPU's vendor gives them (libpfm4). */
#include <errno.h>
#include <linux/perf_event.h>

#include "base/err.h"
#include "session/catalog/catalog.h"
#include "source/event_spec/event_parse.h"
#include "source/event_spec/pfm_event.h"
#include "source/perf_event/event_try.h"

struct vendor {
	struct catalog *catalog;
	int cycles; /* of opening what every PMU has: 0, or -errno */
};

/* Thousands of names are not opened one by one: without a PMU none can be. */
static void add_event(void *context, const char *name, const char *meaning)
{
	struct vendor *vendor = context;
	struct catalog *catalog = vendor->catalog;
	struct catalog_entry entry = {
		.group = CATALOG_VENDOR,
		.name = arena_strdup(&catalog->arena, name),
		.meaning = meaning ? catalog_text(catalog, "%s", meaning) : NULL,
		.code = vendor->cycles,
	};
	struct pfm_encoding code;
	struct err ignored;

	if (pfm_event_encode(name, &code, &ignored))
		return;
	entry.details = catalog_text(catalog, "type %u, config 0x%llx", code.type,
				     (unsigned long long)code.config);
	vec_push(&catalog->entry, entry);
}

void catalog_add_vendor(struct catalog *catalog)
{
	struct vendor vendor = {
		.catalog = catalog,
		.cycles = event_try_own(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES),
	};
	size_t before = catalog->entry.count;
	struct err err = { 0 };

	if (pfm_event_each(add_event, &vendor, &err))
		catalog->note[CATALOG_VENDOR] = catalog_text(catalog, "%s; %s", err.msg, err.hint);
	else if (catalog->entry.count == before)
		catalog->note[CATALOG_VENDOR] = "libpfm4 does not know this CPU";
}
