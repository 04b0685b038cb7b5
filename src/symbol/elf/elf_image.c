/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbol table and DWARF of one image together (see elf_image.h). */
#include "symbol/elf/elf_image.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "proc/elf_file.h"
#include "symbol/dwarf/dwarf.h"
#include "symbol/elf/debug_file.h"
#include "symbol/elf/debuginfod.h"
#include "symbol/elf/elf_symbols.h"
#include "symbol/shared.h"
#include "symbol/symbolizer.h"

bool elf_image_ask_debuginfod(struct elf_image *image, const struct build_id *id,
			      const struct symbol_options *options, struct elf_file **ret)
{
	struct debuginfod_session *session;
	struct err err = { 0 };
	int code;

	if (!options->debuginfod || !options->shared)
		return false;
	session = symbol_shared_debuginfod(options->shared, options->debuginfod_timeout_s);
	code = debuginfod_session_open(session, id, ret, &err);
	if (code && code != -ENOENT && !image->debuginfod_problem)
		image->debuginfod_problem = mem_strdup(err.msg);
	return !code;
}

static bool try_dwarf(struct elf_image *image, struct elf_file *elf,
		      const struct symbol_options *options)
{
	struct dwarf_options how = { .symfs = options->symfs,
				     .unpacked = options->unpacked,
				     .keep_mangled = !options->demangle };
	struct err err = { 0 };
	int code;

	if (options->debuginfod && options->shared)
		how.debuginfod =
			symbol_shared_debuginfod(options->shared, options->debuginfod_timeout_s);
	code = image->shared ? symbol_shared_dwarf(options->shared, elf, &how, &image->dwarf, &err)
			     : dwarf_open(elf, &how, &image->dwarf, &err);
	if (code && !image->problem)
		image->problem = "broken debug info: no inlined functions or lines";
	return image->dwarf != NULL;
}

static void open_dwarf(struct elf_image *image, const struct symbol_options *options)
{
	image->inlines = options->inlines;
	if ((!options->inlines && !options->lines))
		return;
	if (image->debug && try_dwarf(image, image->debug, options))
		image->dwarf_bias = debug_file_bias(image->elf, image->debug);
	else
		(void)try_dwarf(image, image->elf, options); /* most files have none */
}

void elf_image_load(struct elf_image *image, const struct symbol_options *options)
{
	image->shared = options->shared != NULL;
	image->symbols = image->shared
				 ? symbol_shared_symbols(options->shared, image->elf, image->debug,
							 options->demangle)
				 : elf_symbols_new(image->elf, image->debug, options->demangle);
	open_dwarf(image, options);
	elf_file_forget(image->elf);
	elf_file_forget(image->debug);
	if (!image->problem && !elf_symbols_complete(image->symbols))
		image->problem = elf_symbols_count(image->symbols)
					 ? "stripped: only exported functions have names"
					 : "stripped: no symbols";
}

void elf_image_done(struct elf_image *image)
{
	if (!image->shared) {
		dwarf_close(image->dwarf);
		elf_symbols_free(image->symbols);
	}
	elf_file_close(image->debug);
	elf_file_close(image->elf);
	free(image->debuginfod_problem);
	*image = (struct elf_image){ 0 };
}

bool elf_image_resolve(const struct elf_image *image, uint64_t vaddr, struct symbol *ret)
{
	bool found = elf_symbols_find(image->symbols, vaddr, ret);
	uint64_t bias = found ? 0 : image->dwarf_bias;

	if (!image->dwarf)
		return found;
	if (!found) {
		ret->count = 0;
		ret->start = ret->end = 0;
		ret->binding = 'l';
	}
	if (!dwarf_resolve(image->dwarf, vaddr - image->dwarf_bias, image->inlines, ret))
		return found;
	ret->start += bias;
	ret->end += bias;
	return true;
}

enum symbol_grain elf_image_grain(const struct elf_image *image, uint64_t vaddr,
				  uint64_t *ret_number)
{
	size_t number;

	if (image->dwarf && dwarf_covers(image->dwarf, vaddr - image->dwarf_bias))
		return SYMBOL_ADDRESS;
	if (!elf_symbols_number(image->symbols, vaddr, &number))
		return SYMBOL_NONE;
	*ret_number = number;
	return SYMBOL_FUNCTION;
}

const char *elf_image_problem(const struct elf_image *image)
{
	if (image->debuginfod_problem)
		return image->debuginfod_problem;
	return image->problem || !image->dwarf ? image->problem : dwarf_problem(image->dwarf);
}
