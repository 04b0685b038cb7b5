/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of lock-wait and lock-holder in a profile with PROFILE_ADDR_IS_VALUES: what they carry
 * (event/lock_wait.h), and which belong together. */
#ifndef PROFILE_LOCK_LOCK_SAMPLES_H
#define PROFILE_LOCK_LOCK_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"
#include "event/lock_wait.h"
#include "profile/profile.h"

/* Zero it before use. */
struct lock_samples {
	struct map stacks, holders; /* number → index of the sample */
};

bool lock_sample_is(const struct profile *profile, const struct profile_sample *sample,
		    enum event_kind kind);
/* The payload as a struct of `size` bytes. False: it has not so many. */
bool lock_words(const struct profile *profile, const struct profile_sample *sample, void *ret,
		size_t size);

void lock_samples_list(struct lock_samples *samples, const struct profile *profile);
void lock_samples_done(struct lock_samples *samples);
/* The waiter's stack, without frames of the tracing. */
stack_id lock_samples_stack(const struct lock_samples *samples, const struct profile *profile,
			    const struct profile_sample *wait, const struct lock_wait_data *data);
/* The sample of the holder, or NULL; and its stack, which may be empty. */
const struct profile_sample *lock_samples_holder(const struct lock_samples *samples,
						 const struct profile *profile,
						 const struct lock_wait_data *data);
stack_id lock_samples_holder_stack(const struct lock_samples *samples,
				   const struct profile *profile,
				   const struct profile_sample *holder,
				   const struct lock_wait_data *data);

#endif
