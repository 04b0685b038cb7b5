/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the placement of probes must know about a CPU's instructions. */
#ifndef SOURCE_PROBE_ARCH_PROBE_ARCH_H
#define SOURCE_PROBE_ARCH_PROBE_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/probe/probe_placement.h"

/* What the kernel does for a probe at this instruction. *ret_name: "push"; "" = other. */
enum probe_cost probe_arch_cost(const uint8_t *code, size_t len, const char **ret_name);
/* Whether it changes neither memory, the stack pointer nor a register of arguments, and goes on
 * to the next instruction. False when in doubt. */
bool probe_arch_is_neutral(const uint8_t *code, size_t len);
/* Whether this indirect jump may be one through a table of the function. */
bool probe_arch_is_switch(const uint8_t *code, size_t len, const struct probe_code *function);

/* Whether the compiler marked it as one. */
bool probe_arch_is_marked(const uint8_t *code, size_t len);

#endif
