/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contention of the kernel's locks (see contention.h). */
#include "profile/lock/contention.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "event/lock_wait.h"
#include "profile/lock/lock_place.h"
#include "profile/lock/lock_samples.h"

#define SPIN_THEN_SLEEP 0x21 /* a mutex: the beginning of one wait is reported twice */

/* A wait that has begun. */
struct begun {
	uint64_t time_ns; /* 0 = it has ended */
	uint32_t flags;
	stack_id stack;
	thread_id thread;
};

struct one_wait {
	uint64_t lock, ns, count, max_ns, min_ns;
	uint32_t flags, owner_tid;
	stack_id stack;
	thread_id thread, owner;
};

static const char *function_of(const struct profile *profile, stack_id stack)
{
	const struct frame *frame = &profile->frames.item[profile->nodes.item[stack.v].frame.v];

	return profile_string(profile, frame->function);
}

/* Whether a comma-separated list has the word, or one that it begins with up to a colon. */
static bool lists(const char *list, const char *word)
{
	while (*list) {
		size_t len = strcspn(list, ",");

		if (strncmp(list, word, len) == 0 && (!word[len] || word[len] == ':'))
			return true;
		list += len + (list[len] == ',');
	}
	return false;
}

static bool lists_address(const char *list, uint64_t address)
{
	while (*list) {
		char *end;

		if (strtoull(list, &end, 16) == address && end != list)
			return true;
		list += strcspn(list, ",");
		list += *list == ',';
	}
	return false;
}

static bool has_function(const struct profile *profile, stack_id stack, const char *list)
{
	for (; stack.v; stack = profile->nodes.item[stack.v].parent)
		if (lists(list, function_of(profile, stack)))
			return true;
	return false;
}

static bool passes(const struct profile *profile, const struct contention_filter *filter,
		   const struct one_wait *wait)
{
	return (!filter->types || lists(filter->types, lock_kernel_kind(wait->flags))) &&
	       (!filter->locks || lists_address(filter->locks, wait->lock)) &&
	       (!filter->functions || has_function(profile, wait->stack, filter->functions));
}

/* "do_wait+0x99". */
static string_id name_of_place(struct profile *profile, stack_id place)
{
	const struct frame *frame;
	struct buf name = { 0 };
	string_id ret;

	if (!place.v)
		return strtab_puts(profile->strings, "Unknown");
	frame = &profile->frames.item[profile->nodes.item[place.v].frame.v];
	(void)buf_puts(&name, profile_string(profile, frame->function));
	if (!name.len)
		(void)buf_printf(&name, "%#" PRIx64, frame->offset);
	else if (frame->symbol_start && frame->offset >= frame->symbol_start)
		(void)buf_printf(&name, "+%#" PRIx64, frame->offset - frame->symbol_start);
	ret = strtab_intern(profile->strings, name.data, name.len);
	buf_done(&name);
	return ret;
}

static string_id comm_of(const struct profile *profile, thread_id thread)
{
	return thread.v == PROFILE_NO_ID ? STRING_EMPTY : profile->threads.item[thread.v].comm;
}

/* Key and name of the row that a wait belongs to. */
static uint64_t identify(const struct contention *contention, struct profile *profile,
			 const struct one_wait *wait, struct contention_row *ret)
{
	ret->stack = wait->stack;
	ret->flags = wait->flags;
	ret->address = wait->lock;
	switch (contention->by) {
	case CONTENTION_BY_THREAD:
		ret->tid = profile->threads.item[wait->thread.v].tid;
		ret->name = comm_of(profile, wait->thread);
		return ret->tid;
	case CONTENTION_BY_OWNER:
		ret->tid = wait->owner_tid;
		ret->name = comm_of(profile, wait->owner);
		return ret->tid;
	case CONTENTION_BY_LOCK:
		return wait->lock;
	case CONTENTION_BY_CALLER:
	case CONTENTION_BY_CGROUP:
		break;
	}
	ret->name = name_of_place(profile, lock_place(profile, wait->stack));
	return hash_u64((uint64_t)ret->name.v << 32 | wait->flags);
}

static void add_to(struct contention *contention, const struct contention_row *like, uint64_t key,
		   const struct one_wait *wait)
{
	bool added;
	uint64_t *index = map_add(&contention->by_key, key, &added);
	struct contention_row *row;

	if (added) {
		*index = contention->row.count;
		vec_push(&contention->row, *like);
	}
	row = &contention->row.item[*index];
	row->name = like->name; /* a thread may get another one */
	if (!row->contended || wait->min_ns < row->min_ns)
		row->min_ns = wait->min_ns;
	if (wait->max_ns > row->max_ns)
		row->max_ns = wait->max_ns;
	row->contended += wait->count;
	row->total_ns += wait->ns;
	contention->contended += wait->count;
	contention->total_ns += wait->ns;
}

static void add(struct contention *contention, struct profile *profile,
		const struct contention_filter *filter, const struct one_wait *wait)
{
	struct contention_row like = { 0 };
	uint64_t key;

	if (!passes(profile, filter, wait))
		return;
	key = identify(contention, profile, wait, &like);
	add_to(contention, &like, key, wait);
}

static uint64_t value(const struct profile *profile, const struct profile_sample *sample,
		      enum contention_value which)
{
	uint64_t index = sample->addr + which;

	return index < profile->values.count ? profile->values.item[index] : 0;
}

/* Without so many functions on top. */
static stack_id skipped(const struct profile *profile, stack_id stack, unsigned skip)
{
	while (skip-- && stack.v && profile->nodes.item[stack.v].parent.v)
		stack = profile->nodes.item[stack.v].parent;
	return stack;
}

struct pairs {
	struct map by_lock; /* thread and lock → index */
	VEC(struct begun) begun;
};

