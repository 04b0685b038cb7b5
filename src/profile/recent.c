/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last moments (see recent.h). */
#include "profile/recent.h"

#include <string.h>

void recent_clear(struct recent *recent)
{
	for (size_t i = 0; i < recent->count; i++)
		profile_free(recent->moment[i]);
	recent->count = 0;
}

void recent_push(struct recent *recent, struct profile *moment)
{
	if (recent->count == recent->most) {
		profile_free(recent->moment[0]);
		recent->count--;
		memmove(recent->moment, recent->moment + 1,
			recent->count * sizeof(*recent->moment));
	}
	recent->moment[recent->count++] = moment;
}

struct profile *recent_sum(const struct recent *recent)
{
	struct profile *sum = profile_new(0);

	for (size_t i = 0; i < recent->count; i++) {
		const struct profile_meta *meta = &recent->moment[i]->meta;

		profile_merge(sum, recent->moment[i]);
		sum->meta.lost_samples += meta->lost_samples;
		sum->meta.throttled += meta->throttled;
		sum->meta.duration_ns += meta->duration_ns;
	}
	profile_count(sum);
	return sum;
}

/* Functions in which idle kernels wait, on all known architectures. */
static bool is_idle_name(const char *name)
{
	static const char *const names[] = {
		"acpi_idle_do_entry",
		"acpi_processor_ffh_cstate_enter",
		"acpi_safe_halt",
		"arch_cpu_idle",
		"cpu_do_idle",
		"cpu_idle_poll",
		"cpuidle_idle_call",
		"cpuidle_enter_state",
		"default_idle",
		"default_idle_call",
		"do_idle",
		"intel_idle",
		"intel_idle_ibrs",
		"intel_idle_irq",
		"mwait_idle",
		"mwait_idle_with_hints",
		"native_safe_halt",
		"poll_idle",
		"psci_cpu_suspend_enter",
		"pv_native_safe_halt",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t len = strlen(names[i]);

		/* compiler-generated variants count as well: "intel_idle.constprop.0" */
		if (strncmp(name, names[i], len) == 0 && (!name[len] || name[len] == '.'))
			return true;
	}
	return false;
}

static bool is_in(const struct profile *profile, const struct profile_sample *sample,
		  enum recent_part part)
{
	const struct frame *top =
		&profile->frames.item[profile->nodes.item[sample->stack.v].frame.v];
	bool kernel = sample->stack.v != STACK_EMPTY.v && top->kind == FRAME_KERNEL;

	if (part == RECENT_IDLE)
		return kernel && profile->threads.item[sample->thread.v].pid == 0 &&
		       is_idle_name(profile_string(profile, top->function));
	return kernel == (part == RECENT_KERNEL);
}

uint64_t recent_count(const struct profile *profile, enum recent_part part)
{
	uint64_t count = 0;

	for (size_t i = 0; i < profile->samples.count; i++)
		if (is_in(profile, &profile->samples.item[i], part))
			count += profile->samples.item[i].count;
	return count;
}

uint64_t recent_hide(struct profile *profile, enum recent_part part)
{
	uint64_t hidden = 0;
	size_t kept = 0;

	for (size_t i = 0; i < profile->samples.count; i++) {
		struct profile_sample *sample = &profile->samples.item[i];
		struct profile_event *event = &profile->events.item[sample->event];

		if (!is_in(profile, sample, part)) {
			profile->samples.item[kept++] = *sample;
			continue;
		}
		hidden += sample->count;
		if (part == RECENT_IDLE) {
			event->samples -= sample->count;
			event->weight -= sample->weight;
			event->squares -= sample_squares(sample);
		}
	}
	profile->samples.count = kept;
	return hidden;
}
