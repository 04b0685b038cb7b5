/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracepoints of the kernel. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "session/catalog/catalog.h"
#include "session/catalog/catalog_meanings.h"
#include "source/event_spec/name_list.h"
#include "source/event_spec/tracepoint.h"
#include "source/perf_event/event_try.h"

/* Opening one of them asks the kernel to patch its code, and takes milliseconds. All that may be
 * opened or refused are of one of two kinds: those of system calls, and the others. */
static int try_tracepoint(const char *tracefs, const char *full)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.sample_period = 1,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_RAW };
	const char *colon = strchr(full, ':');
	struct err ignored = { 0 };
	char system[128];
	uint64_t id = 0;
	int code;

	(void)snprintf(system, sizeof(system), "%.*s", (int)(colon - full),
		       full); /* else -ENOENT */
	code = tracepoint_id(tracefs, system, colon + 1, &id, &ignored);
	if (code)
		return code;
	attr.config = id;
	return event_try(&attr, 0, -1);
}

static bool is_system_call(const char *name)
{
	return strncmp(name, "syscalls:", 9) == 0;
}

void catalog_add_tracepoints(const struct catalog_options *options, struct catalog *catalog)
{
	struct name_list names = { 0 };
	struct err err = { 0 };
	int code[2] = { 1, 1 }; /* of the others, of system calls; 1 = not tried */
	const char *tracefs;

	if (tracefs_find(options->root, &catalog->arena, &tracefs, &err) ||
	    tracepoint_match(tracefs, "*:*", &catalog->arena, &names, &err)) {
		catalog->note[CATALOG_TRACEPOINT] =
			catalog_text(catalog, "%s; %s", err.msg, err.hint);
		name_list_done(&names);
		return;
	}
	for (size_t i = 0; i < names.count; i++) {
		bool call = is_system_call(names.item[i]);

		if (code[call] > 0)
			code[call] = try_tracepoint(tracefs, names.item[i]);
		vec_push(&catalog->entry, ((struct catalog_entry){ .group = CATALOG_TRACEPOINT,
								   .name = names.item[i],
								   .code = code[call] }));
	}
	name_list_done(&names);
}

void catalog_describe(const struct catalog_options *options, struct catalog *catalog)
{
	const char *tracefs;
	struct err ignored = { 0 };

	if (tracefs_find(options->root, &catalog->arena, &tracefs, &ignored))
		return; /* and no entries */
	for (size_t i = 0; i < catalog->entry.count; i++) {
		struct catalog_entry *entry = &catalog->entry.item[i];
		const char *fields = NULL;

		if (entry->group != CATALOG_TRACEPOINT)
			continue;
		entry->meaning = catalog_tracepoint_meaning(entry->name, catalog);
		if (options->fields || !entry->meaning)
			fields = catalog_tracepoint_fields(tracefs, entry->name, catalog);
		if (!entry->meaning)
			entry->meaning = catalog_tracepoint_words(entry->name, fields, catalog);
		if (options->fields && fields && *fields)
			entry->details = fields;
	}
}