static struct begun *begun_of(struct pairs *pairs, const struct profile_sample *sample,
			      uint64_t lock)
{
	bool added;
	uint64_t *index =
		map_add(&pairs->by_lock, hash_u64(lock) ^ ((uint64_t)sample->thread.v + 1), &added);

	if (added) {
		*index = pairs->begun.count;
		vec_push(&pairs->begun, ((struct begun){ 0 }));
	}
	return &pairs->begun.item[*index];
}

void contention_fill(struct contention *contention, struct profile *profile,
		     const struct contention_filter *filter, unsigned skip)
{
	struct pairs pairs = { 0 };

	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *s = &profile->samples.item[i];
		const char *name = profile_string(profile, profile->events.item[s->event].name);
		uint64_t lock = value(profile, s, CONTENTION_LOCK);
		bool begins = strcmp(name, "lock:contention_begin") == 0;
		struct begun *begun;

		if (!begins && strcmp(name, "lock:contention_end") != 0)
			continue;
		begun = begun_of(&pairs, s, lock);
		if (begins) {
			if (!begun->time_ns)
				*begun = (struct begun){
					s->time_ns, (uint32_t)value(profile, s, CONTENTION_FLAGS),
					skipped(profile, s->stack, skip), s->thread
				};
			continue;
		}
		if (begun->time_ns && s->time_ns >= begun->time_ns) {
			uint64_t ns = s->time_ns - begun->time_ns;

			add(contention, profile, filter,
			    &(struct one_wait){ .lock = lock,
						.ns = ns,
						.count = 1,
						.max_ns = ns,
						.min_ns = ns,
						.flags = begun->flags,
						.stack = begun->stack,
						.thread = begun->thread,
						.owner = { PROFILE_NO_ID } });
		} else {
			contention->bad++;
		}
		begun->time_ns = 0;
	}
	for (size_t i = 0; i < pairs.begun.count; i++)
		contention->bad += pairs.begun.item[i].time_ns != 0;
	map_done(&pairs.by_lock);
	vec_done(&pairs.begun);
}

/* The shortest is not kept: from where the lowest bucket begins. */
static uint64_t least_of(const struct lock_sum *sum)
{
	for (unsigned i = 0; i < LOCK_BUCKETS; i++)
		if (sum->bucket[i])
			return i ? ((1ull << (i + 1) / 2) + (i & 1 ? 0 : 1ull << ((i + 1) / 2 - 1)))
					       << LOCK_BUCKET_SHIFT
				 : 0;
	return 0;
}

static thread_id thread_named(const struct profile *profile, uint32_t tid)
{
	for (size_t i = 0; tid && i < profile->threads.count; i++)
		if (profile->threads.item[i].tid == tid)
			return (thread_id){ (uint32_t)i };
	return (thread_id){ PROFILE_NO_ID };
}

void contention_fill_sums(struct contention *contention, struct profile *profile,
			  const struct contention_filter *filter,
			  string_id (*cgroup_of)(struct profile *profile, uint32_t tid))
{
	struct lock_samples samples = { 0 };

	lock_samples_list(&samples, profile);
	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *s = &profile->samples.item[i];
		struct contention_row like = { 0 };
		struct lock_wait_data data;
		struct one_wait wait;
		uint64_t key;

		if (profile->events.item[s->event].kind != EVENT_KIND_LOCK_WAIT ||
		    !lock_words(profile, s, &data, sizeof(data)) ||
		    data.key.kind != LOCK_KIND_KERNEL ||
		    (data.key.relation == LOCK_HOLD) != filter->holds)
			continue;
		wait = (struct one_wait){ .lock = data.key.lock,
					  .ns = data.sum.ns,
					  .count = data.sum.count,
					  .max_ns = data.sum.max_ns,
					  .min_ns = least_of(&data.sum),
					  .flags = data.key.kernel_flags & SPIN_THEN_SLEEP &&
								   data.key.kernel_flags & 0x20
							   ? 0x20
							   : data.key.kernel_flags,
					  .owner_tid = data.key.holder_tid,
					  .stack = lock_samples_stack(&samples, profile, s, &data),
					  .thread = s->thread,
					  .owner = thread_named(profile, data.key.holder_tid) };
		if (!passes(profile, filter, &wait) ||
		    (contention->by == CONTENTION_BY_OWNER && !wait.owner_tid))
			continue;
		key = identify(contention, profile, &wait, &like);
		if (contention->by == CONTENTION_BY_CGROUP) {
			like.name = cgroup_of(profile, data.key.tid);
			key = like.name.v;
		}
		add_to(contention, &like, key, &wait);
	}
	lock_samples_done(&samples);
}

static double rank(const struct contention_row *row, enum contention_order order)
{
	switch (order) {
	case CONTENTION_CONTENDED:
		return (double)row->contended;
	case CONTENTION_WAIT_MAX:
		return (double)row->max_ns;
	case CONTENTION_WAIT_MIN:
		return (double)row->min_ns;
	case CONTENTION_AVG_WAIT:
		return (double)row->total_ns / (double)row->contended;
	case CONTENTION_WAIT_TOTAL:
		break;
	}
	return (double)row->total_ns;
}

static int compare(const void *a, const void *b, void *order)
{
	double one = rank(a, *(enum contention_order *)order);
	double other = rank(b, *(enum contention_order *)order);

	return one < other ? 1 : one > other ? -1 : 0;
}

void contention_sort(struct contention *contention, enum contention_order order)
{
	if (contention->row.count)
		qsort_r(contention->row.item, contention->row.count, sizeof(*contention->row.item),
			compare, &order);
}

void contention_done(struct contention *contention)
{
	vec_done(&contention->row);
	map_done(&contention->by_key);
}
