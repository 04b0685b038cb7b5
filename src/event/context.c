/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of what a context sample holds (see context.h). */
#include "event/context.h"

#include <assert.h>

#define NAME(id, name, ...)	  name,
#define UNIT(id, name, unit, ...) unit,
#define TEXT(id, name, unit, ...) __VA_ARGS__,

static_assert(CONTEXT_VALUE_COUNT <= 32, "bits of context_sample.known");
static_assert(CONTEXT_DISK_VALUE_COUNT <= CONTEXT_DEVICE_VALUES &&
		      CONTEXT_NET_VALUE_COUNT <= CONTEXT_DEVICE_VALUES,
	      "room for a device's values");

static const char *const value_names[] = { CONTEXT_VALUES(NAME) };
static const char *const value_texts[] = { CONTEXT_VALUES(TEXT) };
static const enum context_unit value_units[] = { CONTEXT_VALUES(UNIT) };
static const char *const mode_names[] = { CONTEXT_MODES(NAME) };
static const char *const disk_names[] = { CONTEXT_DISK_VALUES(NAME) };
static const char *const net_names[] = { CONTEXT_NET_VALUES(NAME) };

const char *context_value_name(enum context_value value)
{
	return value_names[value];
}

const char *context_value_text(enum context_value value)
{
	return value_texts[value];
}

enum context_unit context_value_unit(enum context_value value)
{
	return value_units[value];
}

const char *context_mode_name(enum context_mode mode)
{
	return mode_names[mode];
}

const char *context_disk_name(enum context_disk_value value)
{
	return disk_names[value];
}

const char *context_net_name(enum context_net_value value)
{
	return net_names[value];
}

bool context_knows(const struct context_sample *sample, enum context_value value)
{
	return sample->known >> value & 1;
}

void context_set(struct context_sample *sample, enum context_value id, uint64_t value)
{
	sample->known |= 1U << id;
	sample->value[id] = value;
}

void context_sample_done(struct context_sample *sample)
{
	vec_done(&sample->cpu);
	vec_done(&sample->disk);
	vec_done(&sample->net);
}
