/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DWARF expressions as call frame rules use them, over a sample's registers and stack bytes. */
#ifndef UNWIND_EXPRESSION_H
#define UNWIND_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "event/stop.h"
#include "unwind/arch/arch.h"
#include "unwind/cfi/cfi_cursor.h"

/* Registers by DWARF number; bit i of known: value[i] is right. */
struct unwind_registers {
	uint64_t value[ARCH_DWARF_REGS];
	uint32_t known;
};

/* Memory there is a copy of: len bytes at address start. */
struct unwind_memory {
	const uint8_t *data;
	uint64_t start, len;
};

static inline bool unwind_memory_read(const struct unwind_memory *memory, uint64_t addr,
				      size_t size, uint64_t *ret)
{
	uint64_t at = addr - memory->start;

	if (at > memory->len || size > memory->len - at)
		return false;
	*ret = 0;
	memcpy(ret, memory->data + at, size);
	return true;
}

struct expression_context {
	const struct unwind_registers *registers;
	const struct unwind_memory *memory;
	uint64_t bias; /* run-time minus link-time address, for DW_OP_addr */
};

/* The instructions at code (its length is known), started with `first` on the stack unless NULL.
 * STACK_STOP_NONE and *ret, READ_FAULT, or UNSUPPORTED for all that is bad or unknown. */
enum stack_stop expression_evaluate(struct cfi_cursor code, const uint64_t *first,
				    const struct expression_context *context, uint64_t *ret);
/* "register + offset", optionally "the word there" (deref) and "plus addend"; false for all else.
 */
struct expression_simple {
	unsigned reg;
	int64_t offset, addend;
	bool deref;
};
bool expression_simple(struct cfi_cursor code, struct expression_simple *ret);

#endif
