/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts such as folded stacks have weights but no numbers of samples: a weight may be samples, ns
 * or bytes. What one sample weighs decides how sure a comparison can be. */
#ifndef PROFILE_SAMPLE_WEIGHT_H
#define PROFILE_SAMPLE_WEIGHT_H

#include <stdint.h>

struct profile;

/* Values of profile_event.sample_weight besides a weight. */
#define SAMPLE_WEIGHT_COUNTED 0.0  /* samples have their counts */
#define SAMPLE_WEIGHT_UNKNOWN -1.0 /* the input does not say, and its weights do not show it */

/* Sums below this are taken for numbers of samples. */
#define SAMPLE_WEIGHT_SMALL_SUM 100000

/* Finds what a sample of the event weighs by looking at all weights:
 * - their sum is small: 1;
 * - they have a common divisor: it;
 * - 1 in 100 stacks or more has the weight 1, as rare stacks in counted samples do: 1;
 * - else it is unknown. */
void profile_find_sample_weight(struct profile *profile, uint16_t event);

#endif
