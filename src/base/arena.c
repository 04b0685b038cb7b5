/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bump allocator and the aborting malloc family (see arena.h). */
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory_limit.h"

#define CACHE_LINE  ((size_t)64)
#define SMALL_PAGE  ((size_t)4096) /* fails where pages are larger: no huge pages then */
#define HUGE_PAGE   ((size_t)2 << 20)
#define BLOCK_BYTES (64 * 1024)

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	_Alignas(16) char data[];
};

static _Noreturn void out_of_memory(size_t size_bytes)
{
	memory_limit_reached();
	(void)fprintf(stderr, "cupel: out of memory: %zu bytes\n", size_bytes);
	abort();
}

/* Advice: without huge pages large memory is only slower. Covers all pages, because a mapping
 * with two kinds of pages cannot grow in place. */
static void want_huge_pages(void *p, size_t size)
{
	uintptr_t from = (uintptr_t)p & ~(SMALL_PAGE - 1);
	uintptr_t to = ((uintptr_t)p + size + SMALL_PAGE - 1) & ~(SMALL_PAGE - 1);

	(void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

void *mem_alloc(size_t size_bytes)
{
	void *p = malloc(size_bytes ? size_bytes : 1);

	if (!p)
		out_of_memory(size_bytes);
	return p;
}

void *mem_zalloc(size_t size_bytes)
{
	void *p = calloc(1, size_bytes ? size_bytes : 1);

	if (!p)
		out_of_memory(size_bytes);
	return p;
}

void *mem_realloc(void *old, size_t size_bytes)
{
	void *p = realloc(old, size_bytes ? size_bytes : 1);

	if (!p)
		out_of_memory(size_bytes);
	if (size_bytes >= 2 * HUGE_PAGE)
		want_huge_pages(p, size_bytes);
	return p;
}

char *mem_strdup(const char *s)
{
	size_t len = strlen(s) + 1;

	return memcpy(mem_alloc(len), s, len);
}

void *mem_room(size_t size_bytes)
{
	bool huge = size_bytes >= HUGE_PAGE;
	void *p;

	if (posix_memalign(&p, huge ? HUGE_PAGE : CACHE_LINE, size_bytes ? size_bytes : 1))
		out_of_memory(size_bytes);
	if (huge)
		want_huge_pages(p, size_bytes);
	return p;
}

void *mem_table(size_t size_bytes)
{
	return memset(mem_room(size_bytes), 0, size_bytes);
}

void *arena_alloc(struct arena *arena, size_t size_bytes)
{
	struct arena_block *block = arena->head;
	size_t need = (size_bytes + 15) & ~(size_t)15;

	if (!block || block->size - block->used < need) {
		size_t size = need > BLOCK_BYTES ? need : BLOCK_BYTES;

		block = mem_zalloc(sizeof(*block) + size);
		block->size = size;
		block->next = arena->head;
		arena->head = block;
	}
	arena->used_bytes += need;
	block->used += need;
	return block->data + block->used - need;
}

char *arena_strndup(struct arena *arena, const char *s, size_t len)
{
	char *copy = arena_alloc(arena, len + 1);

	memcpy(copy, s, len);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *s)
{
	return arena_strndup(arena, s, strlen(s));
}

void arena_done(struct arena *arena)
{
	while (arena->head) {
		struct arena_block *next = arena->head->next;

		free(arena->head);
		arena->head = next;
	}
	arena->used_bytes = 0;
}
