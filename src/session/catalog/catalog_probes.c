/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracepoints of the kernel and static probes of binaries. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/confined.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/packing.h"
#include "event/event.h"
#include "proc/elf_file.h"
#include "proc/maps_line.h"
#include "proc/usdt.h"
#include "session/catalog/catalog.h"
#include "session/catalog/catalog_meanings.h"
#include "source/event_spec/name_list.h"
#include "source/event_spec/tracepoint.h"
#include "source/perf_event/event_try.h"

#define MAPS_LIMIT ((size_t)4 << 20)

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

/* The fields of its format: "prev_comm prev_pid …". */
static const char *fields_of(const char *tracefs, const char *full, struct catalog *catalog)
{
	struct buf text = { .limit = 65536 }, names = { 0 };
	struct err ignored = { 0 };
	char path[512];
	const char *colon = strchr(full, ':'), *ret = NULL;

	if (snprintf(path, sizeof(path), "%s/events/%.*s/%s/format", tracefs, (int)(colon - full),
		     full, colon + 1) >= (int)sizeof(path) ||
	    fd_read_file(path, &text, &ignored))
		text.len = 0;
	for (const char *line = text.len ? text.data : NULL; line;
	     line = strstr(line + 1, "\n\tfield:")) {
		const char *end = strchr(line + 1, ';'), *name = end;

		if (strncmp(line, "\n\tfield:", 8) != 0 || !end)
			continue;
		while (name > line && name[-1] != ' ' && name[-1] != '*')
			name--;
		if (strncmp(name, "common_", 7) != 0)
			(void)buf_printf(&names, "%s%.*s", names.len ? " " : "", (int)(end - name),
					 name);
	}
	if (names.len)
		ret = catalog_text(catalog, "%s", names.data);
	buf_done(&text);
	buf_done(&names);
	return ret;
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
		vec_push(&catalog->entry,
			 ((struct catalog_entry){
				 .group = CATALOG_TRACEPOINT,
				 .name = names.item[i],
				 .meaning = catalog_tracepoint_meaning(catalog, names.item[i]),
				 .details = options->fields
						    ? fields_of(tracefs, names.item[i], catalog)
						    : NULL,
				 .code = code[call] }));
	}
	name_list_done(&names);
}

static void add_file(const char *path, struct catalog *catalog)
{
	struct err err = { 0 };
	struct usdt_list list;
	struct elf_file *elf;

	if (elf_file_open(path, &elf, &err)) {
		catalog->note[CATALOG_SDT] = catalog->problem =
			catalog_text(catalog, "%s", err.msg);
		return;
	}
	usdt_read(elf, &list);
	for (size_t i = 0; i < list.probe.count; i++) {
		const struct usdt_probe *probe = &list.probe.item[i];

		vec_push(&catalog->entry,
			 ((struct catalog_entry){
				 .group = CATALOG_SDT,
				 .name = catalog_text(catalog, "sdt_%s:%s@%s", probe->provider,
						      probe->name, path),
				 .details = catalog_text(
					 catalog, "0x%llx %s%s", (unsigned long long)probe->address,
					 probe->arguments, probe->semaphore ? " (semaphore)" : ""),
			 }));
	}
	usdt_done(&list);
	elf_file_close(elf);
}

/* Libraries of this program are those of many. */
static void add_own_libraries(struct catalog *catalog)
{
	struct buf text = { .limit = MAPS_LIMIT };
	struct err ignored = { 0 };
	char *rest = NULL;

	if (fd_read_file("/proc/self/maps", &text, &ignored))
		text.len = 0;
	for (char *line = text.len ? strtok_r(text.data, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		struct event_mmap map;

		if (maps_line_executable(line) && maps_line_parse(line, &map) && map.path[0] == '/')
			add_file(map.path, catalog);
	}
	buf_done(&text);
}

static int by_name(const void *a, const void *b)
{
	const struct catalog_entry *first = a, *second = b;

	return strcmp(first->name, second->name);
}

/* A probe that the compiler inlined is at several places: one entry stands for all. */
static void merge(struct catalog *catalog, size_t first)
{
	size_t kept = first;

	if (catalog->entry.count > first)
		qsort(catalog->entry.item + first, catalog->entry.count - first,
		      sizeof(catalog->entry.item[0]), by_name);
	for (size_t i = first; i < catalog->entry.count; i++)
		if (i == first ||
		    strcmp(catalog->entry.item[kept - 1].name, catalog->entry.item[i].name) != 0)
			catalog->entry.item[kept++] = catalog->entry.item[i];
	catalog->entry.count = kept;
}

static int read_probes(void *context, struct buf *ret, struct err *err)
{
	const struct catalog_options *options = context;
	struct catalog found = { 0 };

	(void)err;
	for (size_t i = 0; i < options->files; i++)
		add_file(options->file[i], &found);
	if (!options->files)
		add_own_libraries(&found);
	merge(&found, 0);
	pack_put_string(ret, found.problem);
	pack_put(ret, &found.entry.count, sizeof(found.entry.count));
	for (size_t i = 0; i < found.entry.count; i++) {
		pack_put_string(ret, found.entry.item[i].name);
		pack_put_string(ret, found.entry.item[i].details);
	}
	vec_done(&found.entry);
	arena_done(&found.arena);
	return 0;
}

static bool take_probes(struct unpack *from, struct catalog *catalog)
{
	const char *problem = unpack_string(from, true, &catalog->arena);
	size_t count;

	if (*problem)
		catalog->note[CATALOG_SDT] = catalog->problem = problem;
	unpack_take(from, &count, sizeof(count));
	for (size_t i = 0; i < count && !from->damaged; i++) {
		struct catalog_entry *entry = vec_add(&catalog->entry);

		/* perf probe must set it first */
		*entry = (struct catalog_entry){ .group = CATALOG_SDT, .untried = true };
		entry->name = unpack_string(from, true, &catalog->arena);
		entry->details = unpack_string(from, true, &catalog->arena);
	}
	return unpack_end(from);
}

/* Binaries are read where privileges are not at stake. */
void catalog_add_sdt(const struct catalog_options *options, struct catalog *catalog)
{
	struct buf bytes = { 0 };
	struct unpack from = { 0 };
	struct err err = { 0 };

	catalog->note[CATALOG_SDT] = "record one: cupel record -e usdt:BINARY:NAME; of "
				     "other binaries: --usdt FILE";
	if (confined_call("cupel-reader", read_probes, (void *)(uintptr_t)options, &bytes, &err)) {
		catalog->note[CATALOG_SDT] = catalog->problem =
			catalog_text(catalog, "%s", err.msg);
	} else {
		from.data = (const uint8_t *)bytes.data;
		from.len = bytes.len;
		if (!take_probes(&from, catalog))
			catalog->problem = "the process that reads binaries sent no probes";
	}
	buf_done(&bytes);
}
