/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C++'s operators new and delete. Those of an allocator (jemalloc, tcmalloc, mimalloc) do not come
 * by malloc(), or only some do, so their blocks are taken here; those of a C++ library do, and are
 * only jumped to, so that this library is not in their stacks. They may throw through it. All have
 * arguments in registers: which of the three there are is the next one's matter. */
#include "heap/operators.h"
#include "heap/operator_names.h"

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

typedef void *(*new_function)(size_t, uintptr_t, uintptr_t);
typedef void (*delete_function)(void *, uintptr_t, uintptr_t);

#define NUMBER(name, ...) AT_##name,
enum { HEAP_NEWS(NUMBER) NEW_COUNT };
enum { HEAP_DELETES(NUMBER) DELETE_COUNT };

#define TEXT(name, ...) #name,
static const char *const new_names[] = { HEAP_NEWS(TEXT) };
static const char *const delete_names[] = { HEAP_DELETES(TEXT) };

/* The next ones. own: it is the allocator's, and need not come by malloc() or free(). */
static struct {
	new_function call;
	bool own;
} next_new[NEW_COUNT];
static struct {
	delete_function call;
	bool own;
} next_delete[DELETE_COUNT];
static bool found;

static const void *library_of(const void *address)
{
	Dl_info info;

	return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

static void *find_next(const char *name, const void *allocator, bool *ret_own)
{
	void *next = dlsym(RTLD_NEXT, name);

	*ret_own = next && library_of(next) == allocator;
	return next;
}

void operators_begin(void)
{
	const void *allocator = library_of(dlsym(RTLD_NEXT, "malloc"));

	for (size_t i = 0; i < NEW_COUNT; i++)
		*(void **)&next_new[i].call = find_next(new_names[i], allocator, &next_new[i].own);
	for (size_t i = 0; i < DELETE_COUNT; i++)
		*(void **)&next_delete[i].call =
			find_next(delete_names[i], allocator, &next_delete[i].own);
	(void)dlerror(); /* of a program without C++ */
	__atomic_store_n(&found, true, __ATOMIC_RELEASE);
}

/* A C++ library that was loaded later, for a part of the program alone. */
struct search {
	const char *name;
	void *found;
};

static int look_into(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;
	void *handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
	void *symbol = handle ? dlsym(handle, search->name) : NULL;

	(void)size;
	if (symbol && library_of(symbol) != library_of((const void *)(uintptr_t)operators_begin))
		search->found = symbol;
	if (handle)
		(void)dlclose(handle);
	return search->found != NULL;
}

/* There was no C++ in the program when it began. What a C++ library would do is what malloc() does,
 * up to the failure: that is the library's, which may throw. */
static void *new_without(size_t number, size_t size, uintptr_t a, uintptr_t b, bool aligned)
{
	struct search search = { .name = new_names[number] };
	void *block = aligned ? memalign(a, size ? size : 1) : malloc(size ? size : 1);
	new_function later;

	if (block)
		return block;
	(void)dl_iterate_phdr(look_into, &search);
	*(void **)&later = search.found;
	return later ? later(size, a, b) : NULL;
}

static inline void *call_new(size_t number, size_t size, uintptr_t a, uintptr_t b, bool aligned)
{
	int64_t before;
	void *block;

	if (!__atomic_load_n(&found, __ATOMIC_ACQUIRE))
		operators_begin();
	if (!next_new[number].call)
		return new_without(number, size, a, b, aligned);
	if (!next_new[number].own)
		return next_new[number].call(size, a, b);
	before = heap_countdown();
	block = next_new[number].call(size, a, b);
	return heap_countdown() == before ? heap_taken(block, size) : block;
}

static inline void call_delete(size_t number, void *block, uintptr_t a, uintptr_t b)
{
	if (!__atomic_load_n(&found, __ATOMIC_ACQUIRE))
		operators_begin();
	if (!next_delete[number].call) {
		free(block);
		return;
	}
	if (next_delete[number].own)
		heap_given_back(block);
	next_delete[number].call(block, a, b);
}

#define DEFINE_NEW(name, aligned)                                 \
	EXPORT void *name(size_t size, uintptr_t a, uintptr_t b); \
	EXPORT void *name(size_t size, uintptr_t a, uintptr_t b)  \
	{                                                         \
		return call_new(AT_##name, size, a, b, aligned);  \
	}
HEAP_NEWS(DEFINE_NEW)

#define DEFINE_DELETE(name)                                      \
	EXPORT void name(void *block, uintptr_t a, uintptr_t b); \
	EXPORT void name(void *block, uintptr_t a, uintptr_t b)  \
	{                                                        \
		call_delete(AT_##name, block, a, b);             \
	}
HEAP_DELETES(DEFINE_DELETE)
