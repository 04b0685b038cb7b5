/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The symbols of a report: frames of one function in one module are one symbol, an unknown address
 * is a separate symbol, an inlined function differs from the function of the same name. */
#ifndef VIEW_REPORT_SYMBOL_H
#define VIEW_REPORT_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

struct buf;

struct report_symbol {
	uint32_t module;
	enum frame_kind kind;
	string_id function; /* STRING_EMPTY = unknown: shown as address */
	uint64_t start;	    /* of the function, or the unknown address, as module offset */
	uint64_t pc;	    /* where an unknown one was seen */
	uint64_t size;	    /* bytes, 0 = unknown */
	bool inlined;
};

struct report_symbols {
	const struct profile *profile;
	VEC(struct report_symbol) symbols;
	uint32_t *of_frame; /* frame id → index in symbols */
};

void report_symbols_init(struct report_symbols *symbols, const struct profile *profile);
void report_symbols_done(struct report_symbols *symbols);
/* "main", "inl (inlined)" or "0x0000000000001234" */
void report_symbol_name(const struct report_symbols *symbols, uint32_t symbol, struct buf *ret);
/* "[.]", "[k]", "[H]", "[g]" */
const char *report_symbol_level(const struct report_symbol *symbol);
/* The node of the function that a sample's self cost belongs to: the leaf, or where the leaf is
 * inlined, the function that really contains the code. STACK_EMPTY for an empty stack. */
stack_id report_self_node(const struct profile *profile, stack_id leaf);

#endif
