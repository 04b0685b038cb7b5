/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes that are defined, by other programs in the kernel and by the user here (see
 * show_probes.h). */
#include "session/probe/show_probes.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "proc/elf_file.h"
#include "session/probe/debug_info.h"
#include "session/probe/probe_binary.h"
#include "session/probe/probe_define.h"
#include "session/probe/probe_definitions.h"
#include "source/probe/persistent_probes.h"
#include "source/probe/probe_placement.h"
#include "symbol/dwarf/dwarf_source.h"
#include "symbol/dwarf/dwarf_variable.h"
#include "symbol/symbol_name.h"

#define MAX_FILE_NAME 30 /* in perf's list */

/* The line of the source at an address. */
struct line_search {
	uint64_t address;
	struct dwarf_source_line found; /* path NULL = none */
};

static bool take_line(void *context, const struct dwarf_source_line *line)
{
	struct line_search *search = context;

	if (line->address != search->address || (search->found.path && !line->own))
		return true;
	search->found = *line;
	return !line->own;
}

static const char *short_path(const char *path)
{
	size_t len = strlen(path);
	const char *slash;

	if (len <= MAX_FILE_NAME)
		return path;
	slash = strchr(path + len - MAX_FILE_NAME, '/');
	return slash ? slash + 1 : path + len - MAX_FILE_NAME;
}

/* "work:3@src/work.c", by the debug info. */
static bool put_line(const struct debug_info *info, const struct persistent_probe *probe,
		     uint64_t address, struct buf *out)
{
	struct line_search search = { .address = address - info->bias };
	struct dwarf_source_line declared;
	struct dwarf_die function;
	uint64_t entry;

	if (!dwarf_function_at(info->dwarf, search.address, &function) ||
	    !dwarf_die_name(&function) || !dwarf_die_entry(&function, &entry) ||
	    !dwarf_declaration(info->dwarf, &function, &declared))
		return false;
	if (entry != search.address)
		dwarf_function_lines(info->dwarf, &function, take_line, &search);
	(void)buf_puts(out, dwarf_die_name(&function));
	if (search.found.path && search.found.line > declared.line &&
	    strcmp(search.found.path, declared.path) == 0)
		(void)buf_printf(out, ":%u", search.found.line - declared.line);
	else if (entry != search.address)
		(void)buf_printf(out, "+%" PRIu64, search.address - entry);
	(void)buf_printf(out, "%s@%s", probe->returns ? "%return" : "", short_path(declared.path));
	return true;
}

/* By the symbol table: "work+4". Returns what is wrong with the place, or NULL. */
static const char *put_symbol(const struct probe_binary *binary,
			      const struct persistent_probe *probe, uint64_t address,
			      struct buf *out)
{
	struct err ignored = { 0 };
	const struct elf_function *function = probe_binary_function_at(binary, address, &ignored);
	struct probe_code code;
	uint64_t nearest[2];
	char *name;

	if (!function) {
		(void)buf_printf(out, "0x%" PRIx64, probe->offset);
		return binary->functions.complete ? "no function is there: the file has changed"
						  : NULL;
	}
	name = symbol_name_present(function->name, "", true);
	(void)buf_puts(out, name);
	free(name);
	if (address != function->address)
		(void)buf_printf(out, "+%" PRIu64, address - function->address);
	if (probe->returns)
		(void)buf_puts(out, "%return");
	probe_binary_code(binary, function, &code);
	return probe_is_start(&code, address - function->address, nearest)
		       ? NULL
		       : "no instruction starts there: the file has changed";
}

static const char *put_place(const struct persistent_probe *probe, struct buf *out)
{
	struct probe_binary *binary;
	struct err failed = { 0 };
	struct debug_info info = { 0 };
	struct buf symbol = { 0 };
	const char *wrong;
	uint64_t address;

	if (probe_binary_open(probe->file, 0, &binary, &failed)) {
		(void)buf_printf(out, "0x%" PRIx64, probe->offset);
		return failed.code == -ENOENT ? "the file is gone" : "the file cannot be read";
	}
	if (!elf_file_vaddr(binary->elf, probe->offset, &address)) {
		(void)buf_printf(out, "0x%" PRIx64, probe->offset);
		wrong = "no code is there: the file has changed";
	} else {
		wrong = put_symbol(binary, probe, address, &symbol);
		if (wrong || debug_info_open(probe->file, &info, &failed) ||
		    !put_line(&info, probe, address, out))
			(void)buf_puts(out, symbol.data);
		if (info.elf)
			debug_info_done(&info);
	}
	buf_done(&symbol);
	probe_binary_close(binary);
	return wrong;
}

