/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The samples of a profile by event and thread, for formats that keep these apart. Groups are in
 * order of their first sample, samples in theirs. */
#ifndef FORMAT_JSON_SAMPLE_GROUPS_H
#define FORMAT_JSON_SAMPLE_GROUPS_H

#include <stdint.h>

#include "profile/profile.h"

struct sample_group {
	uint16_t event;
	thread_id thread;
	uint32_t first, last; /* index + 1 */
	uint64_t weight;
};

struct sample_groups {
	VEC(struct sample_group) groups;
	uint32_t *next; /* by sample: index + 1 of the next one of its group, 0 = none */
};

void sample_groups_make(const struct profile *profile, struct sample_groups *ret);
void sample_groups_done(struct sample_groups *groups);

#endif
