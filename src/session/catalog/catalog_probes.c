/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Static probes of binaries. */
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

#define MAPS_LIMIT ((size_t)4 << 20)

/* A binary says no more of its probes. */
static const char *probe_meaning(const struct usdt_probe *probe, struct catalog *catalog)
{
	size_t count = 0;

	for (const char *at = probe->arguments + strspn(probe->arguments, " "); *at; count++) {
		at += strcspn(at, " ");
		at += strspn(at, " ");
	}
	if (!count)
		return catalog_text(catalog, "the place %s of %s", probe->name, probe->provider);
	return catalog_text(catalog, "the place %s of %s; %zu argument%s", probe->name,
			    probe->provider, count, count == 1 ? "" : "s");
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
				 .meaning = probe_meaning(probe, catalog),
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
		pack_put_string(ret, found.entry.item[i].meaning);
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
		entry->meaning = unpack_string(from, true, &catalog->arena);
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
