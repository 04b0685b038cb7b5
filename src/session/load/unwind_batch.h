/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwinds samples with registers and stack bytes, a batch at a time on all cores. Results are
 * delivered in sample order, on the caller's thread. The events' pointers must stay valid until the
 * batch has run (struct sink's flush contract). */
#ifndef SESSION_UNWIND_BATCH_H
#define SESSION_UNWIND_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "event/stop.h"
#include "profile/profile.h"

struct capture_chain;
struct event;
struct address_space;
struct unwind_batch;

struct unwound {
	struct profile_sample sample; /* as given to unwind_batch_add() */
	const struct address_space *space;
	uint16_t misc;
	const uint64_t *pc; /* leaf first; [0, kernel) kernel, the rest user */
	size_t kernel, count;
	enum stack_stop stop;
};

struct unwind_batch *unwind_batch_new(const char *symfs,
				      void (*each)(void *context, const struct unwound *unwound),
				      void *context);
/* chain: the kernel part is kept; the user part is replaced by what unwinding finds. Runs the batch
 * when it is full. */
void unwind_batch_add(struct unwind_batch *batch, const struct event *event,
		      struct address_space *space, const struct capture_chain *chain,
		      const struct profile_sample *sample);
void unwind_batch_run(struct unwind_batch *batch);
void unwind_batch_free(struct unwind_batch *batch); /* NULL is fine */

#endif
