/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's own symbol list, /proc/kallsyms: text symbols of the kernel, its modules and BPF
 * programs. Format: "ADDRESS TYPE NAME[\t[MODULE]]" per line. */
#ifndef SYMBOL_KALLSYMS_H
#define SYMBOL_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fd.h"
#include "symbol/range_table.h"

struct err;

struct kallsyms {
	struct range_table ranges; /* tag: 'g', 'l' or 'w' | module index << 8 (0 = the kernel) */
	char *text;
	size_t text_len;
	uint64_t text_start; /* address of _text or _stext, 0 = not listed */
	size_t malformed;    /* lines that were skipped */
	size_t modules;
	bool borrowed;	      /* ranges and text are in memory of others, or in the file */
	struct file_map file; /* closed at the end */
};

/* Takes over the text (malloc'd, with a NUL at text[len]); its lines are cut up in place. -EPERM
 * when every address is 0, as unprivileged readers see them. */
int kallsyms_parse(char *text, size_t len, struct kallsyms *ret, struct err *err);
/* The range that holds the address, with its name in the text; or NULL. */
const struct range *kallsyms_find(const struct kallsyms *kallsyms, uint64_t address);
int kallsyms_read(const char *path, struct kallsyms *ret, struct err *err);
void kallsyms_done(struct kallsyms *kallsyms);

#endif
