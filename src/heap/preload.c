/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The library that `cupel heap` preloads. It stands between a program and its allocator, and picks
 * bytes at exponential distances, as a Poisson process: a block is sampled if one of its bytes is
 * picked. An allocation costs a countdown; a free, a look into a table that is nearly always empty
 * there. For a sampled block it calls a function that does nothing: what watches that sees the
 * block, with the stack. It never allocates, locks, writes or calls the system, except for random
 * numbers when a thread begins, so it works in signal handlers, before main() and after exit
 * handlers, and it goes on when the profiler is gone. */
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

/* glibc has the one, musl the other; a static build of Cupel can link none of them. */
#pragma weak pthread_atfork
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
		      void *object) __attribute__((weak));

#define EXPORT	    __attribute__((visibility("default")))
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#define ARENA_BYTES   16384
#define ALIGNMENT     16
#define FILTER_BITS   16
#define FILTER_STICKY 255 /* a count that stays */
#define BUCKET_BITS   16
#define BUCKET_SLOTS  8 /* one cache line */

/* The places to watch. The first instruction is one that the kernel can skip: it need not step over
 * it elsewhere, and does not replace it by a call into a page that it adds to the program. */
/* clang-format off */
#define PROBE(name)                                                             \
	__asm__(".pushsection .text\n\t.balign 16\n\t.globl " name "\n\t"       \
		".type " name ", %function\n" name ":\n\t.cfi_startproc\n\t"    \
		"nop\n\tret\n\t.cfi_endproc\n\t.size " name ", . - " name "\n\t"    \
		".popsection\n")
/* clang-format on */
PROBE(HEAP_ALLOC_PROBE);
PROBE(HEAP_FREE_PROBE);
PROBE(HEAP_START_PROBE);
void cupel_heap_alloc(uint64_t address, uint64_t size, uint64_t token);
void cupel_heap_free(uint64_t address, uint64_t unused, uint64_t token);
void cupel_heap_start(uint64_t found, uint64_t step, uint64_t token);
void *pvalloc(size_t size); /* which not every malloc.h declares */

/* Settings, from the environment; written before they are valid. */
enum state { UNKNOWN, OFF, SAMPLING, EXACT };
static int state;
static double rate;
static uint64_t token;
static bool alone;

/* Of a thread. */
static __thread __attribute__((tls_model("initial-exec"))) struct {
	int64_t left; /* bytes until the next one is picked; 0 at first */
	uint64_t random;
} mine;

/* Sampled blocks, and how many of them there are in a place of the filter. */
static uint64_t sampled[1u << BUCKET_BITS][BUCKET_SLOTS] __attribute__((aligned(64)));
static uint8_t filter[1u << FILTER_BITS];

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
static __thread __attribute__((tls_model("initial-exec"))) bool finding;

static uint32_t hash(const void *block, unsigned bits)
{
	return (uint32_t)(((uintptr_t)block >> 4) * 0x9e3779b97f4a7c15ULL >> (64 - bits));
}

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
	__atomic_store_n(&filter[hash(block, FILTER_BITS)], FILTER_STICKY, __ATOMIC_RELAXED);
	return block;
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

static void settle(void)
{
	const char *text = getenv(HEAP_VARIABLE);
	char *end;
	uint64_t bytes;

	if (!text) {
		state = OFF;
		return;
	}
	bytes = strtoull(text, &end, 16);
	token = *end ? strtoull(end + 1, &end, 16) : 0;
	alone = *end && end[1] == '1';
	rate = (double)bytes;
	if (!bytes)
		memset(filter, FILTER_STICKY, sizeof(filter));
	__atomic_store_n(&state, bytes ? SAMPLING : EXACT, __ATOMIC_RELEASE);
	cupel_heap_start(0, HEAP_START_BEGIN, token);
}

/* xorshift64*. */
static uint64_t draw(void)
{
	mine.random ^= mine.random >> 12;
	mine.random ^= mine.random << 25;
	mine.random ^= mine.random >> 27;
	return mine.random * 0x2545f4914f6cdd1dULL;
}

/* The natural logarithm, to 1e-9: libm would be one more library in the program. */
static double logarithm(double x)
{
	union {
		double number;
		uint64_t bits;
	} u = { .number = x };
	int exponent = (int)(u.bits >> 52) - 1023;
	double y, square, power, sum = 0;

	u.bits = (u.bits & 0xfffffffffffffULL) | 1023ULL << 52;
	y = (u.number - 1) / (u.number + 1);
	square = y * y;
	power = y;
	for (int i = 1; i < 20; i += 2, power *= square)
		sum += power / i;
	return exponent * 0.69314718055994530942 + 2 * sum;
}

/* Bytes up to the next one that is picked. */
static int64_t distance(void)
{
	double uniform = ((double)(draw() >> 11) + 1) * 0x1p-53; /* in (0, 1] */

	return (int64_t)(-logarithm(uniform) * rate);
}

static void seed(void)
{
	int error = errno;

	if (getrandom(&mine.random, sizeof(mine.random), GRND_NONBLOCK) < 0)
		mine.random = (uintptr_t)&mine ^ (uint64_t)getpid() << 32;
	mine.random |= 1; /* never 0 */
	errno = error;
}

