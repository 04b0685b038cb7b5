/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions as users write them (see probe_set.h). */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/suggest.h"
#include "proc/usdt.h"
#include "session/probe/debug_info.h"
#include "session/probe/probe_binary.h"
#include "session/probe/probe_set.h"
#include "session/probe/probe_signature.h"
#include "source/event_spec/name_list.h"
#include "source/event_spec/tracepoint.h"
#include "source/probe/probe_placement.h"
#include "symbol/symbol_name.h"

#define MAX_STATIC 6 /* static probes that a hint lists */
#define MAX_SEARCHED                                                                \
	(128u << 20) /* bytes of debug info, for what is only noted: about a second \
		      */

static int refuse_import(const struct probe_binary *binary, const char *name, struct err *err)
{
	(void)err_set(err, -ENOENT, "%s: %s is in another library, which this file calls",
		      binary->path, name);
	(void)err_hint(err, "name that one, as c:%s", name);
	return err->code;
}

/* What the function may have become: "name.constprop.0" and the like. */
static const char *find_clone(const struct probe_binary *binary, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < binary->functions.item.count; i++) {
		const char *other = binary->functions.item.item[i].name;

		if (strncmp(other, name, len) == 0 && other[len] == '.' &&
		    strncmp(other + len, ".cold", 5) != 0)
			return other;
	}
	return NULL;
}

static bool is_import(const struct probe_binary *binary, const char *name)
{
	for (size_t i = 0; i < binary->functions.item.count; i++)
		if (binary->functions.item.item[i].imported &&
		    strcmp(binary->functions.item.item[i].name, name) == 0)
			return true;
	return false;
}

/* Whether the debug info has a function that the symbol table has not; with its reason. */
static bool is_inlined(const struct probe_binary *binary, const char *name, struct err *err)
{
	struct debug_places places = { 0 };
	struct err reason = { 0 };
	struct debug_info info;
	bool inlined;

	if (debug_info_open(binary->path, &info, &reason))
		return false;
	inlined = debug_info_functions(&info, name, &places, &reason) == -EOPNOTSUPP;
	if (inlined)
		*err = reason;
	debug_places_done(&places);
	debug_info_done(&info);
	return inlined;
}

bool probe_name_is_better(const struct elf_function *a, const struct elf_function *b)
{
	size_t under_a = strspn(a->name, "_"), under_b = strspn(b->name, "_");

	if (a->local != b->local)
		return b->local;
	return under_a != under_b ? under_a < under_b : strlen(a->name) < strlen(b->name);
}

bool probe_returns_elsewhere(const char *symbol)
{
	static const char names[] =
		" setjmp sigsetjmp longjmp siglongjmp libc_longjmp libc_siglongjmp longjmp_chk "
		"longjmp_cancel getcontext setcontext swapcontext start_context jump_fcontext "
		"ontop_fcontext vfork libc_vfork clone clone3 restore_rt dl_start_user ";
	char word[32];

	if (strcmp(symbol, "_start") == 0)
		return true;
	symbol += strspn(symbol, "_");
	(void)snprintf(word, sizeof(word), " %.28s ", symbol);
	return strstr(names, word) || strncmp(symbol, "dl_runtime_", 11) == 0;
}

int probe_set_refuse(const struct probe_binary *binary, const char *name, struct err *err)
{
	(void)err_set(err, -EOPNOTSUPP, "%s: %s: the instruction there cannot be probed",
		      binary->path, name);
	return err_hint(err,
			"instructions with a lock prefix and those that trap or repeat cannot; a "
			"probe on a nop of five bytes would harm the program");
}

int probe_set_refuse_returns(const struct probe_binary *binary, const char *name, struct err *err)
{
	(void)err_set(
		err, -EOPNOTSUPP,
		"%s: %s: its return cannot be probed: it is not clear where it returns, or it "
		"returns twice or on another stack",
		binary->path, name);
	return err_hint(err, "an exception that passes a replaced return address ends the program, "
			     "so only instructions that return are probed there");
}

int probe_set_refuse_astray(const struct probe_binary *binary, const struct elf_function *function,
			    uint64_t offset, struct err *err)
{
	struct probe_code code;
	uint64_t nearest[2];
	AUTO_FREE char *name = symbol_name_present(function->name, "", true);

	probe_binary_code(binary, function, &code);
	if (offset >= code.len)
		return err_set(err, -ENOENT,
			       "%s: %s+%" PRIu64 " is behind the function's end: it has %zu bytes",
			       binary->path, name, offset, code.len);
	(void)probe_is_start(&code, offset, nearest);
	(void)err_set(err, -EINVAL, "%s: no instruction starts at %s+%" PRIu64, binary->path, name,
		      offset);
	if (nearest[1] >= code.len)
		return err_hint(err, "the nearest one starts at %s+%" PRIu64, name, nearest[0]);
	return err_hint(err, "the nearest ones start at %s+%" PRIu64 " and %s+%" PRIu64, name,
			nearest[0], name, nearest[1]);
}

