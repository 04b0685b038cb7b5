/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Growable arrays of any type: `VEC(struct row) rows = { 0 };`. Items may move on push, so hold
 * indexes, not pointers, across pushes. Aborts when memory runs out. */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>

#include "base/arena.h"

#define VEC(type)                       \
	struct {                        \
		type *item;             \
		size_t count, capacity; \
	}

/* Makes room for `more` further items; returns nothing. */
#define vec_reserve(v, more)                                                               \
	do {                                                                               \
		if ((v)->count + (more) > (v)->capacity) {                                 \
			size_t vec_want = (v)->capacity ? (v)->capacity * 2 : 16;          \
			if (vec_want < (v)->count + (more))                                \
				vec_want = (v)->count + (more);                            \
			(v)->item = mem_realloc((v)->item, vec_want * sizeof(*(v)->item)); \
			(v)->capacity = vec_want;                                          \
		}                                                                          \
	} while (0)

#define vec_push(v, value)                         \
	do {                                       \
		vec_reserve(v, 1);                 \
		(v)->item[(v)->count++] = (value); \
	} while (0)

/* Appends one uninitialised item and returns its address. */
#define vec_add(v) (vec_grow_one(v), &(v)->item[(v)->count++])
#define vec_grow_one(v)                                                              \
	((v)->count == (v)->capacity                                                 \
		 ? vec_grow((void **)&(v)->item, &(v)->capacity, sizeof(*(v)->item)) \
		 : (void)0)

#define vec_done(v)                             \
	do {                                    \
		free((v)->item);                \
		(v)->item = NULL;               \
		(v)->count = (v)->capacity = 0; \
	} while (0)

/* Frees unused capacity. */
#define vec_trim(v)                                                                          \
	do {                                                                                 \
		if ((v)->count && (v)->count < (v)->capacity) {                              \
			(v)->item = mem_realloc((v)->item, (v)->count * sizeof(*(v)->item)); \
			(v)->capacity = (v)->count;                                          \
		}                                                                            \
	} while (0)

#define vec_last(v) (&(v)->item[(v)->count - 1])

static inline void vec_grow(void **item, size_t *capacity, size_t item_bytes)
{
	*capacity = *capacity ? *capacity * 2 : 16;
	*item = mem_realloc(*item, *capacity * item_bytes);
}

#endif
