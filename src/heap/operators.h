/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the preloaded library: C++'s operators new and delete. */
#ifndef HEAP_OPERATORS_H
#define HEAP_OPERATORS_H

#include <stddef.h>
#include <stdint.h>

/* Looks up the next definitions: otherwise the first call does. */
void operators_begin(void);

/* Of heap/preload.c: a block was allocated, which may be NULL, and is returned; a block is about to
 * be freed. */
void *heap_taken(void *block, size_t size);
void heap_given_back(void *block);
/* Changes with each block that this thread allocates. */
int64_t heap_countdown(void);

#endif
