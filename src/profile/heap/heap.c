/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sampled blocks of memory over time (see heap.h). */
#include "profile/heap/heap.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "event/heap_block.h"
#include "profile/profile.h"

#define COUNT_SCALE  1000     /* allocations that a sample stands for are no whole number */
#define Z	     1.959964 /* of 95 % */
#define MOST_COUNTED 1e4      /* its square is a count that is as good as normal */

/* A sum of weights, with its variance and its third moment. */
struct tally {
	double sum, variance, third;
};

/* A program in a process, up to the next that it becomes. */
struct process {
	uint32_t pid;
	uint32_t samples; /* of allocations */
	struct tally live, peak;
	size_t peak_at; /* place in the order behind the sample that brought it */
	uint64_t first_ns, last_ns;
};

struct heap {
	struct profile *profile;
	uint64_t rate;
	uint32_t *order; /* of the samples of blocks, by time */
	size_t count;
	size_t samples;	       /* of the recording */
	uint64_t now_ns;       /* of the sample that is played */
	bool *live;	       /* by sample */
	uint32_t *owner;       /* by sample: index of its process */
	uint64_t *ended;       /* by sample: when; 0 = did not */
	VEC(uint32_t) lived;   /* the sample of each of the summary's lives */
	struct map block;      /* key_of() → its latest sample */
	struct map process_of; /* pid → index of the latest */
	VEC(struct process) process;
	struct tally allocated, allocations;
	struct heap_summary *summary;
};

static const struct heap_block *block_of(const struct heap *heap, uint32_t sample)
{
	return &heap->profile->blocks.item[heap->profile->samples.item[sample].addr];
}

static uint32_t pid_of(const struct heap *heap, uint32_t sample)
{
	thread_id thread = heap->profile->samples.item[sample].thread;

	return heap->profile->threads.item[thread.v].pid;
}

static uint64_t key_of(const struct heap *heap, uint32_t sample)
{
	return hash_u64(block_of(heap, sample)->address) ^ heap->owner[sample];
}

static enum event_kind kind_of(const struct heap *heap, uint32_t sample)
{
	return heap->profile->events.item[heap->profile->samples.item[sample].event].kind;
}

/* How many blocks it stands for. */
static double blocks_of(const struct heap *heap, uint32_t sample)
{
	uint64_t size = block_of(heap, sample)->size;

	return size ? (double)heap->profile->samples.item[sample].weight / (double)size : 1;
}

/* It was picked with probability 1/n, and stands for n. Of what is picked so, with its variance
 * value² (n-1) and third moment value³ (n-1) (n-2), one that was picked stands for n, too. sign: of
 * what is taken away. */
static void tally_add(struct tally *tally, double value, double n, int sign)
{
	tally->sum += sign * n * value;
	tally->variance += sign * n * (n - 1) * value * value;
	tally->third += sign * n * (n - 1) * (n - 2) * value * value * value;
}

static void add_to(const struct heap *heap, struct tally *tally, uint32_t sample, int sign)
{
	tally_add(tally, (double)block_of(heap, sample)->size, blocks_of(heap, sample), sign);
}

static double cube(double x)
{
	return x * x * x;
}

/* The ends of the exact interval of a Poisson count, by Wilson and Hilferty's cube. */
static double count_low(double count)
{
	return count > 0 ? count * cube(fmax(1 - 1 / (9 * count) - Z / (3 * sqrt(count)), 0)) : 0;
}

static double count_high(double count)
{
	return (count + 1) * cube(1 - 1 / (9 * (count + 1)) + Z / (3 * sqrt(count + 1)));
}

/* What chance adds to the sum is like a count of equal samples with the same variance and third
 * moment: an exact interval of that is right for few samples, too. unit: the weight of blocks so
 * small that it may be that none was picked. */
static struct heap_estimate estimate(const struct tally *tally, double unit)
{
	double variance = fmax(tally->variance, 0), half = Z * sqrt(variance);
	double step = variance > 0 ? tally->third / variance : 0;
	double sum = fmax(tally->sum, 0), low = sum - half, high = sum + half;

	if (step * MOST_COUNTED > sqrt(variance)) {
		double count = variance / (step * step);

		low = sum - step * (count - count_low(count));
		high = sum + step * (count_high(count) - count);
	}
	return (struct heap_estimate){ .value = sum,
				       .low = fmax(low, 0),
				       .high = fmax(high, sum + unit * count_high(0)) };
}

static struct process *process_of(struct heap *heap, uint32_t sample)
{
	uint32_t pid = pid_of(heap, sample);
	bool added;
	uint64_t *index = map_add(&heap->process_of, pid, &added);

