/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The library that `cupel heap -p` puts into a running process (heap/injected.h). Objects call the
 * allocator by tables of addresses: there its functions stand instead. It needs no loader, no C
 * library and no thread-local memory, and calls the system only while the process is stopped; so it
 * can be put there at any moment, whatever locks the stopped threads hold. It stays mapped, because
 * threads may be in it; what it does after its end is to pass calls on. */
#include "heap/injected.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/heap_block.h"
#include "heap/arch/heap_arch.h"
#include "heap/injected_objects.h"
#include "heap/operator_names.h"
#include "heap/preload.h"
#include "heap/sampler.h"

#define EXPORT __attribute__((visibility("default")))

#define THREAD_BITS 12
#define TRIES	    16

#define FUNCTIONS(X)      \
	X(malloc)         \
	X(calloc)         \
	X(realloc)        \
	X(reallocarray)   \
	X(free)           \
	X(memalign)       \
	X(aligned_alloc)  \
	X(posix_memalign) \
	X(valloc)         \
	X(pvalloc)

#define NUMBER(name, ...) AT_##name,
enum { FUNCTIONS(NUMBER) HEAP_NEWS(NUMBER) HEAP_DELETES(NUMBER) HOOKS };
#define FIRST_OPERATOR AT__Znwm

ARCH_ENTRY(HEAP_INJECT_ENTER);
EXPORT uint64_t cupel_heap_begin(struct heap_inject *request);
EXPORT uint64_t cupel_heap_repeat(struct heap_inject *request);
EXPORT uint64_t cupel_heap_end(struct heap_inject *request);

EXPORT uint64_t cupel_heap_owner;
static uint64_t seed;
static const Elf64_Dyn *allocator; /* of the object with malloc; NULL = it is the C library */

/* The allocator's functions; NULL = it has none. */
static uintptr_t next[HOOKS], usable;

/* Threads by their thread pointer. One that has ended leaves its place to the next with the same.
 * If all places of a thread are taken it shares one, where a countdown may be lost now and then. */
static struct place {
	uintptr_t owner;
	struct heap_thread thread;
} places[1u << THREAD_BITS] __attribute__((aligned(64)));