void probe_note_clones(const struct probe_binary *binary, const char *name, struct buf *notes)
{
	const char *clone = probe_is_glob(name) ? NULL : find_clone(binary, name);

	if (clone)
		(void)buf_printf(notes,
				 "%s: the compiler made another function of %s, %s, which is not "
				 "probed: name '%s*' for both\n",
				 binary->path, name, clone, name);
}

/* With a linker that knows all of a program, functions of another file, too. */
void probe_note_inlined(const struct probe_binary *binary, const char *symbol, struct buf *notes)
{
	AUTO_FREE char *name = symbol_name_present(symbol, "", true);
	struct buf sites = { 0 };
	struct err ignored = { 0 };
	struct debug_info info;

	if (debug_info_open(binary->path, &info, &ignored))
		return;
	if (debug_info_bytes(&info) > MAX_SEARCHED)
		(void)buf_printf(notes,
				 "%s: whether %s is also inlined was not looked up: the debug info "
				 "has %" PRIu64 " MiB\n",
				 binary->path, name, debug_info_bytes(&info) >> 20);
	else if (debug_info_inlined(&info, symbol, &sites))
		(void)buf_printf(notes,
				 "%s: %s is also inlined, and calls of that kind are not seen: "
				 "probe where its code is as well: %s\n",
				 binary->path, name, sites.data);
	buf_done(&sites);
	debug_info_done(&info);
}

int probe_set_missing(const struct probe_binary *binary, const char *name, struct err *err)
{
	struct suggest nearest = { .word = name };
	const char *clone = find_clone(binary, name);
	VEC(char *) shown = { 0 };
	char text[256];

	if (is_import(binary, name))
		return refuse_import(binary, name, err);
	if (!probe_is_glob(name) && is_inlined(binary, name, err))
		return err->code;
	for (size_t i = 0; i < binary->functions.item.count; i++) {
		const struct elf_function *function = &binary->functions.item.item[i];

		if (!function->imported)
			vec_push(&shown, symbol_name_present(function->name, "", true));
	}
	for (size_t i = 0; i < shown.count; i++)
		suggest_offer(&nearest, shown.item[i]);
	(void)err_set(err, -ENOENT, "%s: no function %s", binary->path, name);
	if (probe_hint_overloads(name, &binary->functions, err))
		clone = NULL;
	else if (clone)
		(void)err_hint(err, "the compiler made %s of it: probe '%s.*'", clone, name);
	else if (nearest.count)
		(void)err_hint(err, "did you mean %s?", suggest_text(&nearest, text, sizeof(text)));
	else if (!binary->functions.complete)
		(void)err_hint(err, "the file has no symbol table, only the names that it exports: "
				    "install its debug symbols");
	for (size_t i = 0; i < shown.count; i++)
		free(shown.item[i]);
	vec_done(&shown);
	return err->code;
}

/* Many places have one name. */
static bool is_first(const struct usdt_list *list, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(list->probe.item[i].name, list->probe.item[at].name) == 0 &&
		    strcmp(list->probe.item[i].provider, list->probe.item[at].provider) == 0)
			return false;
	return true;
}

int probe_set_missing_static(const struct probe_binary *binary, const char *name,
			     const struct usdt_list *list, struct err *err)
{
	struct buf text = { 0 };
	size_t shown = 0;

	for (size_t i = 0; shown < MAX_STATIC && i < list->probe.count; i++) {
		const struct usdt_probe *probe = &list->probe.item[i];

		if (is_first(list, i) && shown++ < MAX_STATIC)
			(void)buf_printf(&text, "%s%s:%s", text.len ? ", " : "", probe->provider,
					 probe->name);
	}
	(void)err_set(err, -ENOENT, "%s: no static probe (USDT) %s", binary->path, name);
	if (!shown)
		(void)err_hint(err, "it has none at all");
	else
		(void)err_hint(err, "it has %s%s", text.data, shown == MAX_STATIC ? ", ..." : "");
	buf_done(&text);
	return err->code;
}

int probe_set_missing_tracepoint(const char *tracefs, const char *pattern, struct arena *arena,
				 struct err *err)
{
	struct suggest nearest = { .word = pattern };
	struct name_list all = { 0 };
	struct err ignored = { 0 };
	char text[256];

	(void)tracepoint_match(tracefs, "*:*", arena, &all, &ignored);
	for (size_t i = 0; i < all.count; i++)
		suggest_offer(&nearest, all.item[i]);
	(void)err_set(err, -ENOENT, "no tracepoint %s", pattern);
	if (nearest.count)
		(void)err_hint(err, "did you mean %s?", suggest_text(&nearest, text, sizeof(text)));
	else
		(void)err_hint(err, "cupel list prints all of them");
	name_list_done(&all);
	return err->code;
}
