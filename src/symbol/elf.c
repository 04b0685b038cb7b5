/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of ELF files: finds the module's file and its debug file, and asks their symbol tables
 * and, for inlined functions and lines, their DWARF. A module whose file is gone may still be named
 * by a debug file with its build id. */
#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "proc/module_file.h"
#include "symbol/debug_file.h"
#include "symbol/debuginfod.h"
#include "symbol/dwarf.h"
#include "symbol/elf_symbols.h"
#include "symbol/registry.h"
#include "symbol/shared.h"
#include "symbol/symbolizer.h"

struct elf_symbolizer {
	struct symbolizer base;
	struct elf_file *elf, *debug; /* debug may be NULL, and may stand in for elf */
	struct elf_symbols *symbols;
	struct dwarf *dwarf; /* NULL = none, or not asked for */
	uint64_t dwarf_bias; /* module address - DWARF address */
	bool inlines;
	const char *problem;
	char *debuginfod_problem; /* why servers could not be asked; NULL = they could */
};

static void elf_close(struct symbolizer *symbolizer)
{
	struct elf_symbolizer *self = (struct elf_symbolizer *)symbolizer;

	dwarf_close(self->dwarf);
	elf_symbols_free(self->symbols);
	elf_file_close(self->debug);
	elf_file_close(self->elf);
	free(self->debuginfod_problem);
	free(self);
}

/* The last place to look for a debug file: servers, when the user wants them asked. */
static bool ask_debuginfod(struct elf_symbolizer *self, const struct build_id *id,
			   const struct symbol_options *options, struct elf_file **ret)
{
	struct debuginfod_session *session;
	struct err err = { 0 };
	int code;

	if (!options->debuginfod || !options->shared)
		return false;
	session = symbol_shared_debuginfod(options->shared, options->debuginfod_timeout_s);
	code = debuginfod_session_open(session, id, ret, &err);
	if (code && code != -ENOENT)
		self->debuginfod_problem = mem_strdup(err.msg);
	return !code;
}

static int open_files(struct elf_symbolizer *self, const struct module *module,
		      const struct symbol_options *options, struct err *err)
{
	struct err ignored = { 0 };
	bool doubtful = false;
	int code = module_file_open(module, options->symfs, &self->elf, &doubtful, err);

	if (doubtful)
		self->problem = "file may have changed since recording: inode differs";
	if (!code) {
		if (debug_file_open(self->elf, options->symfs, &self->debug, &ignored) &&
		    (elf_file_section(self->elf, ".debug_info") ||
		     !ask_debuginfod(self, &self->elf->build_id, options, &self->debug)))
			self->debug = NULL;
		return 0;
	}
	if (debug_file_open_build_id(&module->build_id, options->symfs, &self->elf, &ignored) &&
	    !ask_debuginfod(self, &module->build_id, options, &self->elf))
		return code;
	self->problem = "file is missing: names are from its debug file";
	return 0;
}

static bool try_dwarf(struct elf_symbolizer *self, const struct elf_file *elf,
		      const struct symbol_options *options)
{
	struct dwarf_options how = { .symfs = options->symfs, .keep_mangled = !options->demangle };
	struct err err = { 0 };

	if (options->debuginfod && options->shared)
		how.debuginfod =
			symbol_shared_debuginfod(options->shared, options->debuginfod_timeout_s);
	if (dwarf_open(elf, &how, &self->dwarf, &err) && !self->problem)
		self->problem = "broken debug info: no inlined functions or lines";
	return self->dwarf != NULL;
}

static void open_dwarf(struct elf_symbolizer *self, const struct symbol_options *options)
{
	self->inlines = options->inlines;
	if (!options->inlines && !options->lines)
		return;
	if (self->debug && try_dwarf(self, self->debug, options))
		self->dwarf_bias = debug_file_bias(self->elf, self->debug);
	else
		(void)try_dwarf(self, self->elf, options); /* most files have none */
}

static int elf_open(struct symbolizer **ret, const struct module *module,
		    const struct symbol_options *options, struct err *err)
{
	struct elf_symbolizer *self;
	int code;

	*ret = NULL;
	if (module->kind != MODULE_FILE)
		return 0;
	self = mem_zalloc(sizeof(*self));
	self->base.ops = &symbolizer_elf;
	code = open_files(self, module, options, err);
	if (code) {
		elf_close(&self->base);
		return code;
	}
	self->symbols = elf_symbols_new(self->elf, self->debug, options->demangle);
	open_dwarf(self, options);
	if (!self->problem && !elf_symbols_complete(self->symbols))
		self->problem = elf_symbols_count(self->symbols)
					? "stripped: only exported functions have names"
					: "stripped: no symbols";
	*ret = &self->base;
	return 0;
}

static bool elf_resolve(struct symbolizer *symbolizer, uint64_t offset, struct symbol *ret)
{
	struct elf_symbolizer *self = (struct elf_symbolizer *)symbolizer;
	uint64_t vaddr;
	bool found;

	if (!elf_file_vaddr(self->elf, offset, &vaddr))
		return false;
	found = elf_symbols_find(self->symbols, vaddr, ret);
	if (self->dwarf) {
		uint64_t bias = found ? 0 : self->dwarf_bias;

		if (!found) {
			ret->count = 0;
			ret->start = ret->end = 0;
			ret->binding = 'l';
		}
		if (dwarf_resolve(self->dwarf, vaddr - self->dwarf_bias, self->inlines, ret)) {
			found = true;
			ret->start += bias;
			ret->end += bias;
		}
	}
	ret->end -= vaddr - offset;
	ret->start -= vaddr - offset;
	return found;
}

static const char *elf_problem(const struct symbolizer *symbolizer)
{
	const struct elf_symbolizer *self = (const struct elf_symbolizer *)symbolizer;

	if (self->debuginfod_problem)
		return self->debuginfod_problem;
	if (self->problem || !self->dwarf)
		return self->problem;
	return dwarf_problem(self->dwarf);
}

const struct symbolizer_ops symbolizer_elf = {
	.name = "elf",
	.open = elf_open,
	.resolve = elf_resolve,
	.close = elf_close,
	.problem = elf_problem,
};
