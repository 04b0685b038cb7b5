/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of what a context sample holds (see context.h). */
#include "event/machine.h"

#include <assert.h>

#define NAME(id, name, ...)	  name,
#define UNIT(id, name, unit, ...) unit,
#define TEXT(id, name, unit, ...) __VA_ARGS__,

static_assert(MACHINE_VALUE_COUNT <= 32, "bits of machine_sample.known");
static_assert(MACHINE_DISK_VALUE_COUNT <= MACHINE_DEVICE_VALUES &&
		      MACHINE_NET_VALUE_COUNT <= MACHINE_DEVICE_VALUES,
	      "room for a device's values");

static const char *const value_names[] = { MACHINE_VALUES(NAME) };
static const char *const value_texts[] = { MACHINE_VALUES(TEXT) };
static const enum machine_unit value_units[] = { MACHINE_VALUES(UNIT) };
static const char *const mode_names[] = { MACHINE_MODES(NAME) };
static const char *const disk_names[] = { MACHINE_DISK_VALUES(NAME) };
static const char *const net_names[] = { MACHINE_NET_VALUES(NAME) };

const char *machine_value_name(enum machine_value value)
{
	return value_names[value];
}

const char *machine_value_text(enum machine_value value)
{
	return value_texts[value];
}

enum machine_unit machine_value_unit(enum machine_value value)
{
	return value_units[value];
}

const char *machine_mode_name(enum machine_mode mode)
{
	return mode_names[mode];
}

const char *machine_disk_name(enum machine_disk_value value)
{
	return disk_names[value];
}

const char *machine_net_name(enum machine_net_value value)
{
	return net_names[value];
}

bool machine_knows(const struct machine_sample *sample, enum machine_value value)
{
	return sample->known >> value & 1;
}

void machine_set(struct machine_sample *sample, enum machine_value id, uint64_t value)
{
	sample->known |= 1U << id;
	sample->value[id] = value;
}

void machine_sample_done(struct machine_sample *sample)
{
	vec_done(&sample->cpu);
	vec_done(&sample->disk);
	vec_done(&sample->net);
}
