/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts such as folded stacks have weights but no sample counts: a weight may be samples, ns or
 * bytes. The certainty of a comparison depends on the weight of one sample. */
#ifndef PROFILE_SAMPLE_WEIGHT_H
#define PROFILE_SAMPLE_WEIGHT_H

#include <stdbool.h>
#include <stdint.h>

struct profile;
struct profile_event;

/* Values of profile_event.sample_weight besides a weight. */
#define SAMPLE_WEIGHT_COUNTED 0.0  /* samples have their counts */
#define SAMPLE_WEIGHT_UNKNOWN -1.0 /* neither stated nor derivable from the weights */

/* Sums below this are treated as numbers of samples. */
#define SAMPLE_WEIGHT_SMALL_SUM 100000

/* The weights of a text's lines, before lines of one stack become one sample. */
struct line_weights {
	uint64_t divisor; /* common to all; 0 = no lines yet */
	uint64_t ones;	  /* lines of weight 1 */
	uint64_t lines;
};

void line_weights_add(struct line_weights *weights, uint64_t weight);

/* Derives the weight of a sample of the event from the weights of its lines (NULL = those of its
 * stacks):
 * - a small sum: 1;
 * - a divisor that is not by chance common to so many lines: the divisor;
 * - at least 1 in 100 has the weight 1, as rare stacks in counted samples do: 1;
 * - otherwise unknown. */
void profile_find_sample_weight(struct profile *profile, uint16_t event,
				const struct line_weights *lines);
/* Whether the event's sample counts are that. Else each unit of weight counts as one, of an unknown
 * kind. */
bool profile_event_is_counted(const struct profile_event *event);

#endif
