/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks and who waited for them (see lock_table.h). */
#include "profile/lock/lock_table.h"

#include <stdlib.h>
#include <string.h>

#include "profile/lock/lock_place.h"
#include "profile/lock/lock_samples.h"

#define NANOSECONDS_OF_BUCKET(units) ((uint64_t)(units) << LOCK_BUCKET_SHIFT)
#define MAX_LINKS		     64 /* of a cycle */

void lock_sum_add(struct lock_sum *sum, uint64_t ns)
{
	uint64_t units = ns >> LOCK_BUCKET_SHIFT;
	unsigned log2 = units ? 63 - (unsigned)__builtin_clzll(units) : 0;
	unsigned bucket = log2 ? 2 * log2 - 1 + (units >> (log2 - 1) & 1) : 0;

	sum->bucket[bucket < LOCK_BUCKETS ? bucket : LOCK_BUCKETS - 1]++;
	sum->ns += ns;
	sum->count++;
	if (ns > sum->max_ns)
		sum->max_ns = ns;
}

/* Where a bucket begins. */
static uint64_t bucket_start(unsigned bucket)
{
	unsigned log2 = (bucket + 1) / 2;

	if (!bucket)
		return 0;
	return NANOSECONDS_OF_BUCKET((1ull << log2) + (bucket & 1 ? 0 : 1ull << (log2 - 1)));
}

uint64_t lock_percentile(const struct lock_sum *sum, double share)
{
	double wanted = share * (double)sum->count, before = 0;

	if (sum->count == 1)
		return sum->ns;
	for (unsigned i = 0; i < LOCK_BUCKETS; i++) {
		double here = sum->bucket[i], part;
		uint64_t ns;

		if (!sum->bucket[i] || before + here < wanted) {
			before += here;
			continue;
		}
		part = (wanted - before) / here;
		ns = bucket_start(i) +
		     (uint64_t)(part * (double)(bucket_start(i + 1) - bucket_start(i)));
		return ns < sum->max_ns ? ns : sum->max_ns;
	}
	return sum->max_ns;
}

static void merge_sum(struct lock_sum *sum, const struct lock_sum *more)
{
	if (!sum->first_ns || more->first_ns < sum->first_ns)
		sum->first_ns = more->first_ns;
	if (more->last_ns > sum->last_ns)
		sum->last_ns = more->last_ns;
	if (more->max_ns > sum->max_ns)
		sum->max_ns = more->max_ns;
	sum->ns += more->ns;
	sum->count += more->count;
	sum->delay_ns += more->delay_ns;
	sum->again += more->again;
	sum->together += more->together;
	sum->handed_ns += more->handed_ns;
	for (unsigned i = 0; i < LEDGER_ACCOUNTS; i++)
		sum->holder_ns[i] += more->holder_ns[i];
	for (unsigned i = 0; i < LOCK_BUCKETS; i++)
		sum->bucket[i] += more->bucket[i];
}

/* The kernel's locks of one place or name are one row: there may be one in each file or process. */
static uint64_t key_of(const struct lock_sum_key *key, string_id place)
{
	if (key->kind != LOCK_KIND_KERNEL)
		return hash_u64(key->lock) ^ hash_u64((uint64_t)key->pid << 32 | 1);
	return hash_u64((uint64_t)place.v << 32 | key->kernel_flags << 8 |
			(key->flags & (LOCK_MMAP | LOCK_SIGNALS)));
}

static string_id name_of_place(struct profile *profile, stack_id stack)
{
	stack_id place = lock_place(profile, stack);

	if (!place.v)
		place = stack;
	if (!place.v)
		return STRING_EMPTY;
	return profile->frames.item[profile->nodes.item[place.v].frame.v].function;
}

static struct lock_row *row_of(struct lock_table *table, struct profile *profile,
			       const struct lock_sum_key *key, stack_id stack)
{
	string_id place = name_of_place(profile, stack);
	bool added;
	uint64_t *index = map_add(&table->by_key, key_of(key, place), &added);

	if (added) {
		bool kernel = key->kind == LOCK_KIND_KERNEL;
		const char *known = key->flags & LOCK_MMAP	? "mmap_lock"
				    : key->flags & LOCK_SIGNALS ? "siglock"
								: NULL;

		*index = table->row.count;
		vec_push(&table->row, ((struct lock_row){
					      .address = key->lock,
					      .pid = kernel ? 0 : key->pid,
					      .kind = key->kind,
					      .flags = key->flags,
					      .kernel_flags = key->kernel_flags,
					      .name = known ? strtab_puts(profile->strings, known)
							    : STRING_EMPTY,
					      .place = place,
				      }));
	}
	return &table->row.item[*index];
}

static struct lock_part *find_part(struct lock_part *item, size_t count,
				   const struct lock_part *like)
{
	for (size_t i = 0; i < count; i++)
		if (item[i].thread.v == like->thread.v && item[i].stack.v == like->stack.v &&
		    item[i].relation == like->relation)
			return &item[i];
	return NULL;
}

