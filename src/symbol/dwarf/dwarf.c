// SPDX-License-Identifier: GPL-2.0-or-later
/* Inlined functions and source lines of one ELF file (see dwarf.h): the address index over units,
 * units indexed at their first hit, and the answers put together.
 *
 * Why DWARF is read here and not through libdw: a Dwarf handle must not be shared between threads
 * and keeps all it ever read, so all cores would mean a copy of everything per thread; it searches
 * the DIEs of a unit anew for each address (eu-addr2line -i: 14 s for 20,000 addresses of python,
 * 0.03 s here; bench/dwarf.sh); and what a hostile file may cost cannot be bounded from outside. */
#include "symbol/dwarf/dwarf.h"

#include <dwarf.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"
#include "proc/elf_file.h"
#include "symbol/dwarf/dwarf_alt.h"
#include "symbol/dwarf/dwarf_function.h"
#include "symbol/dwarf/dwarf_line.h"
#include "symbol/dwarf/dwarf_range.h"
#include "symbol/dwarf/dwarf_split.h"
#include "symbol/dwarf/dwarf_unit.h"
#include "symbol/symbolizer.h"

/* Index memory when the caller sets no limit: honest files need one to three bytes for each byte of
 * debug info. */
#define LIMIT_FACTOR 16
#define LIMIT_LEAST  ((int64_t)64 << 20)

/* Pages of the file are released after each such amount of indexed bytes. */
#define FORGET_BYTES ((size_t)128 << 10)
/* Bytes that one lookup may map: a few places with their neighbouring pages. */
#define ANSWER_BYTES 4096

#define BUILD_LOCKS 16

struct dwarf {
	const struct elf_file *elf;
	struct dwarf_file file;
	struct dwarf_package *package; /* NULL = none */
	struct dwarf_alt *alt;	       /* NULL = none */
	struct dwarf_cuts cuts;	       /* owner = unit */
	bool keep_mangled;
	_Atomic int64_t budget; /* bytes of index memory left */
	atomic_size_t touched;	/* bytes read since pages were given back */
	pthread_mutex_t build_lock[BUILD_LOCKS];
	char problem[sizeof(((struct err *)0)->msg)];
	/* the first missing .dwo file */
	pthread_mutex_t split_lock;
	atomic_bool split_missing;
	char split_problem[sizeof(((struct err *)0)->msg)];
};

/* The ranges in .debug_aranges of units without ranges in the root DIE: possibly empty, or (DWARF
 * 2) only the range of the first section. */
static void add_aranges_set(struct dwarf *dwarf, struct reader r, uint8_t offset_size,
			    const uint8_t *start, struct dwarf_ranges *ranges)
{
	const struct dwarf_unit *unit;
	size_t address_size;
	uint64_t offset;

	if (read_u16(&r) != 2)
		return;
	offset = read_uint(&r, offset_size);
	address_size = read_u8(&r);
	if (read_u8(&r) || (address_size != 8 && address_size != 4))
		return;
	/* tuples begin at a multiple of their size, counted from the set's start */
	while (!r.failed && (size_t)(r.pos - start) % (2 * address_size))
		(void)read_u8(&r);
	unit = dwarf_file_unit(&dwarf->file, offset);
	if (!unit || unit->offset != offset || unit->ranges.form)
		return;
	for (; ranges->left; ranges->left--) {
		uint64_t address = read_uint(&r, address_size);
		uint64_t len = read_uint(&r, address_size);
		uint32_t owner = (uint32_t)(unit - dwarf->file.unit);

		if (r.failed || (!address && !len))
			return;
		if (address && address + len > address)
			vec_push(&ranges->list,
				 ((struct dwarf_range){ address, address + len, owner }));
	}
}

static void add_aranges(struct dwarf *dwarf, struct dwarf_ranges *ranges)
{
	struct reader r = reader_at(dwarf->file.sections.section[DWARF_ARANGES], 0);

	while (reader_left(&r)) {
		struct reader set = r;
		uint8_t offset_size;
		const uint8_t *next = read_unit_length(&set, &offset_size);

		if (!next)
			return;
		add_aranges_set(dwarf, set, offset_size, r.pos, ranges);
		r.pos = next;
	}
}

