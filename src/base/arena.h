/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bump allocator: many objects, one lifetime. Everything is freed by arena_done(); nothing in
 * an arena is freed alone. Memory is zeroed and 16-byte aligned. Aborts when memory runs out.
 * Not thread-safe. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_block *head;
	size_t used_bytes; /* total handed out */
};

void *arena_alloc(struct arena *arena, size_t size_bytes);
/* Copies len bytes and appends a NUL. */
char *arena_strndup(struct arena *arena, const char *s, size_t len);
char *arena_strdup(struct arena *arena, const char *s);
void arena_done(struct arena *arena);

#define arena_new(arena, type)		((type *)arena_alloc((arena), sizeof(type)))
#define arena_array(arena, type, count) ((type *)arena_alloc((arena), sizeof(type) * (count)))

/* malloc family that aborts with a message when memory runs out (style P11). */
void *mem_alloc(size_t size_bytes);
void *mem_zalloc(size_t size_bytes);
void *mem_realloc(void *old, size_t size_bytes);
char *mem_strdup(const char *s);
/* Allocates size_bytes, of which only touched pages cost memory; aligned to cache lines, in huge
 * pages if large and available. Freed with free(). */
void *mem_room(size_t size_bytes);
/* The same zeroed, for a table that is looked up at random places. */
void *mem_table(size_t size_bytes);

#endif