static __attribute__((noinline)) struct heap_thread *find_thread(uintptr_t self)
{
	uint32_t first = heap_hash((void *)self, THREAD_BITS);

	for (uint32_t i = 0; i < TRIES; i++) {
		struct place *place = &places[(first + i) & ((1u << THREAD_BITS) - 1)];
		uintptr_t none = 0;

		if (__atomic_load_n(&place->owner, __ATOMIC_RELAXED) == self ||
		    __atomic_compare_exchange_n(&place->owner, &none, self, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return &place->thread;
	}
	return &places[first].thread;
}

static inline struct heap_thread *thread(void)
{
	uintptr_t self = arch_thread_pointer();
	struct place *place = &places[heap_hash((void *)self, THREAD_BITS)];

	return __atomic_load_n(&place->owner, __ATOMIC_RELAXED) == self ? &place->thread
									: find_thread(self);
}

void heap_settle(void)
{
	heap_sampler.state = HEAP_STATE_OFF;
}

void heap_seed(struct heap_thread *thread)
{
	uint64_t mixed = seed ^ (uintptr_t)thread * 0x9e3779b97f4a7c15ULL;

	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ULL;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebULL;
	thread->random = mixed ^ mixed >> 31;
}

/* The hooks. */

#define NEXT(name, ...) (*(__VA_ARGS__)next[AT_##name])

static inline void *take(void *block, size_t size)
{
	return heap_take(thread(), block, size);
}

/* Of functions that some allocators make of others, which have taken the block then. left: before.
 */
static inline void *take_once(int64_t left, void *block, size_t size)
{
	return thread()->left == left ? take(block, size) : block;
}

static inline void give_back(void *block)
{
	if (UNLIKELY(heap_may_be_sampled(block)))
		(void)heap_forget(block);
}

static void *hook_malloc(size_t size)
{
	return take(NEXT(malloc, void *(*)(size_t))(size), size);
}

static void *hook_calloc(size_t count, size_t size)
{
	int64_t left = thread()->left;

	return take_once(left, NEXT(calloc, void *(*)(size_t, size_t))(count, size), count * size);
}

static inline bool forget(void *block)
{
	return UNLIKELY(heap_may_be_sampled(block)) && heap_forget(block);
}

/* What a block has room for, if the next one may be sampled. */
static inline size_t room_of(void *old, size_t size)
{
	return heap_is_due(thread(), size) && old && usable ? (*(size_t(*)(void *))usable)(old) : 0;
}

static inline void *moved(void *old, bool was, size_t room, void *block, size_t size)
{
	struct heap_thread *self = thread();

	if (UNLIKELY(!block && was && size))
		heap_keep(old);
	if (!room)
		return take(block, size);
	self->was = room | (block != old ? HEAP_GROWN_MOVED : 0);
	(void)heap_take(self, block, size);
	self->was = 0;
	return block;
}

static void *hook_realloc(void *old, size_t size)
{
	bool was = forget(old);
	size_t room = room_of(old, size);

	return moved(old, was, room, NEXT(realloc, void *(*)(void *, size_t))(old, size), size);
}

static void *hook_reallocarray(void *old, size_t count, size_t size)
{
	int64_t left = thread()->left;
	bool was = forget(old);
	size_t room = room_of(old, count * size);
	void *block = NEXT(reallocarray, void *(*)(void *, size_t, size_t))(old, count, size);

	return thread()->left == left ? moved(old, was, room, block, count * size) : block;
}

static void hook_free(void *block)
{
	give_back(block);
	NEXT(free, void (*)(void *))(block);
}

static void *hook_memalign(size_t alignment, size_t size)
{
	int64_t left = thread()->left;

	return take_once(left, NEXT(memalign, void *(*)(size_t, size_t))(alignment, size), size);
}

static void *hook_aligned_alloc(size_t alignment, size_t size)
{
	int64_t left = thread()->left;

	return take_once(left, NEXT(aligned_alloc, void *(*)(size_t, size_t))(alignment, size),
			 size);
}

static int hook_posix_memalign(void **ret, size_t alignment, size_t size)
{
	int64_t left = thread()->left;
	int code = NEXT(posix_memalign, int (*)(void **, size_t, size_t))(ret, alignment, size);

	if (!code)
		(void)take_once(left, *ret, size);
	return code;
}

static void *hook_valloc(size_t size)
{
	int64_t left = thread()->left;

	return take_once(left, NEXT(valloc, void *(*)(size_t))(size), size);
}

static void *hook_pvalloc(size_t size)
{
	int64_t left = thread()->left;

	return take_once(left, NEXT(pvalloc, void *(*)(size_t))(size), size);
}

/* Of an allocator: they may come by its malloc(), or not. */
#define DEFINE_NEW(name, aligned)                                                              \
	static void *hook_##name(size_t size, uintptr_t a, uintptr_t b)                        \
	{                                                                                      \
		int64_t left = thread()->left;                                                 \
		void *block = NEXT(name, void *(*)(size_t, uintptr_t, uintptr_t))(size, a, b); \
                                                                                               \
		return take_once(left, block, size);                                           \
	}
HEAP_NEWS(DEFINE_NEW)

#define DEFINE_DELETE(name)                                                      \
	static void hook_##name(void *block, uintptr_t a, uintptr_t b)           \
	{                                                                        \
		give_back(block);                                                \
		NEXT(name, void (*)(void *, uintptr_t, uintptr_t))(block, a, b); \
	}
HEAP_DELETES(DEFINE_DELETE)

/* Pointers in a table are relocated by what maps the library. */
#define HOOK(name, ...) { #name, (uintptr_t)hook_##name },
static const struct hook {
	char name[40];
	uintptr_t function;
} hooks[] = { FUNCTIONS(HOOK) HEAP_NEWS(HOOK) HEAP_DELETES(HOOK) };

/* Where calls go: to the hooks, or back to the allocator. */
struct patch {
	struct heap_inject *request;
	bool back;
};

/* The names that any of them can have. */
static bool may_be_hooked(const char *name)
{
	switch (name[0]) {
	case '_':
		return name[1] == 'Z' && (name[2] == 'n' || name[2] == 'd');
	case 'm':
	case 'c':
	case 'r':
	case 'f':
	case 'a':
	case 'p':
	case 'v':
		return true;
	default:
		return false;
	}
}

static int find_hook(const char *name)
{
	for (int i = 0; may_be_hooked(name) && i < HOOKS; i++)
		if (next[i] && text_is(name, hooks[i].name))
			return i;
	return -1;
}

/* It leads to the loader, which would put the address there at the first call. */
static bool is_lazy(const struct object *object, const struct object_slot *slot, uintptr_t value)
{
	return slot->type == ARCH_RELOC_SLOT && object_has(object, value) &&
	       !object_find(object, slot->name);
}

static void patch_slot(struct object *object, const struct object_slot *slot, void *context)
{
	int i = find_hook(slot->name);
	struct patch *patch = context;
	uintptr_t value, from, to;

	if (i < 0)
		return;
	from = patch->back ? hooks[i].function : next[i];
	to = patch->back ? next[i] : hooks[i].function;
	value = __atomic_load_n(slot->place, __ATOMIC_RELAXED);
	if (value == to || (value != from && (patch->back || !is_lazy(object, slot, value))))
		return;
	if (object_replace(object, slot, value, to))
		patch->request->slots++;
}

/* An allocator's own calls are of blocks that were counted where it was called. */
static void patch_object(struct object *object, void *context)
{
	struct patch *patch = context;

	if (object->dynamic != allocator)
		object_each_slot(object, patch_slot, patch);
}

/* The first definition is the one that objects use. Operators are the allocator's own or none. */
static void find_functions(struct object *object, void *context)
{
	struct heap_inject *request = context;
	bool is_first = !request->objects++, has_malloc = false;

	if (!next[AT_malloc]) {
		next[AT_malloc] = object_find(object, "malloc");
		has_malloc = next[AT_malloc] != 0;
	}
	if (has_malloc) {
		request->own_malloc = is_first;
		usable = object_find(object, "realloc") ? object_find(object, "malloc_usable_size")
							: 0;
		allocator = object_find(object, "__libc_start_main") ? NULL : object->dynamic;
	}
	for (int i = 0; i < (has_malloc ? HOOKS : FIRST_OPERATOR); i++)
		if (!next[i])
			next[i] = object_find(object, hooks[i].name);
}

static enum heap_inject_result patch_all(struct heap_inject *request, struct patch *patch)
{
	enum heap_inject_result result = objects_each(request, patch_object, patch);

	if (result == HEAP_INJECT_DONE && !request->slots)
		return HEAP_INJECT_NO_SLOT;
	return result;
}

uint64_t cupel_heap_begin(struct heap_inject *request)
{
	struct patch patch = { .request = request };
	enum heap_inject_result result = objects_each(request, find_functions, request);

	if (result != HEAP_INJECT_DONE)
		return result;
	if (!next[AT_malloc] || !next[AT_calloc] || !next[AT_realloc] || !next[AT_free])
		return HEAP_INJECT_NO_MALLOC;
	seed = request->seed;
	heap_sampler_begin(request->rate, request->token);
	result = patch_all(request, &patch);
	if (result == HEAP_INJECT_DONE)
		cupel_heap_owner = request->owner;
	else
		heap_sampler.state = HEAP_STATE_OFF;
	return result;
}

/* As begin() did, of all that is there by now. */
uint64_t cupel_heap_repeat(struct heap_inject *request)
{
	struct patch patch = { .request = request };

	return objects_each(request, patch_object, &patch);
}

uint64_t cupel_heap_end(struct heap_inject *request)
{
	struct patch patch = { .request = request, .back = true };

	heap_sampler.state = HEAP_STATE_OFF;
	cupel_heap_owner = 0;
	return objects_each(request, patch_object, &patch);
}
