/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chains of waits (see wait_chains.h). A waker's share of a wait is found by time: its own waits
 * that overlap the wait, the latest first, each with its own waker. Summed waits have no times, so
 * they lead only to their waker. */
#include "profile/waits/wait_chains.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "profile/profile.h"
#include "profile/waits/wakeups.h"

#define LEVELS	   8
#define MAX_LEVELS 32
#define MAX_STEPS  (1u << 23) /* waits looked at; after that chains end at their first waker */
#define NOBODY	   UINT32_MAX

struct wait {
	uint64_t from_ns, to_ns;
	uint32_t tid;
	uint32_t sample, waker; /* indices of samples; NOBODY */
	bool sum;		/* of many waits: has no from_ns */
};

struct span {
	uint64_t from_ns, to_ns;
};

struct chains {
	struct profile *profile;
	struct wait_chains_options options;
	uint16_t event;
	VEC(struct wait) wait; /* by thread, then by time */
	struct map first_of;   /* tid → index of its first wait */
	struct map place_of;   /* thread, stack and stop → index in added */
	VEC(struct profile_sample) added;
	VEC(frame_id) path;
	const struct profile_sample *root; /* the sleeper's, for the current chain */
	uint32_t tid[MAX_LEVELS + 1];	   /* of the chain so far */
	unsigned level;
	size_t steps;
};

static uint32_t tid_of(const struct chains *c, uint32_t sample)
{
	thread_id thread = c->profile->samples.item[sample].thread;

	return thread.v == PROFILE_NO_ID ? 0 : c->profile->threads.item[thread.v].tid;
}

static int by_thread_and_time(const void *a, const void *b)
{
	const struct wait *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->to_ns != y->to_ns)
		return x->to_ns < y->to_ns ? -1 : 1;
	return x->sample < y->sample ? -1 : x->sample > y->sample;
}

/* Assigns wakers to sleepers; returns the number of wakeups. */
static size_t list_waits(struct chains *c)
{
	const struct profile *profile = c->profile;
	struct wakeups wakeups = { 0 };
	size_t count;

	wakeups_list(&wakeups, profile);
	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *sample = &profile->samples.item[i];
		struct wait wait = { .to_ns = sample->time_ns,
				     .tid = tid_of(c, (uint32_t)i),
				     .sample = (uint32_t)i,
				     .waker = NOBODY,
				     .sum = sample->cpu == PROFILE_NO_CPU };

		if (!sample_is_wait(profile, sample))
			continue;
		(void)wakeups_find(&wakeups, sample, &wait.waker);
		wait.from_ns = sample->time_ns > sample->weight ? sample->time_ns - sample->weight
								: 0;
		vec_push(&c->wait, wait);
	}
	count = wakeups.by_moment.count;
	wakeups_done(&wakeups);
	if (c->wait.count)
		qsort(c->wait.item, c->wait.count, sizeof(*c->wait.item), by_thread_and_time);
	for (size_t i = c->wait.count; i--;)
		map_set(&c->first_of, c->wait.item[i].tid, i);
	return count;
}

static void add(struct chains *c, stack_id stack, uint64_t ns)
{
	const uint32_t key[] = { c->root->thread.v, stack.v, c->root->stop };
	uint64_t *place;
	bool added;

	if (!ns)
		return;
	place = map_add(&c->place_of, hash_bytes(key, sizeof(key)), &added);
	if (added) {
		struct profile_sample sample = { .stack = stack,
						 .thread = c->root->thread,
						 .event = c->event,
						 .stop = c->root->stop,
						 .cpu = PROFILE_NO_CPU };

		*place = c->added.count;
		vec_push(&c->added, sample);
	}
	c->added.item[*place].weight += ns;
	c->added.item[*place].count++;
}

/* `more` on top of `stack`, from its leaf to its root or the other way. */
static stack_id push_stack(struct chains *c, stack_id stack, stack_id more, bool leaf_first)
{
	size_t count;

	c->path.count = 0;
	for (; more.v; more = c->profile->nodes.item[more.v].parent)
		vec_push(&c->path, c->profile->nodes.item[more.v].frame);
	count = c->path.count;
	for (size_t i = 0; i < count; i++)
		stack = profile_stack_push(c->profile, stack,
					   c->path.item[leaf_first ? i : count - 1 - i]);
	return stack;
}

/* A frame between two stacks: the relation of a sample's thread, if any, to the stack below. */
static stack_id push_words(struct chains *c, stack_id stack, const char *words, uint32_t sample)
{
	struct frame frame = { .kind = FRAME_SEPARATOR };
	thread_id thread = sample == NOBODY ? (thread_id){ PROFILE_NO_ID }
					    : c->profile->samples.item[sample].thread;
	struct buf text = { 0 };

	(void)buf_puts(&text, words);
	if (thread.v != PROFILE_NO_ID)
		(void)buf_put_tidy(
			&text, profile_string(c->profile, c->profile->threads.item[thread.v].comm));
	if (c->options.with_tids && thread.v != PROFILE_NO_ID)
		(void)buf_printf(&text, "-%u", tid_of(c, sample));
	for (size_t i = 0; i < text.len; i++)
		if (text.data[i] == ';') /* taken in folded lines */
			text.data[i] = ':';
	frame.function = strtab_intern(c->profile->strings, text.data, text.len);
	buf_done(&text);
	return profile_stack_push(c->profile, stack, profile_frame(c->profile, &frame));
}

