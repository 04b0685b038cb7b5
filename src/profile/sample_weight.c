/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/sample_weight.h"

#include <stddef.h>

#include "profile/profile.h"

#define LINES_PER_ONE 100
/* A divisor is by chance common to so many numbers once in 2^CHANCE_BITS. */
#define CHANCE_BITS 20

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Of a few weights, 2 or 3 is a divisor by chance. */
static bool is_no_chance(const struct line_weights *lines)
{
	unsigned bits = 0;

	for (uint64_t rest = lines->divisor; rest > 1; rest /= 2)
		bits++;
	return bits && lines->lines >= CHANCE_BITS / bits;
}

void line_weights_add(struct line_weights *weights, uint64_t weight)
{
	weights->divisor = weights->divisor == 1 ? 1 : common_divisor(weight, weights->divisor);
	weights->ones += weight == 1;
	weights->lines++;
}

void profile_find_sample_weight(struct profile *profile, uint16_t id,
				const struct line_weights *lines)
{
	struct profile_event *event = &profile->events.item[id];
	uint32_t scale = event->scale ? event->scale : 1;
	struct line_weights stacks = { 0 };

	for (size_t i = 0; !lines && i < profile->samples.count; i++)
		if (profile->samples.item[i].event == id)
			line_weights_add(&stacks, profile->samples.item[i].weight);
	if (!lines)
		lines = &stacks;
	if (event->weight / scale < SAMPLE_WEIGHT_SMALL_SUM)
		event->sample_weight = 1;
	else if (scale > 1) /* fractions: nothing that was counted */
		event->sample_weight = SAMPLE_WEIGHT_UNKNOWN;
	else if (is_no_chance(lines))
		event->sample_weight = (double)lines->divisor;
	else
		event->sample_weight = lines->ones && lines->ones >= lines->lines / LINES_PER_ONE
					       ? 1
					       : SAMPLE_WEIGHT_UNKNOWN;
}

bool profile_event_is_counted(const struct profile_event *event)
{
	return event->sample_weight == SAMPLE_WEIGHT_COUNTED || event->sample_weight == 1;
}