	if (added || block_of(heap, sample)->size == HEAP_BEGUN) {
		*index = heap->process.count;
		vec_push(&heap->process,
			 ((struct process){ .pid = pid, .first_ns = heap->now_ns }));
	}
	heap->process.item[*index].last_ns = heap->now_ns;
	heap->owner[sample] = (uint32_t)*index;
	return &heap->process.item[*index];
}

/* A block begins to live, or ends. */
static void change(struct heap *heap, struct process *process, uint32_t sample, bool lives)
{
	if (heap->live[sample] == lives)
		return;
	heap->live[sample] = lives;
	heap->ended[sample] = lives ? 0 : heap->now_ns;
	add_to(heap, &process->live, sample, lives ? 1 : -1);
}

static void take_alloc(struct heap *heap, struct process *process, uint32_t sample)
{
	const struct heap_block *block = block_of(heap, sample);
	uint64_t before;

	if (block->size == HEAP_KEPT) {
		if (map_get(&heap->block, key_of(heap, sample), &before))
			change(heap, process, (uint32_t)before, true);
		return;
	}
	process->samples++;
	if (!block->address) {
		heap->summary->unfollowed++;
		return;
	}
	/* One that is there already has ended unseen: the sample of its end was lost. */
	if (map_get(&heap->block, key_of(heap, sample), &before))
		change(heap, process, (uint32_t)before, false);
	map_set(&heap->block, key_of(heap, sample), sample);
	change(heap, process, sample, true);
}

/* Plays samples up to a place in the order. */
static void play(struct heap *heap, size_t end)
{
	for (size_t i = 0; i < end; i++) {
		uint32_t sample = heap->order[i];
		struct process *process;
		uint64_t before;

		if (block_of(heap, sample)->size == HEAP_GROWN)
			continue; /* of heap_grown.c */
		heap->now_ns = heap->profile->samples.item[sample].time_ns;
		process = process_of(heap, sample);
		if (kind_of(heap, sample) == EVENT_KIND_HEAP_ALLOC)
			take_alloc(heap, process, sample);
		else if (map_get(&heap->block, key_of(heap, sample), &before))
			change(heap, process, (uint32_t)before, false);
		if (process->live.sum > process->peak.sum) {
			process->peak = process->live;
			process->peak_at = i + 1;
		}
	}
}

static void rewind_all(struct heap *heap)
{
	memset(heap->live, 0, heap->samples * sizeof(*heap->live));
	map_done(&heap->block);
	map_done(&heap->process_of);
	heap->block = heap->process_of = (struct map){ 0 };
	heap->process.count = 0;
	heap->summary->unfollowed = 0;
}

static bool is_of_blocks(const struct heap *heap, uint32_t sample)
{
	enum event_kind kind = kind_of(heap, sample);

	return (kind == EVENT_KIND_HEAP_ALLOC || kind == EVENT_KIND_HEAP_FREE) &&
	       heap->profile->samples.item[sample].addr < heap->profile->blocks.count;
}

static void put_in_order(struct heap *heap)
{
	struct profile *profile = heap->profile;

	heap->samples = profile->samples.count;
	heap->order = mem_zalloc((heap->samples + 1) * sizeof(*heap->order));
	heap->live = mem_zalloc((heap->samples + 1) * sizeof(*heap->live));
	heap->owner = mem_zalloc((heap->samples + 1) * sizeof(*heap->owner));
	heap->ended = mem_zalloc((heap->samples + 1) * sizeof(*heap->ended));
	for (uint32_t i = 0; i < profile->samples.count; i++)
		if (is_of_blocks(heap, i))
			heap->order[heap->count++] = i;
	profile_order_by_time(profile, heap->order, heap->count);
}

/* The library of a sample is where its leaf is; [unknown] is none. */
static uint32_t module_of(const struct profile *profile, stack_id stack)
{
	return profile->frames.item[profile->nodes.item[stack.v].frame.v].module;
}

/* The stack without the library's functions at its leaf. */
static stack_id caller_of(const struct profile *profile, stack_id stack)
{
	uint32_t library = stack.v ? module_of(profile, stack) : 0;

	while (library && stack.v && module_of(profile, stack) == library)
		stack = profile->nodes.item[stack.v].parent;
	return stack;
}

static void trim_stacks(struct heap *heap)
{
	struct profile *profile = heap->profile;

	for (size_t i = 0; i < heap->count; i++) {
		struct profile_sample *sample = &profile->samples.item[heap->order[i]];

		sample->stack =
			profile_stack_or_unknown(profile, caller_of(profile, sample->stack));
	}
}

