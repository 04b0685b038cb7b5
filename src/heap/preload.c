/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The library that `cupel heap` preloads. It stands between a program and its allocator, and calls
 * a function that does nothing for each block that is sampled (heap/sampler.h): what watches that
 * sees the block, with the stack. It never allocates, locks, writes or calls the system, except for
 * a random number before main(), so it works in signal handlers, before main(), after exit handlers
 * and under filters of system calls, and it goes on when the profiler is gone. */
#include "heap/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "event/heap_block.h"
#include "heap/exec.h"
#include "heap/operators.h"
#include "heap/sampler.h"

/* glibc has the one, musl the other; a static build of Cupel can link none of them. */
#pragma weak pthread_atfork
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
		      void *object) __attribute__((weak));

#define EXPORT __attribute__((visibility("default")))

#define ARENA_BYTES 16384
#define ALIGNMENT   16

void cupel_heap_start(uint64_t found, uint64_t step, uint64_t token);
void *pvalloc(size_t size); /* which not every malloc.h declares */

static bool alone;

/* Of all random numbers; threads that have any, and forks, up to now. */
static uint64_t seed, threads, forks;
static __thread __attribute__((tls_model("initial-exec"))) uint64_t this_fork;

static __thread __attribute__((tls_model("initial-exec"))) struct heap_thread mine;

/* For calls while the next definitions are being looked up. Never freed. */
static char arena[ARENA_BYTES] __attribute__((aligned(ALIGNMENT)));
static size_t arena_used;

/* The next definitions. At first they are functions that look them up. */
static void *first_malloc(size_t size);
static void *first_calloc(size_t count, size_t size);
static void *first_realloc(void *block, size_t size);
static void first_free(void *block);
static void *(*next_malloc)(size_t) = first_malloc;
static void *(*next_calloc)(size_t, size_t) = first_calloc;
static void *(*next_realloc)(void *, size_t) = first_realloc;
static void (*next_free)(void *) = first_free;
static void *(*next_memalign)(size_t, size_t);
static void *(*next_aligned_alloc)(size_t, size_t);
static int (*next_posix_memalign)(void **, size_t, size_t);
static void *(*next_valloc)(size_t);
static void *(*next_pvalloc)(size_t);
static size_t (*next_usable)(void *); /* NULL: the allocator has none */
static __thread __attribute__((tls_model("initial-exec"))) bool finding;

static bool is_in_arena(const void *block)
{
	return (const char *)block >= arena && (const char *)block < arena + ARENA_BYTES;
}

static void *arena_take(size_t size)
{
	size_t at;
	void *block;

	if (size > ARENA_BYTES)
		return NULL;
	size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	at = __atomic_fetch_add(&arena_used, size, __ATOMIC_RELAXED);
	if (at + size > ARENA_BYTES)
		return NULL;
	block = arena + at;
	/* So that free() looks closer. */
	__atomic_store_n(&heap_filter[heap_hash(block, HEAP_FILTER_BITS)], HEAP_FILTER_STICKY,
			 __ATOMIC_RELAXED);
	return block;
}

/* Another allocator's must not see its blocks. */
static void find_usable(void *of)
{
	void *usable = dlsym(RTLD_NEXT, "malloc_usable_size");
	Dl_info mine_info, its;

	if (usable && dladdr(of, &mine_info) && dladdr(usable, &its) &&
	    mine_info.dli_fbase == its.dli_fbase)
		*(void **)&next_usable = usable;
}

#define FIND(name) (*(void **)&next_##name = dlsym(RTLD_NEXT, #name))