static bool is_code_unit(const struct dwarf_unit *unit)
{
	return unit->root_tag == DW_TAG_compile_unit || unit->root_tag == DW_TAG_skeleton_unit;
}

static void index_units(struct dwarf *dwarf)
{
	const struct dwarf_file *file = &dwarf->file;
	struct dwarf_ranges ranges = { .left = (size_t)dwarf->budget / sizeof(struct dwarf_range) };

	for (size_t i = 0; i < file->unit_count; i++) {
		const struct dwarf_unit *unit = &file->unit[i];
		struct dwarf_extent extent = { .high_pc = unit->high_pc, .ranges = unit->ranges };

		if (!is_code_unit(unit))
			continue;
		extent.low_pc = (struct dwarf_value){ DW_FORM_addr, unit->low_pc, NULL };
		dwarf_add_ranges(unit, &extent, (uint32_t)i, &ranges);
	}
	add_aranges(dwarf, &ranges);
	dwarf_cut_ranges(&ranges, &dwarf->cuts);
	vec_done(&ranges.list);
}

/* Records what is missing; the first reason is kept, as it is the most specific. */
static void find_problem(struct dwarf *dwarf, const char *alt_problem)
{
	if (alt_problem)
		(void)snprintf(dwarf->problem, sizeof(dwarf->problem), "%s", alt_problem);
	else if (dwarf->file.damaged)
		(void)snprintf(dwarf->problem, sizeof(dwarf->problem),
			       "damaged debug info: %llu units skipped",
			       (unsigned long long)dwarf->file.damaged);
}

static bool has_skeletons(const struct dwarf_file *file)
{
	for (size_t i = 0; i < file->unit_count; i++)
		if (file->unit[i].dwo_name)
			return true;
	return false;
}

int dwarf_open(const struct elf_file *elf, const struct dwarf_options *options, struct dwarf **ret,
	       struct err *err)
{
	struct dwarf *dwarf;
	struct err alt_err = { 0 };
	int64_t total = 0;
	int code;

	if (elf->type == ET_REL)
		return err_set(err, -ENOTSUP, "debug info of an unlinked object file");
	dwarf = mem_zalloc(sizeof(*dwarf));
	dwarf->file.sections.locations = options->variables;
	dwarf->file.sections.cache = options->unpacked;
	code = dwarf_sections_load(elf, "", &dwarf->file.sections, err);
	if (code || !dwarf->file.sections.section[DWARF_INFO].len) {
		dwarf_sections_done(&dwarf->file.sections);
		free(dwarf);
		if (!code)
			*ret = NULL;
		return code;
	}
	for (size_t i = 0; i < BUILD_LOCKS; i++)
		(void)pthread_mutex_init(&dwarf->build_lock[i], NULL); /* cannot fail on Linux */
	(void)pthread_mutex_init(&dwarf->split_lock, NULL);
	dwarf->keep_mangled = options->keep_mangled;
	if (!dwarf_alt_open(elf, &dwarf->file.sections, options, &dwarf->alt, &alt_err) &&
	    dwarf->alt)
		dwarf->file.alt = dwarf_alt_file(dwarf->alt);
	dwarf_file_scan(&dwarf->file);
	for (size_t i = 0; i < DWARF_SECTIONS; i++)
		total += (int64_t)dwarf->file.sections.section[i].len;
	dwarf->budget = LIMIT_LEAST + LIMIT_FACTOR * total;
	if (options->limit_bytes)
		dwarf->budget = (int64_t)options->limit_bytes;
	index_units(dwarf);
	dwarf->elf = elf;
	if (has_skeletons(&dwarf->file))
		dwarf->package = dwarf_package_open(elf, options->variables);
	find_problem(dwarf, alt_err.code ? alt_err.msg : NULL);
	*ret = dwarf;
	return 0;
}

