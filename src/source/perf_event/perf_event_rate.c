/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rate of samples, as the budget has it (source/sampling_budget.h): what it is to begin with,
 * and how it changes while events are open. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "source/perf_event/perf_event.h"
#include "source/perf_event/tick_cost.h"

/* Above this rate interrupts alone may take much, and are measured. */
#define MEASURED_HZ   2500
#define NS_PER_SECOND 1000000000ull
#define SAMPLE_NS     8000u /* what taking and writing a sample takes, until it is measured */

void perf_source_begin_rate(struct perf_source *source)
{
	struct sampling_budget *budget = &source->budget;
	bool everybody = source->target.pid.item[0] == -1;
	unsigned cpus = everybody ? (unsigned)source->target.cpu.count : 1;
	double rate = perf_source_rate(source);

	if (!source->tick_ns && rate > MEASURED_HZ)
		source->tick_ns = tick_cost_measure_ns();
	else if (!source->tick_ns)
		source->tick_ns = TICK_COST_USUAL_NS;
	if (budget->slow <= 1 && rate > MEASURED_HZ)
		sampling_budget_begin(budget, rate, source->tick_ns + SAMPLE_NS, cpus);
	source->rate.opened = budget->slow;
	for (size_t i = 0; i < source->selected_count; i++)
		if (budget->slow > 1 && perf_attr_rate(&source->selected[i].attr) > 0)
			perf_attr_slow(&source->selected[i].attr, source->selected[i].asked,
				       budget->slow);
}

double perf_source_rate(const struct perf_source *source)
{
	double rate = 0;

	for (size_t i = 0; i < source->selected_count; i++)
		rate += perf_attr_rate(&source->selected[i].attr);
	return rate;
}

double perf_source_asked(const struct perf_source *source)
{
	double rate = 0;

	for (size_t i = 0; i < source->selected_count && rate <= 0; i++) {
		struct perf_event_attr attr = source->selected[i].attr;

		perf_attr_slow(&attr, source->selected[i].asked, 1);
		rate = perf_attr_rate(&attr);
	}
	return rate;
}

void perf_source_put_rate(const struct perf_source *source, struct walk_cost *ret)
{
	double asked = perf_source_asked(source);

	ret->rate_asked = (uint64_t)(asked + 0.5);
	ret->rate_lowest = (uint64_t)(asked / source->budget.slowest + 0.5);
	ret->rate_changes = source->budget.changes;
}

void perf_source_note_rate(const struct perf_source *source, struct source *notes)
{
	const struct sampling_budget *budget = &source->budget;
	double asked = perf_source_asked(source);
	char text[64];

	if (!budget->changes)
		return;
	sampling_budget_text(budget, text, sizeof(text));
	if (asked > 0)
		source_note(
			notes,
			"sampling was slowed down from %.0f to at least %.0f samples per second, "
			"to cost no more than %s; --budget changes that",
			asked, asked / budget->slowest, text);
	else
		source_note(notes,
			    "sampling was slowed down, at most %.1f times, to cost no more than "
			    "%s; --budget changes that",
			    budget->slowest, text);
}

static uint64_t rate_of(const struct perf_event_attr *attr)
{
	return attr->freq ? attr->sample_freq : attr->sample_period;
}

int perf_source_slow_down(struct perf_source *source, struct err *err)
{
	for (size_t i = 0; i < source->selected_count; i++) {
		struct perf_selected *selected = &source->selected[i];
		struct perf_event_attr *attr = &selected->attr;
		uint64_t value, before = rate_of(attr);
		int code;

		if (!perf_source_is_slowed(selected) || selected->counted)
			continue;
		perf_attr_slow(attr, selected->asked, source->budget.slow);
		value = rate_of(attr);
		if (value == before)
			continue; /* a clock would begin its period anew: what has passed is lost */
		if (attr->freq && perf_attr_is_clock(attr)) /* the kernel made it a period */
			value = NS_PER_SECOND / value;
		code = perf_ioctl_all(source, selected, PERF_EVENT_IOC_PERIOD,
				      (unsigned long)&value);
		if (code)
			return err_set(err, code, "%s: rate of samples: %s", selected->spec->name,
				       strerror(-code));
	}
	return 0;
}
