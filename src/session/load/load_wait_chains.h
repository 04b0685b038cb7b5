/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording of waits and wake-ups as chains (profile/waits/wait_chains.h). */
#ifndef SESSION_LOAD_WAIT_CHAINS_H
#define SESSION_LOAD_WAIT_CHAINS_H

#include <stddef.h>

struct err;
struct load_options;
struct profile;
struct wait_chains_options;

struct wait_chains_loaded {
	struct profile *profile;
	size_t wakeups;
};

/* How to load waits, to make chains of: */
void wait_chains_load_options(const struct load_options *options, struct load_options *ret);
/* Adds the chains to the loaded data, or frees it; `name` is for messages. */
int wait_chains_finish(struct wait_chains_loaded *loaded, const struct load_options *options,
		       const struct wait_chains_options *chains, const char *name, struct err *err);

/* Like session_load(), with the event WAIT_CHAINS_EVENT. Filters for threads and commands apply to
 * waiting threads; chains may contain others. Without wakeups there are no chains. */
int session_load_wait_chains(const char *path, const struct load_options *options,
			     const struct wait_chains_options *chains,
			     struct wait_chains_loaded *ret, struct err *err);

#endif
