/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ledgers over time (see ledger_slices.h). */
#include "profile/ledger/ledger_slices.h"

#include <string.h>

#include "profile/ledger/ledger.h"

#define MOST_WITH_LOCKS 65536 /* ends of waits with a lock */

static struct ledger_track *track_of(struct ledger_slices *slices, uint32_t tid)
{
	bool added;
	uint64_t *index = map_add(&slices->by_tid, tid, &added);

	if (added) {
		struct ledger_track track = { .tid = tid };

		*index = slices->track.count;
		vec_push(&slices->track, track);
	}
	return &slices->track.item[*index];
}

/* Locks are forgotten when there are too many. */
static uint32_t key_of(struct ledger_slices *slices, const struct ledger_edge_key *of)
{
	struct ledger_edge_key copy = *of;
	const struct ledger_edge_key *key = &copy;
	bool added;
	uint64_t *index;

	if (slices->ended_by.count > MOST_WITH_LOCKS)
		copy.lock = 0;
	if (!key->other_tid && key->waker == LEDGER_WAKER_THREAD && !key->device && !key->lock)
		return 0;
	if (!slices->ended_by.count)
		vec_push(&slices->ended_by, (struct ledger_edge_key){ 0 });
	if (slices->ended_by.count > LEDGER_SLICES_MAX)
		return 0;
	index = map_add(&slices->by_key, hash_bytes(key, sizeof(*key)), &added);
	if (added) {
		*index = slices->ended_by.count;
		vec_push(&slices->ended_by, *key);
	}
	return (uint32_t)*index;
}

/* The number of slices from this one on that follow each other without a gap and end within
 * span_ns. Slices that share their time count together. */
static size_t run_length(const struct ledger_track *track, size_t from, uint64_t span_ns)
{
	const struct ledger_slice *slice = track->slice.item;
	size_t i = from;

	while (i < track->slice.count && slice[i].end_ns - slice[from].start_ns <= span_ns &&
	       (i == from || slice[i].start_ns == slice[i - 1].end_ns ||
		slice[i].start_ns == slice[i - 1].start_ns))
		i++;
	return i - from;
}

/* Merges a run into a slice for each account, at *to, which is not after it. */
static size_t put_together(const struct ledger_slice *run, size_t count, struct ledger_slice *to)
{
	uint64_t ns[LEDGER_ACCOUNTS] = { 0 };
	struct ledger_slice whole = { .start_ns = run->start_ns, .end_ns = run[count - 1].end_ns };
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		ns[run[i].account] += run[i].ns;
	for (uint32_t account = 0; account < LEDGER_ACCOUNTS; account++) {
		if (!ns[account])
			continue;
		whole.account = account;
		whole.ns = ns[account];
		to[used++] = whole;
	}
	return used;
}

static size_t accounts_of(const struct ledger_slice *run, size_t count)
{
	uint32_t seen = 0;

	for (size_t i = 0; i < count; i++)
		seen |= run[i].ns ? 1u << run[i].account : 0;
	return (size_t)__builtin_popcount(seen);
}

static void coarsen_track(struct ledger_track *track, uint64_t span_ns)
{
	struct ledger_slice *slice = track->slice.item;
	size_t used = 0;

	for (size_t i = 0; i < track->slice.count;) {
		size_t count = run_length(track, i, span_ns);

		if (count > accounts_of(&slice[i], count)) {
			used += put_together(&slice[i], count, &slice[used]);
			i += count;
			continue;
		}
		count = count ? count : 1;
		memmove(&slice[used], &slice[i], count * sizeof(*slice));
		used += count;
		i += count;
	}
	track->slice.count = used;
	vec_trim(&track->slice);
}

/* A power of two that is several times the length of most slices. */
static uint64_t promising_span(const struct ledger_slices *slices)
{
	size_t by_log2[64] = { 0 }, sum = 0;
	unsigned int log2 = 0;

	for (size_t i = 0; i < slices->track.count; i++) {
		const struct ledger_track *track = &slices->track.item[i];

		for (size_t j = 0; j < track->slice.count; j++)
			by_log2[63 - __builtin_clzll(track->slice.item[j].ns)]++;
	}
	while (log2 < 60 && (sum += by_log2[log2]) < slices->count / 8 * 5)
		log2++;
	return 4ull << log2;
}

/* Repeats with longer spans until half of the slices are merged. */
static void coarsen(struct ledger_slices *slices)
{
	uint64_t promising_ns = promising_span(slices);

	while (slices->count > LEDGER_SLICES_MAX / 2 && slices->together_ns < UINT64_MAX / 4) {
		slices->together_ns *= 2;
		if (slices->together_ns < promising_ns)
			slices->together_ns = promising_ns;
		slices->count = 0;
		for (size_t i = 0; i < slices->track.count; i++) {
			coarsen_track(&slices->track.item[i], slices->together_ns);
			slices->count += slices->track.item[i].slice.count;
		}
	}
}

/* Intervals of a thread come in order, except when two CPUs report at the same time. */
static void insert(struct ledger_track *track, const struct ledger_slice *slice)
{
	struct ledger_slice *item;
	size_t i = track->slice.count;

	vec_push(&track->slice, *slice);
	for (item = track->slice.item; i && item[i - 1].start_ns > slice->start_ns; i--)
		item[i] = item[i - 1];
	item[i] = *slice;
}

void ledger_slices_add(struct ledger_slices *slices, const struct ledger_span *span)
{
	struct ledger_slice slice = { .start_ns = span->start_ns,
				      .end_ns = span->start_ns + span->ns,
				      .ns = span->ns,
				      .account = span->key.account };

	if (slice.account >= LEDGER_ACCOUNTS || !slice.ns)
		return;
	if (slices->count >= LEDGER_SLICES_MAX)
		coarsen(slices);
	slice.ended_by = key_of(slices, &span->key);
	insert(track_of(slices, span->key.waiter_tid), &slice);
	slices->count++;
}

void ledger_slices_finish(struct ledger_slices *slices, const struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->thread.count; i++) {
		const struct ledger_thread *thread = &ledger->thread.item[i];
		struct ledger_span open = { .key = { .waiter_tid = thread->tid,
						     .account = (uint8_t)thread->account },
					    .start_ns = thread->since_ns };

		if (thread->account >= LEDGER_ACCOUNTS || thread->end_ns <= thread->since_ns)
			continue;
		open.ns = thread->end_ns - thread->since_ns;
		ledger_slices_add(slices, &open);
	}
}

/* The first slice of a track that begins at start_ns or later. */
static size_t first_from(const struct ledger_track *track, uint64_t start_ns)
{
	size_t low = 0, high = track->slice.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (track->slice.item[middle].start_ns < start_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct ledger_slice *ledger_slices_of(const struct ledger_slices *slices,
					    const struct ledger_thread *thread, size_t *ret)
{
	const struct ledger_track *track;
	uint64_t index;
	size_t first;

	*ret = 0;
	if (!map_get(&slices->by_tid, thread->tid, &index))
		return NULL;
	track = &slices->track.item[index];
	first = first_from(track, thread->born_ns);
	*ret = first_from(track, thread->end_ns) - first;
	return *ret ? &track->slice.item[first] : NULL;
}

void ledger_slices_done(struct ledger_slices *slices)
{
	for (size_t i = 0; i < slices->track.count; i++)
		vec_done(&slices->track.item[i].slice);
	vec_done(&slices->track);
	vec_done(&slices->ended_by);
	map_done(&slices->by_tid);
	map_done(&slices->by_key);
}
