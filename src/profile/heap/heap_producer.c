/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See heap_producer.h. What the probes say is the program's, so none of it is believed: sizes above
 * those that an address space has are left out, and a weight is the size at least. */
#include "profile/heap/heap_producer.h"

#include <string.h>

#include "event/heap_block.h"
#include "profile/heap/heap.h"
#include "profile/profile.h"

#define PROVIDER   ":otel_memory:"
#define MOST_BYTES (1ull << 47)

enum step { STEP_NONE, STEP_ALLOC, STEP_FREE };

/* "usdt:/lib/libx.so:otel_memory:alloc arg1 arg2 arg3" */
static enum step step_of(const struct profile *profile, uint16_t event)
{
	const char *name = profile_string(profile, profile->events.item[event].name);
	const char *place = strstr(name, PROVIDER);

	if (strncmp(name, "usdt:", 5) != 0 || !place)
		return STEP_NONE;
	place += strlen(PROVIDER);
	return strcmp(place, "alloc") == 0 || strncmp(place, "alloc ", 6) == 0 ? STEP_ALLOC
	       : strcmp(place, "free") == 0 || strncmp(place, "free ", 5) == 0 ? STEP_FREE
									       : STEP_NONE;
}

static uint64_t value(const struct profile *profile, const struct profile_sample *sample,
		      enum heap_producer_value which)
{
	uint64_t index = sample->addr + which;

	return index < profile->values.count ? profile->values.item[index] : 0;
}

/* Whether there is a block of it. */
static bool make(struct profile *profile, struct profile_sample *sample, enum step step)
{
	struct heap_block block = { .address = value(profile, sample, HEAP_PRODUCER_ADDRESS) };
	uint64_t weight = 1;

	if (step == STEP_ALLOC) {
		block.size = value(profile, sample, HEAP_PRODUCER_SIZE);
		weight = value(profile, sample, HEAP_PRODUCER_WEIGHT);
		if (block.size > MOST_BYTES || weight > MOST_BYTES)
			return false;
		weight = weight > block.size ? weight : block.size;
	}
	sample->weight = weight * sample->count;
	sample->addr = profile->blocks.count;
	vec_push(&profile->blocks, block);
	return block.address != 0;
}

static void forget_samples(struct profile *profile)
{
	profile_forget_samples(profile);
	profile->keep = (profile->keep & ~(unsigned)PROFILE_ADDR_IS_VALUES) | PROFILE_ADDR_IS_BLOCK;
}

void heap_producer_sum_up(struct profile *profile, struct heap_summary *ret)
{
	uint16_t alloc = profile_event(profile, "heap-alloc", "bytes");
	uint16_t ended = profile_event(profile, "heap-free", "count");
	VEC(struct profile_sample) made = { 0 };
	uint64_t rate = 0;

	for (size_t i = 0; i < profile->samples.count; i++) {
		struct profile_sample sample = profile->samples.item[i];
		enum step step = step_of(profile, sample.event);

		if (step == STEP_NONE || !make(profile, &sample, step))
			continue;
		sample.event = step == STEP_ALLOC ? alloc : ended;
		if (step == STEP_ALLOC && (!rate || sample.weight < rate))
			rate = sample.weight;
		vec_push(&made, sample);
	}
	forget_samples(profile);
	profile_add_all(profile, made.item, made.count);
	vec_done(&made);
	heap_sum_up_whole(profile, rate, ret);
}
