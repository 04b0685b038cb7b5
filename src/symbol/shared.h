/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What many symbolizers need and one should read: see symbol_shared in symbolizer.h. */
#ifndef SYMBOL_SHARED_H
#define SYMBOL_SHARED_H

#include <stdbool.h>

struct build_id;
struct debuginfod_session;
struct dwarf;
struct dwarf_options;
struct elf_file;
struct elf_symbols;
struct err;
struct kallsyms;
struct symbol_shared;

/* The parsed kallsyms, read at the first call; an error is remembered too. path NULL =
 * /proc/kallsyms. Borrowed. */
int symbol_shared_kallsyms(struct symbol_shared *shared, const char *path,
			   const struct kallsyms **ret, struct err *err);
/* The session that asks debuginfod servers. Borrowed. */
struct debuginfod_session *symbol_shared_debuginfod(struct symbol_shared *shared,
						    unsigned timeout_s);
/* The symbol table of a file and its debug file (may be NULL), read once for all modules and
 * recordings, with the settings of the first call. Borrowed; keeps a reference to the files. */
struct elf_symbols *symbol_shared_symbols(struct symbol_shared *shared, struct elf_file *elf,
					  struct elf_file *debug, bool demangle);
/* The same for the DWARF: copies of a library in containers share a debug file. *ret = NULL and 0
 * if there is none. */
int symbol_shared_dwarf(struct symbol_shared *shared, struct elf_file *elf,
			const struct dwarf_options *options, struct dwarf **ret, struct err *err);
/* Build id of the running kernel; len 0 = not known. */
void symbol_running_kernel(struct build_id *ret);

#endif