static bool is_on_chain(const struct chains *c, uint32_t tid)
{
	for (unsigned i = 0; i < c->level; i++)
		if (c->tid[i] == tid)
			return true;
	return false;
}

/* The last wait of the thread that ended at to_ns or before; c->wait.count = none. */
static size_t last_wait(const struct chains *c, uint32_t tid, uint64_t to_ns)
{
	uint64_t first;
	size_t low, high = c->wait.count;

	if (!map_get(&c->first_of, tid, &first))
		return c->wait.count;
	for (low = (size_t)first; low < high;) {
		size_t middle = low + (high - low) / 2;
		const struct wait *wait = &c->wait.item[middle];

		if (wait->tid == tid && wait->to_ns <= to_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low > first ? low - 1 : c->wait.count;
}

static void add_waker(struct chains *c, stack_id stack, const struct wait *wait, struct span span);

/* The waker's activity during the wait: its own waits, and the rest. */
static void divide(struct chains *c, stack_id stack, uint32_t waker, struct span span)
{
	uint32_t tid = tid_of(c, waker);
	uint64_t left_ns = span.to_ns - span.from_ns, upto_ns = span.to_ns;

	for (size_t i = last_wait(c, tid, span.to_ns);
	     i < c->wait.count && c->wait.item[i].tid == tid && c->steps < MAX_STEPS; i--) {
		const struct wait *wait = &c->wait.item[i];
		struct span own = { wait->from_ns, wait->to_ns < upto_ns ? wait->to_ns : upto_ns };
		stack_id above;

		if (wait->to_ns <= span.from_ns)
			break;
		c->steps++;
		own.from_ns = own.from_ns > span.from_ns ? own.from_ns : span.from_ns;
		if (wait->sum || own.to_ns <= own.from_ns)
			continue;
		above = push_words(c, stack, "meanwhile waited: ", waker);
		above = push_stack(c, above, c->profile->samples.item[wait->sample].stack, false);
		add_waker(c, above, wait, own);
		left_ns -= own.to_ns - own.from_ns;
		upto_ns = own.from_ns;
	}
	if (c->steps >= MAX_STEPS)
		stack = push_words(c, stack, "not followed further: ", waker);
	add(c, stack, left_ns);
}

/* The waker on top of the waiting stack, and the waker's activity during the wait. */
static void add_waker(struct chains *c, stack_id stack, const struct wait *wait, struct span span)
{
	uint64_t ns = span.to_ns - span.from_ns;
	uint32_t tid;

	if (wait->waker == NOBODY) {
		add(c, stack, ns);
		return;
	}
	tid = tid_of(c, wait->waker);
	stack = tid ? push_words(c, stack, "woken by ", wait->waker)
		    : push_words(c, stack, "woken by an interrupt", NOBODY);
	stack = push_stack(c, stack, c->profile->samples.item[wait->waker].stack, true);
	if (!tid || wait->sum || c->options.levels == 1) { /* an interrupt, or an unknown time */
		add(c, stack, ns);
	} else if (is_on_chain(c, tid)) {
		add(c, push_words(c, stack, "cycle: again ", wait->waker), ns);
	} else if (c->level >= c->options.levels || c->steps >= MAX_STEPS) {
		add(c, push_words(c, stack, "not followed further: ", wait->waker), ns);
	} else {
		c->tid[c->level++] = tid;
		divide(c, stack, wait->waker, span);
		c->level--;
	}
}

static void add_chains(struct chains *c)
{
	for (size_t i = 0; i < c->wait.count; i++) {
		struct wait *wait = &c->wait.item[i];
		const struct profile_sample *sample = &c->profile->samples.item[wait->sample];
		struct span span = { sample->time_ns - sample->weight, sample->time_ns };

		c->root = sample;
		c->level = 0;
		c->tid[c->level++] = wait->tid;
		add_waker(c, sample->stack, wait, span);
	}
}

size_t wait_chains_add(struct profile *profile, const struct wait_chains_options *options)
{
	struct chains c = { .profile = profile, .options = *options };
	size_t wakeups;

	if (!c.options.levels)
		c.options.levels = LEVELS;
	if (c.options.levels > MAX_LEVELS)
		c.options.levels = MAX_LEVELS;
	c.event = profile_event(profile, WAIT_CHAINS_EVENT, "ns");
	wakeups = list_waits(&c);
	if (wakeups)
		add_chains(&c);
	profile_add_all(profile, c.added.item, c.added.count);
	profile_count(profile);
	vec_done(&c.wait);
	vec_done(&c.added);
	vec_done(&c.path);
	map_done(&c.first_of);
	map_done(&c.place_of);
	return wakeups;
}