/* The live blocks' samples, as samples of another event, if there are any. */
static void add_live(struct heap *heap, const char *event)
{
	struct profile *profile = heap->profile;
	VEC(struct profile_sample) added = { 0 };
	uint16_t number = 0;

	for (size_t i = 0; i < heap->count; i++) {
		struct profile_sample sample = profile->samples.item[heap->order[i]];

		if (!heap->live[heap->order[i]])
			continue;
		if (!added.count)
			number = profile_event(profile, event, "bytes");
		sample.event = number;
		vec_push(&added, sample);
	}
	profile_add_all(profile, added.item, added.count);
	vec_done(&added);
}

/* Of all blocks, or of those that are live. */
static void add_counts(struct heap *heap, const char *event, bool live)
{
	struct profile *profile = heap->profile;
	uint16_t number = profile_event(profile, event, "count");
	uint32_t scale = profile_event_scale(profile, number, heap->rate ? COUNT_SCALE : 1);
	VEC(struct profile_sample) added = { 0 };

	for (size_t i = 0; i < heap->count; i++) {
		uint32_t place = heap->order[i];
		struct profile_sample sample = profile->samples.item[place];

		if (kind_of(heap, place) != EVENT_KIND_HEAP_ALLOC ||
		    block_of(heap, place)->size == HEAP_KEPT || (live && !heap->live[place]))
			continue;
		sample.event = number;
		sample.weight = (uint64_t)llround(blocks_of(heap, place) * scale);
		vec_push(&added, sample);
	}
	profile_add_all(profile, added.item, added.count);
	vec_done(&added);
}

/* Samples that have done their duty. */
static void remove_ends(struct profile *profile)
{
	size_t kept = 0;

	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *sample = &profile->samples.item[i];
		struct profile_event *event = &profile->events.item[sample->event];

		if (event->kind != EVENT_KIND_HEAP_FREE &&
		    profile->blocks.item[sample->addr].size != HEAP_KEPT) {
			profile->samples.item[kept++] = *sample;
			continue;
		}
		event->samples -= sample->count;
		event->weight -= sample->weight;
		event->squares -= sample_squares(sample);
		event->stop[sample->stop] -= sample->count;
	}
	profile->samples.count = kept;
}

static void sum_allocations(struct heap *heap)
{
	for (size_t i = 0; i < heap->count; i++) {
		uint32_t sample = heap->order[i];

		if (kind_of(heap, sample) != EVENT_KIND_HEAP_ALLOC ||
		    block_of(heap, sample)->size == HEAP_KEPT)
			continue;
		heap->summary->samples++;
		add_to(heap, &heap->allocated, sample, 1);
		tally_add(&heap->allocations, 1, blocks_of(heap, sample), 1);
	}
}

/* The process with the highest peak; none: an empty one. */
static size_t highest(const struct heap *heap)
{
	size_t ret = 0;

	for (size_t i = 1; i < heap->process.count; i++)
		if (heap->process.item[i].peak.sum > heap->process.item[ret].peak.sum)
			ret = i;
	return ret;
}

/* Leaves only blocks of one process alive. */
static void only_of(struct heap *heap, size_t process)
{
	for (size_t i = 0; i < heap->count; i++)
		if (heap->owner[heap->order[i]] != process)
			heap->live[heap->order[i]] = false;
}

static void collect_lives(struct heap *heap)
{
	struct heap_lives *lives = &heap->summary->lives;

	for (size_t i = 0; i < heap->process.count; i++)
		vec_push(&lives->process, ((struct heap_process){ heap->process.item[i].pid,
								  heap->process.item[i].first_ns,
								  heap->process.item[i].last_ns }));
	for (size_t i = 0; i < heap->count; i++) {
		uint32_t at = heap->order[i];
		const struct profile_sample *sample = &heap->profile->samples.item[at];
		const struct heap_block *block = block_of(heap, at);

		if (kind_of(heap, at) != EVENT_KIND_HEAP_ALLOC || block->size == HEAP_KEPT ||
		    !block->address)
			continue;
		vec_push(&heap->lived, at);
		vec_push(&lives->life, ((struct heap_life){ .stack = sample->stack,
							    .stop = (enum stack_stop)sample->stop,
							    .process = heap->owner[at],
							    .address = block->address,
							    .size = (double)block->size,
							    .blocks = blocks_of(heap, at),
							    .begin_ns = sample->time_ns,
							    .end_ns = heap->ended[at] }));
	}
}

static void choose_leaked(struct heap *heap)
{
	const struct heap_lives *lives = &heap->summary->lives;
	struct heap_holders holders;
	struct map grows = { 0 };
	uint64_t ignored;

	heap_holders_collect(lives, &holders);
	for (size_t i = 0; i < holders.held.count; i++)
		if (holders.held.item[i].growth.low > 0)
			map_set(&grows, holders.held.item[i].stack.v, 1);
	for (size_t i = 0; i < lives->life.count; i++)
		heap->live[heap->lived.item[i]] =
			heap_is_held(lives, &lives->life.item[i]) &&
			map_get(&grows, lives->life.item[i].stack.v, &ignored);
	map_done(&grows);
	heap_holders_done(&holders);
}