const char *dwarf_problem(const struct dwarf *dwarf)
{
	if (*dwarf->problem)
		return dwarf->problem;
	if (atomic_load(&dwarf->split_missing))
		return dwarf->split_problem;
	if (atomic_load(&dwarf->budget) <= 0)
		return "debug info too large: memory limit exceeded";
	return NULL;
}

void dwarf_close(struct dwarf *dwarf)
{
	if (!dwarf)
		return;
	for (size_t i = 0; i < dwarf->file.unit_count; i++) {
		dwarf_lines_free(atomic_load(&dwarf->file.unit[i].lines));
		dwarf_functions_free(atomic_load(&dwarf->file.unit[i].functions));
		dwarf_split_close(dwarf->file.unit[i].split);
	}
	dwarf_package_close(dwarf->package);
	(void)pthread_mutex_destroy(&dwarf->split_lock);
	for (size_t i = 0; i < BUILD_LOCKS; i++)
		(void)pthread_mutex_destroy(&dwarf->build_lock[i]); /* not held */
	vec_done(&dwarf->cuts.list);
	dwarf_file_done(&dwarf->file);
	dwarf_alt_close(dwarf->alt);
	free(dwarf);
}

/* The unit with the DIEs: for a skeleton the split part, if available. */
static const struct dwarf_unit *die_unit(struct dwarf *dwarf, struct dwarf_unit *unit)
{
	if (!unit->dwo_name)
		return unit;
	unit->split = dwarf_split_open(dwarf->elf, dwarf->package, unit);
	if (unit->split) {
		atomic_fetch_add(&dwarf->budget,
				 LIMIT_FACTOR * (int64_t)dwarf_split_size(unit->split));
		return dwarf_split_unit(unit->split);
	}
	(void)pthread_mutex_lock(&dwarf->split_lock); /* fails only on misuse */
	if (!dwarf->split_missing)
		(void)snprintf(dwarf->split_problem, sizeof(dwarf->split_problem),
			       "split debug info %s not found: no inlined functions",
			       unit->dwo_name);
	atomic_store(&dwarf->split_missing, true);
	(void)pthread_mutex_unlock(&dwarf->split_lock);
	return unit;
}

static void forget_pages(struct dwarf *dwarf, size_t touched)
{
	size_t before = atomic_fetch_add_explicit(&dwarf->touched, touched, memory_order_relaxed);

	if (before + touched < FORGET_BYTES)
		return;
	atomic_store_explicit(&dwarf->touched, 0, memory_order_relaxed);
	elf_file_forget(dwarf->elf);
	dwarf_alt_forget(dwarf->alt);
}

/* The lock of the unit is held. */
static struct dwarf_lines *build_lines(struct dwarf *dwarf, struct dwarf_unit *unit)
{
	struct dwarf_lines *lines = atomic_load_explicit(&unit->lines, memory_order_relaxed);

	if (!lines) {
		lines = dwarf_lines_read(unit, &dwarf->budget);
		atomic_store_explicit(&unit->lines, lines, memory_order_release);
	}
	return lines;
}

/* Indexes a unit at its first hit. The lock keeps two threads from doing it twice; `functions` is
 * stored last, so threads that see it also see `lines`. */
static struct dwarf_functions *unit_functions(struct dwarf *dwarf, struct dwarf_unit *unit)
{
	struct dwarf_functions *functions =
		atomic_load_explicit(&unit->functions, memory_order_acquire);
	size_t number = (size_t)(unit - dwarf->file.unit);
	pthread_mutex_t *lock = &dwarf->build_lock[number % BUILD_LOCKS];

	if (functions)
		return functions;
	(void)pthread_mutex_lock(lock); /* fails only on misuse */
	functions = atomic_load_explicit(&unit->functions, memory_order_relaxed);
	if (!functions) {
		(void)build_lines(dwarf, unit);
		functions = dwarf_functions_read(die_unit(dwarf, unit), &dwarf->budget);
		atomic_store_explicit(&unit->functions, functions, memory_order_release);
		forget_pages(dwarf, (size_t)(unit->end - unit->offset));
	}
	(void)pthread_mutex_unlock(lock);
	return functions;
}