static void count_in_filter(const void *block, int by)
{
	uint8_t *count = &filter[hash(block, FILTER_BITS)];
	uint8_t old = __atomic_load_n(count, __ATOMIC_RELAXED);

	while (old != FILTER_STICKY &&
	       !__atomic_compare_exchange_n(count, &old, (uint8_t)(old + by), true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static bool remember(void *block)
{
	uint64_t *bucket = sampled[hash(block, BUCKET_BITS)];

	for (size_t i = 0; i < BUCKET_SLOTS; i++) {
		uint64_t none = 0;

		if (__atomic_compare_exchange_n(&bucket[i], &none, (uintptr_t)block, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			count_in_filter(block, 1);
			return true;
		}
	}
	return false;
}

/* Whether it was there. */
static bool forget(void *block)
{
	uint64_t *bucket = sampled[hash(block, BUCKET_BITS)];

	for (size_t i = 0; i < BUCKET_SLOTS; i++) {
		uint64_t wanted = (uintptr_t)block;

		if (__atomic_compare_exchange_n(&bucket[i], &wanted, 0, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED)) {
			count_in_filter(block, -1);
			return true;
		}
	}
	return false;
}

/* The countdown is over. */
static __attribute__((noinline)) void count_down(void *block, size_t size)
{
	if (!state)
		settle();
	if (state == OFF) {
		mine.left = INT64_MAX;
		return;
	}
	if (state == EXACT) {
		mine.left = mine.left < INT64_MIN / 2 ? 0 : mine.left - 1;
		cupel_heap_alloc((uintptr_t)block, size, token);
		return;
	}
	if (!size)
		return;
	if (!mine.random) {
		seed();
		mine.left = distance() - (int64_t)size;
		if (mine.left >= 0)
			return;
	}
	mine.left = distance();
	cupel_heap_alloc(remember(block) ? (uintptr_t)block : 0, size, token);
}

/* At most PTRDIFF_MAX bytes, or there would be no block. A thread starts with nothing left, so that
 * the first block of it that has a size gets here; with `exact` all blocks do. */
static inline void *take(void *block, size_t size)
{
	if (UNLIKELY(!block))
		return block;
	mine.left -= (int64_t)size;
	if (UNLIKELY(mine.left < 0 || (!size && !mine.left)))
		count_down(block, size);
	return block;
}

static __attribute__((noinline)) bool was_sampled(void *block)
{
	if (state == EXACT ? is_in_arena(block) : !forget(block))
		return false;
	cupel_heap_free((uintptr_t)block, 0, token);
	return true;
}

static inline bool may_be_sampled(const void *block)
{
	return block && __atomic_load_n(&filter[hash(block, FILTER_BITS)], __ATOMIC_RELAXED);
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
	if (UNLIKELY(may_be_sampled(block)))
		(void)was_sampled(block);
}

/* Before the block is given back: afterwards another thread may get it. */
EXPORT void free(void *block)
{
	if (UNLIKELY(may_be_sampled(block))) {
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
	return take(next_calloc(count, size), count * size);
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
	void *block;

	if (UNLIKELY(may_be_sampled(old))) {
		if (is_in_arena(old))
			return move_from_arena(old, size);
		was = was_sampled(old);
	}
	block = next_realloc(old, size);
	if (UNLIKELY(!block && was && size)) {
		if (state == EXACT || remember(old))
			cupel_heap_alloc((uintptr_t)old, HEAP_KEPT, token);
	}
	return take(block, size);
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
	(void)have_next(NULL);
	return next_memalign ? take(next_memalign(alignment, size), size) : no_memory();
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	(void)have_next(NULL);
	return next_aligned_alloc ? take(next_aligned_alloc(alignment, size), size) : no_memory();
}

EXPORT int posix_memalign(void **ret, size_t alignment, size_t size)
{
	int code;

	(void)have_next(NULL);
	code = next_posix_memalign ? next_posix_memalign(ret, alignment, size) : ENOMEM;
	if (!code)
		(void)take(*ret, size);
	return code;
}

EXPORT void *valloc(size_t size)
{
	(void)have_next(NULL);
	return next_valloc ? take(next_valloc(size), size) : no_memory();
}

EXPORT void *pvalloc(size_t size)
{
	(void)have_next(NULL);
	return next_pvalloc ? take(next_pvalloc(size), size) : no_memory();
}

/* Its thread goes on with other random numbers than the parent's. */
static void begin_child(void)
{
	mine.random = 0;
	mine.left = 0;
}

/* Returns how the program would find our functions. What this allocates is not the program's. */
static uint64_t prepare(void)
{
	int settled = state;
	uint64_t found = 0;

	state = OFF;
	mine.left = 0;
	free(malloc(1));
	if (mine.left < INT64_MAX / 2) /* it was not ours, which would have called count_down() */
		found |= HEAP_START_OWN_MALLOC;
	mine.left = INT64_MAX;
	if (__register_atfork)
		(void)__register_atfork(NULL, NULL, begin_child, NULL);
	else if (pthread_atfork)
		(void)pthread_atfork(NULL, NULL, begin_child);
	operators_begin();
	state = settled;
	mine.left = 0;
	mine.random = 0;
	return found;
}

__attribute__((constructor)) static void begin(void)
{
	(void)have_next(NULL);
	if (!state)
		settle();
	if (state == OFF)
		return;
	exec_begin(alone);
	cupel_heap_start(prepare(), HEAP_START_FOUND, token);
}
