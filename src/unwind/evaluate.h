/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a call frame row to the caller, two ways: packed into the 8-byte rule the walker steps with,
 * or evaluated in full with all registers and DWARF expressions. */
#ifndef UNWIND_EVALUATE_H
#define UNWIND_EVALUATE_H

#include "event/stop.h"
#include "unwind/cfi/cfi.h"
#include "unwind/expression.h"
#include "unwind/rule.h"

/* The rule of vm's current row. */
struct unwind_rule rule_pack(const struct cfi_vm *vm);

/* Replaces the registers by the caller's: STACK_STOP_NONE, or why the walk ends here. */
enum stack_stop evaluate_row(const struct cfi_vm *vm, const struct unwind_memory *memory,
			     uint64_t bias, struct unwind_registers *registers);

#endif