size_t dwarf_unit_count(const struct dwarf *dwarf)
{
	return dwarf->file.unit_count;
}

bool dwarf_unit_find(const struct dwarf *dwarf, uint64_t vaddr, size_t *ret)
{
	uint32_t number = dwarf_cut_find(&dwarf->cuts, vaddr);

	if (number == DWARF_NO_OWNER)
		return false;
	*ret = number;
	return true;
}

const struct dwarf_unit *dwarf_unit_dies(struct dwarf *dwarf, size_t number)
{
	struct dwarf_unit *unit = &dwarf->file.unit[number];

	if (!is_code_unit(unit))
		return NULL;
	if (unit->dwo_name)
		(void)unit_functions(dwarf, unit); /* which opens the split part */
	return unit->split ? dwarf_split_unit(unit->split) : unit;
}

struct dwarf_lines *dwarf_unit_lines(struct dwarf *dwarf, size_t number)
{
	struct dwarf_unit *unit = &dwarf->file.unit[number];
	pthread_mutex_t *lock = &dwarf->build_lock[number % BUILD_LOCKS];
	struct dwarf_lines *lines = atomic_load_explicit(&unit->lines, memory_order_acquire);

	if (lines)
		return lines;
	(void)pthread_mutex_lock(lock); /* fails only on misuse */
	lines = build_lines(dwarf, unit);
	(void)pthread_mutex_unlock(lock);
	return lines;
}

struct place {
	const char *file;
	uint32_t line;
};

/* Inserts a frame before the real function. If the chain gets too deep, frames in its middle are
 * dropped. */
static struct symbol_frame *push_frame(struct symbol *symbol, size_t *count)
{
	if (*count == SYMBOL_MAX_FRAMES - 1)
		(*count)--;
	return &symbol->frame[(*count)++];
}

bool dwarf_covers(const struct dwarf *dwarf, uint64_t vaddr)
{
	return dwarf_cut_find(&dwarf->cuts, vaddr) != DWARF_NO_OWNER;
}

bool dwarf_resolve(struct dwarf *dwarf, uint64_t vaddr, bool inlines, struct symbol *symbol)
{
	uint32_t number = dwarf_cut_find(&dwarf->cuts, vaddr);
	struct symbol_frame outer = { 0 };
	struct dwarf_functions *functions;
	const struct dwarf_scope *scope, *parent;
	struct place place = { 0 };
	struct dwarf_lines *lines;
	uint32_t file, line;
	size_t count = 0;

	if (number == DWARF_NO_OWNER)
		return false;
	forget_pages(dwarf, ANSWER_BYTES);
	functions = unit_functions(dwarf, &dwarf->file.unit[number]);
	lines = atomic_load_explicit(&dwarf->file.unit[number].lines, memory_order_relaxed);
	scope = dwarf_functions_find(functions, vaddr);
	if (dwarf_lines_find(lines, vaddr, &file, &line))
		place = (struct place){ dwarf_lines_path(lines, file), line };
	if (symbol->count)
		outer = symbol->frame[symbol->count - 1];
	if (!scope && !(outer.name && place.line))
		return false;
	for (; scope && (parent = dwarf_scope_parent(functions, scope)); scope = parent) {
		if (!inlines)
			continue;
		*push_frame(symbol, &count) = (struct symbol_frame){
			dwarf_scope_name(functions, scope, dwarf->keep_mangled), place.file,
			place.line, true
		};
		place = (struct place){ 0 };
		if (scope->call_line)
			place = (struct place){ dwarf_lines_path(lines, scope->call_file),
						scope->call_line };
	}
	if (scope && !outer.name) {
		outer.name = dwarf_scope_name(functions, scope, dwarf->keep_mangled);
		(void)dwarf_functions_range(functions, vaddr, &symbol->start, &symbol->end);
	}
	outer.file = place.file;
	outer.line = place.line;
	symbol->frame[count++] = outer;
	symbol->count = count;
	return true;
}
