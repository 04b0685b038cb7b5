/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See heap_calls.h. A thread is in one call at a time: the outermost. That its return was lost
 * shows when it enters the same function again, or more others than one call can be made of. */
#include "profile/heap/heap_calls.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "event/heap_block.h"
#include "profile/heap/heap.h"
#include "profile/profile.h"

#define MOST_BYTES  (1ull << 47)
#define MOST_WITHIN 8

static const struct {
	const char *name;
	bool returns;
} calls[] = {
#define X(id, name, values, returns) { name, returns },
	HEAP_CALLS(X)
#undef X
};

/* Of an event. */
struct step {
	bool known, returns;
	enum heap_call call;
};

/* What a thread is in. */
struct inside {
	uint32_t entered; /* sample + 1; 0 = nothing */
	enum heap_call call;
	uint32_t within; /* calls that it has made since */
};

struct player {
	struct profile *profile;
	struct step *step;    /* by event */
	struct map inside_of; /* thread → index */
	VEC(struct inside) inside;
	VEC(struct profile_sample) made;
	uint16_t alloc, free;
};

/* "probe:./app:malloc arg1" */
static struct step step_of(const char *name)
{
	struct step step = { .returns = strncmp(name, "uretprobe:", 10) == 0 };
	const char *end = strchrnul(name, ' '), *colon = memrchr(name, ':', (size_t)(end - name));

	if (!colon || (!step.returns && strncmp(name, "probe:", 6) != 0))
		return step;
	for (size_t i = 0; i < HEAP_CALL_COUNT; i++)
		if (strlen(calls[i].name) == (size_t)(end - colon) - 1 &&
		    memcmp(calls[i].name, colon + 1, (size_t)(end - colon) - 1) == 0) {
			step.known = calls[i].returns || !step.returns;
			step.call = (enum heap_call)i;
		}
	return step;
}

static uint64_t value(const struct player *player, uint32_t number, enum heap_calls_value which)
{
	uint64_t index = player->profile->samples.item[number].addr + which;

	return index < player->profile->values.count ? player->profile->values.item[index] : 0;
}

/* size: 0 of one that ends. */
static void make(struct player *player, uint32_t number, uint64_t address, uint64_t size,
		 bool begins)
{
	struct profile_sample sample = player->profile->samples.item[number];

	if (!address || size > MOST_BYTES)
		return;
	sample.event = begins ? player->alloc : player->free;
	sample.weight = begins ? size : 1;
	sample.addr = player->profile->blocks.count;
	vec_push(&player->profile->blocks, ((struct heap_block){ address, size }));
	vec_push(&player->made, sample);
}

static void come_back(struct player *player, uint32_t entered, enum heap_call call, uint64_t result)
{
	uint64_t first = value(player, entered, HEAP_CALLS_FIRST);
	uint64_t second = value(player, entered, HEAP_CALLS_SECOND), size = first;

	if (call == HEAP_CALL_CALLOC && __builtin_mul_overflow(first, second, &size))
		return;
	if (call == HEAP_CALL_REALLOC || call == HEAP_CALL_MEMALIGN ||
	    call == HEAP_CALL_ALIGNED_ALLOC)
		size = second;
	if (call == HEAP_CALL_REALLOC && (result || !size))
		make(player, entered, first, 0, false);
	make(player, entered, result, size, true);
}

static struct inside *inside_of(struct player *player, uint32_t number)
{
	bool added;
	uint64_t *place =
		map_add(&player->inside_of, player->profile->samples.item[number].thread.v, &added);

	if (added) {
		*place = player->inside.count;
		vec_push(&player->inside, ((struct inside){ 0 }));
	}
	return &player->inside.item[*place];
}

static void play(struct player *player, uint32_t number)
{
	struct step step = player->step[player->profile->samples.item[number].event];
	struct inside *inside;

	if (!step.known)
		return;
	inside = inside_of(player, number);
	if (step.returns) {
		if (inside->entered && inside->call == step.call) {
			come_back(player, inside->entered - 1, step.call,
				  value(player, number, HEAP_CALLS_RESULT));
			inside->entered = 0;
		}
		return;
	}
	if (inside->entered && inside->call != step.call && inside->within++ < MOST_WITHIN)
		return;
	*inside = (struct inside){ 0 };
	if (step.call == HEAP_CALL_FREE)
		make(player, number, value(player, number, HEAP_CALLS_FIRST), 0, false);
	else
		*inside = (struct inside){ .entered = number + 1, .call = step.call };
}

static void play_all(struct player *player)
{
	struct profile *profile = player->profile;
	VEC(uint32_t) order = { 0 };

	player->step = mem_zalloc((profile->events.count + 1) * sizeof(*player->step));
	for (size_t i = 0; i < profile->events.count; i++)
		player->step[i] = step_of(profile_string(profile, profile->events.item[i].name));
	for (uint32_t i = 0; i < profile->samples.count; i++)
		vec_push(&order, i);
	profile_order_by_time(profile, order.item, order.count);
	for (size_t i = 0; i < order.count; i++)
		play(player, order.item[i]);
	vec_done(&order);
	free(player->step);
}

void heap_calls_sum_up(struct profile *profile, struct heap_summary *ret)
{
	struct player player = { .profile = profile };

	player.alloc = profile_event(profile, "heap-alloc", "bytes");
	player.free = profile_event(profile, "heap-free", "count");
	play_all(&player);
	profile_forget_samples(profile);
	profile->keep = (profile->keep & ~(unsigned)PROFILE_ADDR_IS_VALUES) | PROFILE_ADDR_IS_BLOCK;
	profile_add_all(profile, player.made.item, player.made.count);
	heap_sum_up_whole(profile, 0, ret);
	map_done(&player.inside_of);
	vec_done(&player.inside);
	vec_done(&player.made);
}