static void find_next(void)
{
	void *(*calloc_found)(size_t, size_t);
	void *(*realloc_found)(void *, size_t);
	void *(*malloc_found)(size_t);
	void (*free_found)(void *);

	finding = true;
	*(void **)&malloc_found = dlsym(RTLD_NEXT, "malloc");
	*(void **)&calloc_found = dlsym(RTLD_NEXT, "calloc");
	*(void **)&realloc_found = dlsym(RTLD_NEXT, "realloc");
	*(void **)&free_found = dlsym(RTLD_NEXT, "free");
	FIND(memalign);
	FIND(aligned_alloc);
	FIND(posix_memalign);
	FIND(valloc);
	FIND(pvalloc);
	find_usable(*(void **)&realloc_found);
	(void)dlerror(); /* of functions that this libc does not have */
	if (!malloc_found || !calloc_found || !realloc_found || !free_found)
		abort(); /* no libc is without */
	next_malloc = malloc_found;
	next_calloc = calloc_found;
	next_realloc = realloc_found;
	next_free = free_found;
	finding = false;
}

static void *first_malloc(size_t size)
{
	if (finding)
		return arena_take(size);
	find_next();
	return next_malloc(size);
}

static void *first_calloc(size_t count, size_t size)
{
	if (finding) /* the arena is zeroed */
		return size && count > ARENA_BYTES / size ? NULL : arena_take(count * size);
	find_next();
	return next_calloc(count, size);
}

static void *first_realloc(void *block, size_t size)
{
	if (finding)
		return block ? NULL : arena_take(size);
	find_next();
	return next_realloc(block, size);
}

static void first_free(void *block)
{
	if (finding)
		return;
	find_next();
	next_free(block);
}

static uint64_t mix(uint64_t number)
{
	number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9ULL;
	number = (number ^ number >> 27) * 0x94d049bb133111ebULL;
	return number ^ number >> 31;
}

/* Later a filter of system calls may end a program that asks for one. */
static void draw_seed(void)
{
	int error = errno;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) < 0)
		seed = (uintptr_t)&mine ^ (uint64_t)getpid() << 32;
	errno = error;
}

/* From the environment. */
void heap_settle(void)
{
	const char *text = getenv(HEAP_VARIABLE);
	char *end;
	uint64_t bytes, token;

	if (!text) {
		heap_sampler.state = HEAP_STATE_OFF;
		return;
	}
	bytes = strtoull(text, &end, 16);
	token = *end ? strtoull(end + 1, &end, 16) : 0;
	alone = *end && end[1] == '1';
	draw_seed();
	heap_sampler_begin(bytes, token);
	cupel_heap_start(0, HEAP_START_BEGIN, token);
}

void heap_seed(struct heap_thread *thread)
{
	uint64_t number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);

	thread->random = mix(seed + number * 0x9e3779b97f4a7c15ULL);
}

static inline void *take(void *block, size_t size)
{
	return heap_take(&mine, block, size);
}

/* Some allocators' calloc() and others call malloc(), which has taken the block then. left: before.
 */
static inline void *take_once(int64_t left, void *block, size_t size)
{
	return mine.left == left ? take(block, size) : block;
}

/* With `exact`, those of the arena are forgotten by nobody: they stay. */
static bool was_sampled(void *block)
{
	return !(heap_sampler.state == HEAP_STATE_EXACT && is_in_arena(block)) &&
	       heap_forget(block);
}

void *heap_taken(void *block, size_t size)
{
	return take(block, size);
}

int64_t heap_countdown(void)
{
	return mine.left;
}

void heap_given_back(void *block)
{
	if (UNLIKELY(heap_may_be_sampled(block)))
		(void)was_sampled(block);
}

/* Before the block is given back: afterwards another thread may get it. */
EXPORT void free(void *block)
{
	if (UNLIKELY(heap_may_be_sampled(block))) {
		(void)was_sampled(block);
		if (is_in_arena(block))
			return;
	}
	next_free(block);
}

/* prepare() calls it as the program does. */
EXPORT __attribute__((noinline)) void *malloc(size_t size)
{
	return take(next_malloc(size), size);
}

EXPORT void *calloc(size_t count, size_t size)
{
	int64_t left = mine.left;

	return take_once(left, next_calloc(count, size), count * size);
}

