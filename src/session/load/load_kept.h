/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one more fact that each sample of a profile may keep, besides its stack and thread: which,
 * enum profile_keep says. */
#ifndef SESSION_LOAD_KEPT_H
#define SESSION_LOAD_KEPT_H

#include <stdint.h>

struct event;
struct perf_data;
struct proc_table;
struct profile;

struct load_kept;
struct load_options;

/* The recording and the options, of which the fields are used, must outlive it. keep: enum
 * profile_keep. */
struct load_kept *load_kept_new(const struct perf_data *data, unsigned keep,
				const struct load_options *options);
void load_kept_free(struct load_kept *kept);
/* The fact of a sample, for profile_sample.addr. Texts are numbers of our own until
 * load_kept_finish(). */
uint64_t load_kept_value(struct load_kept *kept, const struct event *event);
/* The first of a sample's numbers (PROFILE_ADDR_IS_VALUES); value: what load_kept_value() said. 0 =
 * there is none. */
uint64_t load_kept_first(const struct load_kept *kept, uint64_t value);
/* After the last sample: texts become strings of the profile. */
void load_kept_finish(const struct load_kept *kept, const struct proc_table *procs,
		      struct profile *profile);

#endif
