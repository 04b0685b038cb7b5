/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See share_interval.h. Wilson 1927; Kish 1965 for weights that differ. */
#include "profile/share_interval.h"

#include <stddef.h>

#include "base/buf.h"
#include "profile/profile.h"
#include "profile/sample_weight.h"
#include "profile/statistics.h"

#define CRITICAL_95 1.959963984540054

static bool is_sampled(enum event_kind kind)
{
	return kind == EVENT_KIND_CPU_TIME || kind == EVENT_KIND_OTHER;
}

double share_effective_samples(const struct profile_event *event)
{
	double weight = (double)event->weight;

	if (!is_sampled(event->kind) || event->exact || !event->weight ||
	    event->sample_weight == SAMPLE_WEIGHT_UNKNOWN)
		return 0;
	if (event->sample_weight > 0)
		return weight / (event->scale ? event->scale : 1) / event->sample_weight;
	return weight * weight / event->squares;
}

double share_effective_of(const struct profile *profile, const bool *events)
{
	double sum = 0;

	for (size_t i = 0; i < profile->events.count; i++) {
		const struct profile_event *event = &profile->events.item[i];
		double effective = share_effective_samples(event);

		if (!events[i] || !event->weight)
			continue;
		if (effective <= 0)
			return 0;
		sum += effective;
	}
	return sum;
}

void share_interval(double share, double effective, double ret[2])
{
	wilson_limits(share, effective, CRITICAL_95, ret);
}

void share_put_few(double effective, struct buf *ret)
{
	double half[2], none[2];

	if (effective <= 0 || effective >= SHARE_FEW_SAMPLES)
		return;
	share_interval(0.5, effective, half);
	share_interval(0, effective, none);
	(void)buf_printf(ret,
			 "only %.0f sample%s: 50%% can be %.0f to %.0f%%, and what was not seen "
			 "up to %.2g%%",
			 effective, effective < 1.5 ? "" : "s", half[0] * 100, half[1] * 100,
			 none[1] * 100);
}