static void *move_from_arena(void *old, size_t size)
{
	size_t most = (size_t)(arena + ARENA_BYTES - (char *)old);
	void *block = malloc(size);

	if (block)
		memcpy(block, old, size < most ? size : most);
	return block;
}

EXPORT void *realloc(void *old, size_t size)
{
	bool was = false;
	size_t room = 0;
	void *block;

	if (UNLIKELY(heap_may_be_sampled(old))) {
		if (is_in_arena(old))
			return move_from_arena(old, size);
		was = was_sampled(old);
	}
	if (heap_is_due(&mine, size) && old && next_usable)
		room = next_usable(old);
	block = next_realloc(old, size);
	if (UNLIKELY(!block && was && size))
		heap_keep(old);
	if (!room)
		return take(block, size);
	mine.was = room | (block != old ? HEAP_GROWN_MOVED : 0);
	(void)take(block, size);
	mine.was = 0;
	return block;
}

EXPORT void *reallocarray(void *old, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(old, bytes);
}

/* Those that are rare are looked up with the others. */
static bool have_next(const void *function)
{
	if (UNLIKELY(next_malloc == first_malloc))
		find_next();
	return function != NULL;
}

static void *no_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

EXPORT void *memalign(size_t alignment, size_t size)
{
	int64_t left = mine.left;

	(void)have_next(NULL);
	return next_memalign ? take_once(left, next_memalign(alignment, size), size) : no_memory();
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	int64_t left = mine.left;

	(void)have_next(NULL);
	return next_aligned_alloc ? take_once(left, next_aligned_alloc(alignment, size), size)
				  : no_memory();
}

EXPORT int posix_memalign(void **ret, size_t alignment, size_t size)
{
	int64_t left = mine.left;
	int code;

	(void)have_next(NULL);
	code = next_posix_memalign ? next_posix_memalign(ret, alignment, size) : ENOMEM;
	if (!code)
		(void)take_once(left, *ret, size);
	return code;
}

EXPORT void *valloc(size_t size)
{
	int64_t left = mine.left;

	(void)have_next(NULL);
	return next_valloc ? take_once(left, next_valloc(size), size) : no_memory();
}

EXPORT void *pvalloc(size_t size)
{
	int64_t left = mine.left;

	(void)have_next(NULL);
	return next_pvalloc ? take_once(left, next_pvalloc(size), size) : no_memory();
}

static void begin_fork(void)
{
	this_fork = __atomic_add_fetch(&forks, 1, __ATOMIC_RELAXED);
}

/* Its threads have other random numbers than the parent's, and than those of other children. */
static void begin_child(void)
{
	seed = mix(seed ^ mix(this_fork));
	mine.random = 0;
	mine.left = 0;
}

/* Returns how the program would find our functions. What this allocates is not the program's. */
static uint64_t prepare(void)
{
	int settled = heap_sampler.state;
	uint64_t found = 0;

	heap_sampler.state = HEAP_STATE_OFF;
	mine.left = 0;
	free(malloc(1));
	if (mine.left < INT64_MAX / 2) /* it was not ours, which would have called count_down() */
		found |= HEAP_START_OWN_MALLOC;
	mine.left = INT64_MAX;
	if (__register_atfork)
		(void)__register_atfork(begin_fork, NULL, begin_child, NULL);
	else if (pthread_atfork)
		(void)pthread_atfork(begin_fork, NULL, begin_child);
	operators_begin();
	heap_sampler.state = settled;
	mine.left = 0;
	mine.random = 0;
	return found;
}

__attribute__((constructor)) static void begin(void)
{
	(void)have_next(NULL);
	if (!heap_sampler.state)
		heap_settle();
	if (heap_sampler.state == HEAP_STATE_OFF)
		return;
	exec_begin(alone);
	cupel_heap_start(prepare(), HEAP_START_FOUND, heap_sampler.token);
}
