/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batches of samples to unwind (see unwind_batch.h). Address spaces are held by reference, so that
 * later mmap events copy instead of changing what the batch looks at. */
#include "session/load/unwind_batch.h"

#include <string.h>

#include "base/par.h"
#include "base/vec.h"
#include "event/event.h"
#include "proc/address_space.h"
#include "session/capture.h"
#include "unwind/unwind.h"

/* Enough work for a pair of threads to be worth starting: about 10 ms. */
#define BATCH_SAMPLES 4096
#define BATCH_GRAIN   32

struct pending {
	struct profile_sample sample;
	struct address_space *space;
	struct unwind_input input;
	uint64_t ip;
	uint16_t misc;
	size_t kernel_first, kernel; /* in batch->kernel_pcs */
	size_t worker, first, count; /* user part in worker's list */
	enum stack_stop stop;
};

struct worker {
	struct unwind_cache *cache;
	VEC(uint64_t) pcs;
};

struct unwind_batch {
	void (*each)(void *context, const struct unwound *unwound);
	void *context;
	struct unwinder *unwinder;
	struct worker *worker;
	size_t workers;
	VEC(struct pending) pending;
	VEC(uint64_t) kernel_pcs;
	VEC(uint64_t) joined; /* scratch: one whole chain */
};

struct unwind_batch *unwind_batch_new(const char *symfs,
				      void (*each)(void *context, const struct unwound *unwound),
				      void *context)
{
	struct unwind_batch *batch = mem_zalloc(sizeof(*batch));

	batch->each = each;
	batch->context = context;
	batch->unwinder = unwinder_new(symfs);
	batch->workers = par_threads();
	batch->worker = mem_zalloc(batch->workers * sizeof(*batch->worker));
	for (size_t i = 0; i < batch->workers; i++)
		batch->worker[i].cache = unwind_cache_new();
	return batch;
}

void unwind_batch_add(struct unwind_batch *batch, const struct event *event,
		      struct address_space *space, const struct capture_chain *chain,
		      const struct profile_sample *sample)
{
	const struct event_sample *s = &event->sample;
	struct pending pending = { .sample = *sample,
				   .space = address_space_ref(space),
				   .input = { .space = space,
					      .mask = s->user_mask,
					      .regs = s->user_regs,
					      .stack = s->stack,
					      .stack_len = s->stack_len },
				   .ip = s->ip,
				   .misc = event->misc,
				   .kernel_first = batch->kernel_pcs.count,
				   .kernel = chain->kernel };

	for (size_t i = 0; i < chain->kernel; i++)
		vec_push(&batch->kernel_pcs, chain->pc[i]);
	vec_push(&batch->pending, pending);
	if (batch->pending.count == BATCH_SAMPLES)
		unwind_batch_run(batch);
}

static void unwind_one(void *context, size_t i, size_t index)
{
	struct unwind_batch *batch = context;
	struct pending *pending = &batch->pending.item[i];
	struct worker *worker = &batch->worker[index];
	struct unwind_result result = { 0 };

	vec_reserve(&worker->pcs, UNWIND_MAX_FRAMES);
	pending->worker = index;
	pending->first = worker->pcs.count;
	unwinder_walk(batch->unwinder, worker->cache, &pending->input,
		      worker->pcs.item + worker->pcs.count, &result);
	pending->count = result.count;
	pending->stop = result.stop;
	worker->pcs.count += result.count;
}

static void hand_over(struct unwind_batch *batch, struct pending *pending)
{
	struct unwound unwound = { .sample = pending->sample,
				   .space = pending->space,
				   .misc = pending->misc,
				   .kernel = pending->kernel,
				   .stop = pending->stop };

	batch->joined.count = 0;
	for (size_t i = 0; i < pending->kernel; i++)
		vec_push(&batch->joined, batch->kernel_pcs.item[pending->kernel_first + i]);
	for (size_t i = 0; i < pending->count; i++)
		vec_push(&batch->joined,
			 batch->worker[pending->worker].pcs.item[pending->first + i]);
	if (batch->joined.count == 0)
		vec_push(&batch->joined, pending->ip);
	unwound.pc = batch->joined.item;
	unwound.count = batch->joined.count;
	batch->each(batch->context, &unwound);
	address_space_unref(pending->space);
}

void unwind_batch_run(struct unwind_batch *batch)
{
	par_for(batch->pending.count, BATCH_GRAIN, unwind_one, batch);
	for (size_t i = 0; i < batch->pending.count; i++)
		hand_over(batch, &batch->pending.item[i]);
	batch->pending.count = 0;
	batch->kernel_pcs.count = 0;
	for (size_t i = 0; i < batch->workers; i++)
		batch->worker[i].pcs.count = 0;
}

void unwind_batch_free(struct unwind_batch *batch)
{
	if (!batch)
		return;
	for (size_t i = 0; i < batch->pending.count; i++)
		address_space_unref(batch->pending.item[i].space);
	for (size_t i = 0; i < batch->workers; i++) {
		unwind_cache_free(batch->worker[i].cache);
		vec_done(&batch->worker[i].pcs);
	}
	free(batch->worker);
	unwinder_free(batch->unwinder);
	vec_done(&batch->pending);
	vec_done(&batch->kernel_pcs);
	vec_done(&batch->joined);
	free(batch);
}
