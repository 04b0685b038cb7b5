/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's own symbol list, /proc/kallsyms: text symbols of the kernel, its modules and BPF
 * programs. Format: "ADDRESS TYPE NAME[\t[MODULE]]" per line. */
#ifndef SYMBOL_KALLSYMS_H
#define SYMBOL_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/range_table.h"

struct err;

struct kallsyms {
	struct range_table ranges; /* tag: 'g', 'l' or 'w' | module index << 8 (0 = the kernel) */
	char *text;
	uint64_t text_start; /* address of _text or _stext, 0 = not listed */
	size_t malformed;    /* lines that were skipped */
	size_t modules;
};

/* Takes over the text (malloc'd, with a NUL at text[len]); its lines are cut up in place. -EPERM
 * when every address is 0, as unprivileged readers see them. */
int kallsyms_parse(char *text, size_t len, struct kallsyms *ret, struct err *err);
int kallsyms_read(const char *path, struct kallsyms *ret, struct err *err);
void kallsyms_done(struct kallsyms *kallsyms);

#endif
