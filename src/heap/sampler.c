/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which blocks are sampled (see sampler.h), and the functions that do nothing, where samples are
 * seen. Those are static probes as well, of the provider otel_memory, which other profilers know.
 */
#include "heap/sampler.h"

#include "event/heap_block.h"
#include "heap/preload.h"
#include "heap/probe_note.h"

#define BUCKET_BITS  16
#define BUCKET_SLOTS 8 /* one cache line */

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
PROBE_NOTE("otel_memory", "alloc", HEAP_ALLOC_PROBE, ARCH_NOTE_ALLOC);
PROBE_NOTE("otel_memory", "free", HEAP_FREE_PROBE, ARCH_NOTE_FREE);

void cupel_heap_alloc(uint64_t address, uint64_t size, uint64_t token, uint64_t weight);
void cupel_heap_free(uint64_t address, uint64_t unused, uint64_t token);
void cupel_heap_start(uint64_t found, uint64_t step, uint64_t token);

struct heap_sampler heap_sampler;
uint8_t heap_filter[1u << HEAP_FILTER_BITS];

/* Sampled blocks. */
static uint64_t sampled[1u << BUCKET_BITS][BUCKET_SLOTS] __attribute__((aligned(64)));

void heap_sampler_begin(uint64_t rate, uint64_t token)
{
	heap_sampler.rate = (double)rate;
	heap_sampler.token = token;
	for (size_t i = 0; !rate && i < sizeof(heap_filter); i++)
		heap_filter[i] = HEAP_FILTER_STICKY;
	__atomic_store_n(&heap_sampler.state, rate ? HEAP_STATE_SAMPLING : HEAP_STATE_EXACT,
			 __ATOMIC_RELEASE);
}

/* xorshift64*. */
static uint64_t draw(struct heap_thread *thread)
{
	thread->random ^= thread->random >> 12;
	thread->random ^= thread->random << 25;
	thread->random ^= thread->random >> 27;
	return thread->random * 0x2545f4914f6cdd1dULL;
}

union number {
	double number;
	uint64_t bits;
};

/* The natural logarithm, to 1e-9: libm would be one more library in the program. */
static double logarithm(double x)
{
	union number u = { .number = x };
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

/* 1 - exp(-x) of x >= 0, to 1e-9: of half of x it is h, and of x then h * (2 - h). */
static double one_minus_exp(double x)
{
	double term = 1, sum = 0;
	int halves = 0;

	if (x > 40)
		return 1;
	for (; x > 0.25; x /= 2)
		halves++;
	for (int i = 1; i < 9; i++) {
		term *= -x / i;
		sum -= term;
	}
	for (; halves; halves--)
		sum *= 2 - sum;
	return sum;
}

/* The bytes that a sampled block of that size stands for. */
static uint64_t weight(size_t size)
{
	double bytes = (double)size;

	return heap_sampler.state == HEAP_STATE_EXACT || !size
		       ? size
		       : (uint64_t)(bytes / one_minus_exp(bytes / heap_sampler.rate) + 0.5);
}

static void show_alloc(const struct heap_thread *thread, uintptr_t address, size_t size)
{
	cupel_heap_alloc(address, size, heap_sampler.token, weight(size));
	if (thread->was)
		cupel_heap_start(thread->was, HEAP_START_GROWN, heap_sampler.token);
}

/* Bytes up to the next one that is picked. */
static int64_t distance(struct heap_thread *thread)
{
	double uniform = ((double)(draw(thread) >> 11) + 1) * 0x1p-53; /* in (0, 1] */

	return (int64_t)(-logarithm(uniform) * heap_sampler.rate);
}

static void count_in_filter(const void *block, int by)
{
	uint8_t *count = &heap_filter[heap_hash(block, HEAP_FILTER_BITS)];
	uint8_t old = __atomic_load_n(count, __ATOMIC_RELAXED);

	while (old != HEAP_FILTER_STICKY &&
	       !__atomic_compare_exchange_n(count, &old, (uint8_t)(old + by), true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static bool remember(void *block)
{
	uint64_t *bucket = sampled[heap_hash(block, BUCKET_BITS)];

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
static bool take_out(void *block)
{
	uint64_t *bucket = sampled[heap_hash(block, BUCKET_BITS)];

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

void heap_count_down(struct heap_thread *thread, void *block, size_t size)
{
	if (!heap_sampler.state)
		heap_settle();
	if (heap_sampler.state == HEAP_STATE_OFF) {
		thread->left = INT64_MAX;
		return;
	}
	if (heap_sampler.state == HEAP_STATE_EXACT) {
		thread->left = thread->left < INT64_MIN / 2 ? 0 : thread->left - 1;
		show_alloc(thread, (uintptr_t)block, size);
		return;
	}
	if (!size)
		return;
	if (!thread->random) {
		heap_seed(thread);
		thread->random |= 1; /* never 0 */
		thread->left = distance(thread) - (int64_t)size;
		if (thread->left >= 0)
			return;
	}
	thread->left = distance(thread);
	show_alloc(thread, remember(block) ? (uintptr_t)block : 0, size);
}

bool heap_forget(void *block)
{
	if (heap_sampler.state != HEAP_STATE_EXACT && !take_out(block))
		return false;
	cupel_heap_free((uintptr_t)block, 0, heap_sampler.token);
	return true;
}

void heap_keep(void *block)
{
	if (heap_sampler.state == HEAP_STATE_EXACT || remember(block))
		cupel_heap_alloc((uintptr_t)block, HEAP_KEPT, heap_sampler.token, 0);
}
