/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source "function_calls": calls of functions in programs and their returns, each an EVENT_OWN
 * with a struct function_call. The functions are options->probes. */
#ifndef SOURCE_FUNCTION_CALLS_SOURCE_H
#define SOURCE_FUNCTION_CALLS_SOURCE_H

#include <stdint.h>

struct source;

/* Calls and returns so far, also those that were lost. */
uint64_t function_calls_hits(const struct source *source);

#endif