static void put_persistent(const struct persistent_probe *probe, const char *name, struct buf *out)
{
	const char *wrong = NULL;

	(void)buf_printf(out, "  %-20s (on ", name);
	if (probe->file) {
		wrong = put_place(probe, out);
		(void)buf_printf(out, " in %s", probe->file);
	} else {
		size_t len = strlen(probe->place);

		if (len > 2 && strcmp(probe->place + len - 2, "+0") == 0)
			len -= 2;
		(void)buf_printf(out, "%.*s%s", (int)len, probe->place,
				 probe->returns ? "%return" : "");
	}
	if (probe->names[0])
		(void)buf_printf(out, " with%s", probe->names);
	(void)buf_puts(out, ")");
	if (wrong)
		(void)buf_printf(out, " [%s]", wrong);
	(void)buf_putc(out, '\n');
}

static bool is_wanted(const char *glob, const char *name)
{
	const char *event = strchr(name, ':') + 1;

	return !glob || fnmatch(glob, strchr(glob, ':') ? name : event, 0) == 0;
}

static void put_definition(const struct probe_definition_entry *entry, struct buf *out)
{
	struct err wrong = { 0 };

	(void)buf_printf(out, "  %-20s", entry->name);
	probe_spec_put(entry->spec, out);
	(void)buf_puts(out, " [cupel]");
	if (probe_define_again(entry->spec, &wrong))
		(void)buf_printf(out, " [%s]", wrong.msg);
	(void)buf_putc(out, '\n');
}

static char *full_name(const struct persistent_probe *probe, struct buf *room)
{
	buf_clear(room);
	(void)buf_printf(room, "%s:%s", probe->group, probe->event);
	return room->data;
}

int show_probes(const char *glob, const char *root, struct buf *out, struct err *err)
{
	struct persistent_probes persistent = { 0 };
	struct probe_definitions own = { 0 };
	struct err unreadable = { 0 };
	struct buf name = { 0 };
	int code = probe_definitions_read(&own, err);

	/* Definitions are the user's own, also without access to tracefs. */
	if (!code && persistent_probes_read(root, &persistent, &unreadable) && !own.item.count) {
		*err = unreadable;
		code = err->code;
	}
	for (size_t i = 0; !code && i < persistent.item.count; i++)
		if (is_wanted(glob, full_name(&persistent.item.item[i], &name)))
			put_persistent(&persistent.item.item[i], name.data, out);
	for (size_t i = 0; !code && i < own.item.count; i++)
		if (is_wanted(glob, own.item.item[i].name))
			put_definition(&own.item.item[i], out);
	buf_done(&name);
	persistent_probes_done(&persistent);
	probe_definitions_done(&own);
	return code;
}

static int remove_own(const char *glob, struct buf *out, struct err *err)
{
	struct probe_definitions own;
	int code = probe_definitions_read(&own, err);

	for (size_t i = 0; !code && i < own.item.count; i++) {
		if (!is_wanted(glob, own.item.item[i].name))
			continue;
		code = probe_definition_remove(own.item.item[i].name, err);
		if (!code)
			(void)buf_printf(out, "Removed event: %s\n", own.item.item[i].name);
	}
	probe_definitions_done(&own);
	return code;
}

static int remove_persistent(const char *glob, const char *root, struct buf *out, struct err *err)
{
	struct persistent_probes all = { 0 };
	struct err unreadable = { 0 };
	struct buf name = { 0 };
	int code = 0;

	if (persistent_probes_read(root, &all, &unreadable)) {
		if (out->len)
			return 0;
		*err = unreadable;
		return err->code;
	}
	for (size_t i = 0; !code && i < all.item.count; i++) {
		if (!is_wanted(glob, full_name(&all.item.item[i], &name)))
			continue;
		code = persistent_probe_remove(root, &all.item.item[i], err);
		if (!code)
			(void)buf_printf(out, "Removed event: %s\n", name.data);
	}
	buf_done(&name);
	persistent_probes_done(&all);
	return code;
}

int remove_probes(const char *glob, const char *root, struct buf *out, struct err *err)
{
	size_t before = out->len;
	int code = remove_own(glob, out, err);

	if (!code)
		code = remove_persistent(glob, root, out, err);
	if (!code && out->len == before) {
		(void)err_set(err, -ENOENT, "no probe matches '%s'", glob);
		code = err_hint(err, "cupel probe -l lists those that are defined");
	}
	return code;
}