static void add_part(struct lock_part *part, const struct lock_sum *sum, bool holder)
{
	part->ns += sum->ns;
	part->count += sum->count;
	if (sum->max_ns > part->max_ns)
		part->max_ns = sum->max_ns;
	for (unsigned i = 0; holder && i < LEDGER_ACCOUNTS; i++)
		part->did_ns[i] += sum->holder_ns[i];
}

static void add_hold(struct lock_row *row, const struct lock_wait_data *data,
		     const struct lock_part *keeper)
{
	struct lock_part *part = find_part(row->keeper.item, row->keeper.count, keeper);

	merge_sum(&row->hold, &data->sum);
	if (!part) {
		vec_push(&row->keeper, *keeper);
		part = &row->keeper.item[row->keeper.count - 1];
	}
	add_part(part, &data->sum, false);
}

struct lock_row *lock_table_add(struct lock_table *table, struct profile *profile,
				const struct lock_wait_data *data, const struct lock_part *waiter,
				const struct lock_part *holder)
{
	struct lock_row *row = row_of(table, profile, &data->key, waiter->stack);
	struct lock_part *part;

	if (data->key.relation == LOCK_HOLD) {
		add_hold(row, data, waiter);
		return row;
	}
	if (!row->sum.count && row->place.v == STRING_EMPTY.v)
		row->place = name_of_place(profile, waiter->stack);
	merge_sum(&row->sum, &data->sum);
	/* A lock that was let go at once had no owner when it was looked at. */
	if ((row->kind & LOCK_KIND_BITS) == LOCK_KIND_WORD)
		row->kind = data->key.kind;
	if (data->key.relation == LOCK_TIMED_OUT)
		row->timeouts += data->sum.count;
	if (data->key.flags & LOCK_STANDING)
		row->standing += data->sum.count;
	if (data->key.relation == LOCK_STILL_ON)
		row->open += data->sum.count;
	else if (data->sum.last_ns > row->ended_ns)
		row->ended_ns = data->sum.last_ns;
	part = find_part(row->waiter.item, row->waiter.count, waiter);
	if (!part) {
		vec_push(&row->waiter, *waiter);
		part = &row->waiter.item[row->waiter.count - 1];
	}
	add_part(part, &data->sum, false);
	if (!holder)
		return row;
	part = find_part(row->holder.item, row->holder.count, holder);
	if (!part) {
		vec_push(&row->holder, *holder);
		part = &row->holder.item[row->holder.count - 1];
	}
	add_part(part, &data->sum, true);
	return row;
}

static void add_sample(struct lock_table *table, struct profile *profile,
		       const struct lock_samples *samples, const struct profile_sample *sample)
{
	struct lock_part waiter = { .thread = sample->thread }, holder = { 0 };
	const struct profile_sample *of;
	struct lock_wait_data data;

	if (!lock_words(profile, sample, &data, sizeof(data)))
		return;
	waiter.stack = lock_samples_stack(samples, profile, sample, &data);
	waiter.relation = (enum lock_relation)data.key.relation;
	if (data.key.relation == LOCK_HOLD && !data.key.stack)
		waiter.stack = STACK_EMPTY;
	waiter.since_ns = data.sum.first_ns;
	of = lock_samples_holder(samples, profile, &data);
	if (of) {
		holder.thread = of->thread;
		holder.relation = (enum lock_relation)data.key.relation;
		holder.stack = lock_samples_holder_stack(samples, profile, of, &data);
	}
	(void)lock_table_add(table, profile, &data, &waiter, of ? &holder : NULL);
}

void lock_table_fill(struct lock_table *table, struct profile *profile)
{
	struct lock_samples samples = { 0 };

	lock_samples_list(&samples, profile);
	for (size_t i = 0; i < profile->samples.count; i++)
		if (lock_sample_is(profile, &profile->samples.item[i], EVENT_KIND_LOCK_WAIT))
			add_sample(table, profile, &samples, &profile->samples.item[i]);
	lock_samples_done(&samples);
	lock_table_finish(table, profile);
}

static int by_time(const void *a, const void *b)
{
	const struct lock_row *one = a, *other = b;

	if (one->sum.ns != other->sum.ns)
		return one->sum.ns < other->sum.ns ? 1 : -1;
	if (one->hold.ns != other->hold.ns)
		return one->hold.ns < other->hold.ns ? 1 : -1;
	return one->address < other->address ? -1 : one->address > other->address;
}

static int by_part(const void *a, const void *b)
{
	const struct lock_part *one = a, *other = b;

	if (one->ns != other->ns)
		return one->ns < other->ns ? 1 : -1;
	return one->thread.v < other->thread.v ? -1 : one->thread.v > other->thread.v;
}

/* A wait that is on, and who holds the lock. */
struct open_link {
	struct lock_link link;
	uint32_t holder;
	bool seen;
};

struct open_links {
	VEC(struct open_link) item;
	struct map by_waiter;
};

static uint32_t tid_of(const struct profile *profile, thread_id thread)
{
	return thread.v == PROFILE_NO_ID ? 0 : profile->threads.item[thread.v].tid;
}

