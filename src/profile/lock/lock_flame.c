/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for locks as stacks (see lock_flame.h). A lock's holders share its waiters' time in
 * proportion: sums do not tell which waiter waited for which holder at which place. */
#include "profile/lock/lock_flame.h"

#include <inttypes.h>

#include "base/buf.h"
#include "profile/lock/lock_place.h"
#include "profile/lock/lock_table.h"
#include "profile/profile.h"

static frame_id lock_frame(const struct lock_row *row, struct profile *profile)
{
	const char *name = profile_string(profile, row->name);
	struct frame frame = { .kind = FRAME_SEPARATOR };
	struct buf text = { 0 };

	if (!name[0])
		name = row->kind == LOCK_KIND_KERNEL ? profile_string(profile, row->place) : "";
	if (name[0])
		(void)buf_printf(&text, "[lock %s]", name);
	else
		(void)buf_printf(&text, "[lock %#" PRIx64 "]", row->address);
	frame.function = strtab_intern(profile->strings, text.data, text.len);
	buf_done(&text);
	return profile_frame(profile, &frame);
}

/* The holder's frames, innermost first. */
static stack_id push_holder(struct profile *profile, stack_id base, stack_id holder)
{
	for (holder = lock_place(profile, holder); holder.v;
	     holder = profile->nodes.item[holder.v].parent)
		base = profile_stack_push(profile, base, profile->nodes.item[holder.v].frame);
	return base;
}

static void add_waiter(const struct lock_row *row, const struct lock_part *waiter, frame_id lock,
		       uint16_t event, struct profile *profile)
{
	stack_id place = lock_place(profile, waiter->stack);
	stack_id base = profile_stack_push(profile, place.v ? place : waiter->stack, lock);
	uint64_t left = waiter->ns;

	for (size_t i = 0; i < row->holder.count && row->sum.ns; i++) {
		const struct lock_part *holder = &row->holder.item[i];
		uint64_t ns =
			(uint64_t)((double)waiter->ns * (double)holder->ns / (double)row->sum.ns);
		struct profile_sample sample = { .thread = waiter->thread,
						 .event = event,
						 .cpu = PROFILE_NO_CPU };

		ns = ns < left ? ns : left;
		if (!ns)
			continue;
		left -= ns;
		sample.weight = ns;
		sample.stack = push_holder(profile, base, holder->stack);
		profile_add(profile, &sample);
	}
	if (left)
		profile_add(profile, &(struct profile_sample){ .thread = waiter->thread,
							       .event = event,
							       .cpu = PROFILE_NO_CPU,
							       .weight = left,
							       .stack = base });
}

void lock_flame_make(const struct lock_table *table, struct profile *profile)
{
	uint16_t event =
		profile_event_of_kind(profile, LOCK_FLAME_EVENT, "ns", EVENT_KIND_WAIT_CHAIN);

	profile->samples.count = 0;
	for (size_t i = 0; i < profile->events.count; i++)
		profile->events.item[i].samples = profile->events.item[i].weight = 0;
	profile->events.item[event].measured = true;
	for (size_t r = 0; r < table->row.count; r++) {
		const struct lock_row *row = &table->row.item[r];
		frame_id lock = lock_frame(row, profile);

		for (size_t i = 0; i < row->waiter.count; i++)
			add_waiter(row, &row->waiter.item[i], lock, event, profile);
	}
}
