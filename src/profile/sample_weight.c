/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/sample_weight.h"

#include <stddef.h>

#include "profile/profile.h"

#define ONES_PER_STACKS 100

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

void profile_find_sample_weight(struct profile *profile, uint16_t id)
{
	struct profile_event *event = &profile->events.item[id];
	uint64_t divisor = 0, ones = 0, stacks = 0;
	uint32_t scale = event->scale ? event->scale : 1;

	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *sample = &profile->samples.item[i];

		if (sample->event != id)
			continue;
		divisor = divisor == 1 ? 1 : common_divisor(sample->weight, divisor);
		ones += sample->weight == 1;
		stacks++;
	}
	if (event->weight / scale < SAMPLE_WEIGHT_SMALL_SUM)
		event->sample_weight = 1;
	else if (scale > 1) /* fractions: nothing that was counted */
		event->sample_weight = SAMPLE_WEIGHT_UNKNOWN;
	else if (divisor > 1)
		event->sample_weight = (double)divisor;
	else
		event->sample_weight =
			ones && ones >= stacks / ONES_PER_STACKS ? 1 : SAMPLE_WEIGHT_UNKNOWN;
}