static void choose_temporary(struct heap *heap)
{
	const struct heap_lives *lives = &heap->summary->lives;

	for (size_t i = 0; i < lives->life.count; i++) {
		const struct heap_life *life = &lives->life.item[i];

		heap->live[heap->lived.item[i]] = life->end_ns &&
						  life->end_ns - life->begin_ns < HEAP_TEMPORARY_NS;
	}
}

/* Events of some of the blocks, whenever they lived. */
static void add_choices(struct heap *heap)
{
	memset(heap->live, 0, heap->samples * sizeof(*heap->live));
	choose_leaked(heap);
	add_live(heap, HEAP_LEAKED_EVENT);
	choose_temporary(heap);
	add_live(heap, HEAP_TEMPORARY_EVENT);
}

/* The end first, as it tells when the peak was. */
static void follow_blocks(struct heap *heap)
{
	struct heap_summary *summary = heap->summary;
	struct tally live = { 0 };
	uint64_t unfollowed;
	size_t at, end;

	play(heap, heap->count);
	collect_lives(heap);
	unfollowed = summary->unfollowed;
	for (size_t i = 0; i < heap->process.count; i++) {
		summary->processes += heap->process.item[i].samples > 0;
		live.sum += heap->process.item[i].live.sum;
		live.variance += heap->process.item[i].live.variance;
		live.third += heap->process.item[i].live.third;
	}
	summary->live = estimate(&live, (double)heap->rate);
	add_live(heap, HEAP_LIVE_EVENT);
	add_counts(heap, HEAP_LIVE_COUNT_EVENT, true);
	if (!heap->process.count)
		return;
	at = highest(heap);
	end = heap->process.item[at].peak_at;
	summary->peak = estimate(&heap->process.item[at].peak, (double)heap->rate);
	summary->peak_pid = heap->process.item[at].pid;
	if (end)
		summary->peak_ns = heap->profile->samples.item[heap->order[end - 1]].time_ns -
				   heap->profile->samples.item[heap->order[0]].time_ns;
	rewind_all(heap);
	play(heap, end);
	only_of(heap, at);
	add_live(heap, HEAP_PEAK_EVENT);
	summary->unfollowed = unfollowed;
}

void heap_summary_done(struct heap_summary *summary)
{
	heap_lives_done(&summary->lives);
	heap_grown_done(&summary->grown);
}

void heap_take_sums(const struct profile *profile, struct heap_summary *ret)
{
	*ret = (struct heap_summary){ .processes = 1, .peak_ns = UINT64_MAX };
	for (size_t i = 0; i < profile->events.count; i++) {
		const struct profile_event *event = &profile->events.item[i];
		double sum = (double)event->weight / (event->scale ? event->scale : 1);
		struct heap_estimate exact = { sum, sum, sum };

		if (event->kind == EVENT_KIND_HEAP_ALLOC)
			ret->allocated = exact;
		else if (event->kind == EVENT_KIND_HEAP_COUNT)
			ret->allocations = exact;
		else if (event->kind == EVENT_KIND_HEAP_LIVE)
			ret->live = exact;
		else if (event->kind == EVENT_KIND_HEAP_PEAK)
			ret->peak = exact;
	}
	ret->samples = (uint64_t)ret->allocations.value;
}

static void sum_up(struct profile *profile, uint64_t rate, bool whole, struct heap_summary *ret)
{
	struct heap heap = { .profile = profile, .rate = rate, .summary = ret };

	*ret = (struct heap_summary){ .rate = rate };
	put_in_order(&heap);
	if (!whole)
		trim_stacks(&heap);
	heap_grown_collect(profile, heap.order, heap.count, &ret->grown);
	sum_allocations(&heap);
	ret->allocated = estimate(&heap.allocated, (double)rate);
	ret->allocations = estimate(&heap.allocations, heap.allocations.sum > 0 ? 0 : (double)rate);
	add_counts(&heap, HEAP_COUNT_EVENT, false);
	follow_blocks(&heap);
	add_choices(&heap);
	remove_ends(profile);
	profile_count(profile);
	free(heap.order);
	free(heap.live);
	free(heap.owner);
	free(heap.ended);
	vec_done(&heap.lived);
	map_done(&heap.block);
	map_done(&heap.process_of);
	vec_done(&heap.process);
}

void heap_sum_up(struct profile *profile, uint64_t rate, struct heap_summary *ret)
{
	sum_up(profile, rate, false, ret);
}

void heap_sum_up_whole(struct profile *profile, uint64_t rate, struct heap_summary *ret)
{
	sum_up(profile, rate, true, ret);
}