/* Each thread has one wait that is on; its holder is the part with the same row. A thread that lets
 * a lock go for which others wait wakes one of them: after that the owner may be another one. */
static void list_open(const struct lock_table *table, const struct profile *profile,
		      struct open_links *ret)
{
	for (size_t r = 0; r < table->row.count; r++) {
		const struct lock_row *row = &table->row.item[r];
		uint32_t holder = 0;

		for (size_t i = 0; i < row->holder.count; i++)
			if (row->holder.item[i].relation == LOCK_STILL_ON)
				holder = tid_of(profile, row->holder.item[i].thread);
		for (size_t i = 0; holder && i < row->waiter.count; i++) {
			const struct lock_part *part = &row->waiter.item[i];
			uint32_t tid = tid_of(profile, part->thread);

			if (part->relation != LOCK_STILL_ON || row->ended_ns > part->since_ns)
				continue;
			map_set(&ret->by_waiter, tid, ret->item.count);
			vec_push(&ret->item,
				 ((struct open_link){
					 { tid, r, part->thread, part->stack }, holder, false }));
		}
	}
}

/* Follows holders from one waiter; back at it, it is a cycle. */
static void follow(struct lock_table *table, struct open_links *open, size_t first)
{
	struct lock_cycle cycle = { 0 };
	size_t at = first;

	for (unsigned i = 0; i < MAX_LINKS; i++) {
		struct open_link *link = &open->item.item[at];
		uint64_t next;

		vec_push(&cycle.link, link->link);
		if (!map_get(&open->by_waiter, link->holder, &next))
			break;
		if (next == first) {
			for (size_t k = 0; k < cycle.link.count; k++) {
				uint64_t place;

				if (map_get(&open->by_waiter, cycle.link.item[k].waiter, &place))
					open->item.item[place].seen = true;
			}
			vec_push(&table->cycle, cycle);
			return;
		}
		at = (size_t)next;
	}
	vec_done(&cycle.link);
}

void lock_table_finish(struct lock_table *table, const struct profile *profile)
{
	struct open_links open = { 0 };

	if (table->row.count)
		qsort(table->row.item, table->row.count, sizeof(*table->row.item), by_time);
	for (size_t i = 0; i < table->row.count; i++) {
		struct lock_row *row = &table->row.item[i];

		if (row->waiter.count)
			qsort(row->waiter.item, row->waiter.count, sizeof(*row->waiter.item),
			      by_part);
		if (row->holder.count)
			qsort(row->holder.item, row->holder.count, sizeof(*row->holder.item),
			      by_part);
		if (row->keeper.count)
			qsort(row->keeper.item, row->keeper.count, sizeof(*row->keeper.item),
			      by_part);
	}
	list_open(table, profile, &open);
	for (size_t i = 0; i < open.item.count; i++)
		if (!open.item.item[i].seen)
			follow(table, &open, i);
	vec_done(&open.item);
	map_done(&open.by_waiter);
}

void lock_table_done(struct lock_table *table)
{
	for (size_t i = 0; i < table->row.count; i++) {
		vec_done(&table->row.item[i].waiter);
		vec_done(&table->row.item[i].holder);
		vec_done(&table->row.item[i].keeper);
	}
	for (size_t i = 0; i < table->cycle.count; i++)
		vec_done(&table->cycle.item[i].link);
	vec_done(&table->row);
	vec_done(&table->cycle);
	map_done(&table->by_key);
}

const char *lock_kind_name(const struct lock_row *row)
{
	static const char *const names[LOCK_KINDS] = {
		[LOCK_KIND_WORD] = "futex lock",     [LOCK_KIND_MUTEX] = "mutex",
		[LOCK_KIND_PI] = "PI mutex",	     [LOCK_KIND_ROBUST] = "robust mutex",
		[LOCK_KIND_RWLOCK_READ] = "rwlock",  [LOCK_KIND_RWLOCK_WRITE] = "rwlock",
		[LOCK_KIND_CONDITION] = "condition", [LOCK_KIND_BARRIER] = "barrier",
		[LOCK_KIND_SEMAPHORE] = "semaphore", [LOCK_KIND_EVENT] = "futex event",
	};
	unsigned kind = row->kind & LOCK_KIND_BITS;

	if (kind == LOCK_KIND_KERNEL || kind >= LOCK_KINDS)
		return lock_kernel_kind(row->kernel_flags);
	if (kind == LOCK_KIND_MUTEX && row->kind & LOCK_RECURSIVE)
		return "recursive mutex";
	return names[kind];
}

bool lock_row_is_event(const struct lock_row *row, const struct profile *profile)
{
	unsigned kind = row->kind & LOCK_KIND_BITS;

	/* Runtimes make locks of such words. */
	if ((kind == LOCK_KIND_CONDITION || kind == LOCK_KIND_EVENT) && row->waiter.count &&
	    lock_runtime_is_lock(profile, row->waiter.item[0].stack))
		return false;
	return kind == LOCK_KIND_CONDITION || kind == LOCK_KIND_BARRIER ||
	       kind == LOCK_KIND_SEMAPHORE || kind == LOCK_KIND_EVENT;
}
