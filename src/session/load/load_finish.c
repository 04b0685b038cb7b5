/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples into the profile (see load_finish.h). Batches queue up while the first of them waits for
 * symbols to be read. */
#include "session/load/load_finish.h"

#include <stdatomic.h>
#include <string.h>

#include "base/par.h"

/* Batches that may wait at first, about 2 MB each: as much as is read while the kernel lists its
 * symbols. Later few: when the profile has grown, that memory would come on top. */
#define MOST_WAITING  6
#define LATER_WAITING 2

struct load_finish {
	struct profile *profile;
	struct resolver *resolver;
	struct par_queue *queue;
	struct load_batch *filling;
	_Atomic(struct load_batch *) idle; /* NULL = none */
	char apart[PAR_APART];
	/* of the thread that works */
	VEC(thread_id) threads; /* by number */
	VEC(stack_id) stacks;	/* by chain of the batch */
	/* of the chain before in each lane: its stacks from the outermost place on */
	VEC(stack_id) path[LOAD_LANES];
};

static stack_id push_chain(struct load_finish *f, const struct batch_chain *chain,
			   const uint32_t *places)
{
	stack_id stack = STACK_EMPTY;

	if (chain->same)
		stack = f->path[chain->lane].item[chain->same - 1];
	f->path[chain->lane].count = chain->same;
	for (size_t i = chain->count; i-- > 0;) {
		stack = resolver_push(f->resolver, stack, places[i]);
		vec_push(&f->path[chain->lane], stack);
	}
	return stack;
}

static void push_chains(struct load_finish *f, struct load_batch *batch)
{
	f->stacks.count = 0;
	for (size_t i = 0; i < batch->chains.count; i++) {
		const struct batch_chain *chain = &batch->chains.item[i];

		vec_push(&f->stacks, push_chain(f, chain, batch->places.item + chain->first));
	}
}

static void free_batch(struct load_batch *batch)
{
	if (!batch)
		return;
	vec_done(&batch->samples);
	vec_done(&batch->chains);
	vec_done(&batch->places);
	vec_done(&batch->threads);
	resolve_batch_done(&batch->resolve);
	free(batch);
}

static struct load_batch *get_batch(struct load_finish *f, uint32_t number)
{
	struct load_batch *batch = atomic_exchange(&f->idle, NULL);

	if (!batch)
		batch = mem_zalloc(sizeof(*batch));
	batch->finish = f;
	batch->number = number;
	return batch;
}

static void finish_batch(void *item)
{
	struct load_batch *batch = item;
	struct load_finish *f = batch->finish;

	resolver_run(f->resolver, &batch->resolve);
	for (size_t i = 0; i < batch->threads.count; i++) {
		const struct batch_thread *t = &batch->threads.item[i];

		vec_push(&f->threads, profile_thread(f->profile, t->pid, t->tid, t->comm));
	}
	push_chains(f, batch);
	for (size_t i = 0; i < batch->samples.count; i++) {
		struct profile_sample *sample = &batch->samples.item[i];

		sample->stack = f->stacks.item[sample->stack.v];
		sample->thread = f->threads.item[sample->thread.v];
	}
	profile_add_all(f->profile, batch->samples.item, batch->samples.count);
	batch->samples.count = batch->chains.count = 0;
	batch->places.count = batch->threads.count = 0;
	free_batch(atomic_exchange(&f->idle, batch));
}

struct load_finish *load_finish_new(struct profile *profile, struct resolver *resolver)
{
	struct load_finish *f = mem_zalloc(sizeof(*f));

	f->profile = profile;
	f->resolver = resolver;
	f->queue = par_queue_new(finish_batch, 1);
	f->filling = get_batch(f, 1);
	return f;
}

struct load_batch *load_finish_batch(struct load_finish *f)
{
	return f->filling;
}

struct load_batch *load_finish_submit(struct load_finish *f)
{
	struct load_batch *full = f->filling;
	uint32_t number = full->number + 1;

	resolver_hand_over(f->resolver, &full->resolve);
	par_queue_push(f->queue, full);
	par_queue_wait(f->queue, number > MOST_WAITING ? LATER_WAITING : MOST_WAITING);
	f->filling = get_batch(f, number);
	return f->filling;
}

void load_finish_wait(struct load_finish *f)
{
	par_queue_wait(f->queue, 0);
}

/* A frame pointer chain is whole when it ends in the function every thread starts in. */
static bool is_root_function(const char *name)
{
	static const char *const roots[] = { "_start",	       "__clone",
					     "clone",	       "__clone3",
					     "clone3",	       "__GI___clone3",
					     "runtime.goexit", "runtime.goexit.abi0" };

	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++)
		if (strcmp(name, roots[i]) == 0)
			return true;
	return false;
}

void load_finish_roots(struct profile *profile)
{
	bool *rooted = mem_zalloc(profile->nodes.count * sizeof(*rooted));

	for (size_t i = 1; i < profile->nodes.count; i++) {
		const struct stack_node *node = &profile->nodes.item[i];
		const struct frame *frame = &profile->frames.item[node->frame.v];

		rooted[i] = node->depth > 1
				    ? rooted[node->parent.v]
				    : is_root_function(profile_string(profile, frame->function));
	}
	for (size_t i = 0; i < profile->samples.count; i++) {
		struct profile_sample *sample = &profile->samples.item[i];
		uint64_t *stop = profile->events.item[sample->event].stop;

		if ((sample->stop != STACK_STOP_FP_LOST && sample->stop != STACK_STOP_LBR) ||
		    !rooted[sample->stack.v])
			continue;
		stop[sample->stop] -= sample->count;
		sample->stop = STACK_STOP_ROOT;
		stop[STACK_STOP_ROOT] += sample->count;
	}
	free(rooted);
}

void load_finish_free(struct load_finish *f)
{
	if (!f)
		return;
	par_queue_free(f->queue);
	free_batch(f->idle);
	free_batch(f->filling);
	vec_done(&f->threads);
	vec_done(&f->stacks);
	for (size_t i = 0; i < LOAD_LANES; i++)
		vec_done(&f->path[i]);
	free(f);
}
