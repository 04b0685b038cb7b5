/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ledgers over time (see ledger_bins.h). */
#include "profile/ledger/ledger_bins.h"

#include <string.h>

#include "profile/ledger/ledger.h"

typedef VEC(struct ledger_part) part_list;

void ledger_bins_start(struct ledger_bins *bins, uint64_t start_ns, uint64_t interval_ns)
{
	*bins = (struct ledger_bins){ .start_ns = start_ns, .interval_ns = interval_ns };
}

uint64_t ledger_bins_from(const struct ledger_bins *bins, uint32_t bin)
{
	return bin ? bins->end_ns.item[bin - 1] : bins->start_ns;
}

static uint64_t length(const struct ledger_bins *bins, uint32_t first, uint32_t last)
{
	return bins->end_ns.item[last] - ledger_bins_from(bins, first);
}

static bool is_full(const struct ledger_bins *bins, const struct ledger_part *part)
{
	return part->ns == length(bins, part->first, part->last);
}

/* Adds a part to those of its bin, or to the run before it. */
static void add_part(const struct ledger_bins *bins, struct ledger_lane *lane,
		     const struct ledger_part *part)
{
	struct ledger_part *last = lane->part.count ? vec_last(&lane->part) : NULL;

	for (size_t i = lane->part.count; i-- && lane->part.item[i].last >= part->first;) {
		struct ledger_part *other = &lane->part.item[i];

		if (other->account == part->account && other->first == part->first &&
		    part->first == part->last) {
			other->ns += part->ns;
			return;
		}
	}
	if (last && last->account == part->account && last->last + 1 == part->first &&
	    is_full(bins, last) && is_full(bins, part)) {
		last->last = part->last;
		last->ns += part->ns;
		return;
	}
	vec_push(&lane->part, *part);
}

/* A run of bins, in bins of double length: its ends may be half of theirs. */
static void add_halved(const struct ledger_bins *bins, struct ledger_lane *lane,
		       const struct ledger_part *part, const uint64_t *old_end)
{
	struct ledger_part one = *part, rest = *part;

	if (part->first == part->last) {
		one.first = one.last = part->first / 2;
		add_part(bins, lane, &one);
		return;
	}
	if (part->first % 2) {
		one.first = one.last = part->first / 2;
		one.ns = old_end[part->first] - old_end[part->first - 1];
		add_part(bins, lane, &one);
		rest.first++;
		rest.ns -= one.ns;
	}
	one.ns = part->last % 2 ? 0 : old_end[part->last] - old_end[part->last - 1];
	rest.ns -= one.ns;
	if (rest.ns) {
		rest.last = (part->last % 2 ? part->last : part->last - 1) / 2;
		rest.first /= 2;
		add_part(bins, lane, &rest);
	}
	if (one.ns) {
		one.first = one.last = part->last / 2;
		add_part(bins, lane, &one);
	}
}

static void halve(struct ledger_bins *bins)
{
	size_t old_count = bins->end_ns.count;
	uint64_t *old_end = mem_alloc(old_count * sizeof(*old_end));

	memcpy(old_end, bins->end_ns.item, old_count * sizeof(*old_end));
	for (size_t i = 0; i < old_count / 2; i++)
		bins->end_ns.item[i] = old_end[2 * i + 1];
	bins->end_ns.count = old_count / 2;
	bins->interval_ns *= 2;
	for (size_t i = 0; i < bins->lane.count; i++) {
		struct ledger_lane *lane = &bins->lane.item[i];
		part_list old = { lane->part.item, lane->part.count, lane->part.capacity };

		memset(&lane->part, 0, sizeof(lane->part));
		for (size_t j = 0; j < old.count; j++)
			add_halved(bins, lane, &old.item[j], old_end);
		vec_done(&old);
	}
	free(old_end);
}

static struct ledger_lane *lane_of(struct ledger_bins *bins, const struct ledger_thread *thread)
{
	const uint64_t key[] = { thread->tid, thread->born_ns };
	bool added;
	uint64_t *index = map_add(&bins->by_thread, hash_bytes(key, sizeof(key)), &added);
	struct ledger_lane *lane;

	if (added) {
		struct ledger_lane fresh = { .tid = thread->tid, .tgid = thread->tgid };

		*index = bins->lane.count;
		vec_push(&bins->lane, fresh);
	}
	lane = &bins->lane.item[*index];
	memcpy(lane->comm, thread->comm, sizeof(thread->comm)); /* it may have got another name */
	return lane;
}

/* What was booked since the last look goes to the newest bin. A ledger that is read while it is
 * written may be ahead for a moment; the next look makes up for it. */
static void look_at(struct ledger_bins *bins, const struct ledger_thread *thread, uint64_t now_ns)
{
	struct ledger_lane *lane = lane_of(bins, thread);
	uint32_t bin = (uint32_t)bins->end_ns.count - 1;
	uint64_t room_ns = length(bins, bin, bin);

	for (uint32_t i = 0; i < LEDGER_ACCOUNTS; i++) {
		uint64_t booked_ns = thread->cell[i].ns;
		struct ledger_part part = { .first = bin, .last = bin, .account = i };

		if (!thread->end_ns && thread->account == i && now_ns > thread->since_ns)
			booked_ns += now_ns - thread->since_ns;
		if (booked_ns <= lane->booked_ns[i])
			continue;
		part.ns = booked_ns - lane->booked_ns[i];
		if (part.ns > room_ns)
			part.ns = room_ns;
		if (!part.ns)
			continue;
		room_ns -= part.ns;
		lane->booked_ns[i] += part.ns;
		add_part(bins, lane, &part);
	}
}

static bool open_bin(struct ledger_bins *bins, uint64_t now_ns)
{
	if (bins->end_ns.count == LEDGER_BINS_MAX)
		halve(bins);
	if (now_ns <= ledger_bins_from(bins, (uint32_t)bins->end_ns.count))
		return false;
	vec_push(&bins->end_ns, now_ns);
	return true;
}

void ledger_bins_look(struct ledger_bins *bins, const struct ledger *ledger)
{
	if (!open_bin(bins, ledger->end_ns))
		return;
	for (size_t i = bins->ended; i < ledger->thread.count; i++) {
		look_at(bins, &ledger->thread.item[i], ledger->end_ns);
		if (ledger->thread.item[i].end_ns && i == bins->ended)
			bins->ended++;
	}
}

void ledger_bins_finish(struct ledger_bins *bins, const struct ledger *ledger)
{
	if (!open_bin(bins, ledger->end_ns))
		return;
	for (size_t i = 0; i < ledger->thread.count; i++)
		look_at(bins, &ledger->thread.item[i], ledger->end_ns);
}

void ledger_bins_done(struct ledger_bins *bins)
{
	for (size_t i = 0; i < bins->lane.count; i++)
		vec_done(&bins->lane.item[i].part);
	vec_done(&bins->lane);
	vec_done(&bins->end_ns);
	map_done(&bins->by_thread);
}
