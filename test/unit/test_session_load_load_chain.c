/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/load/load_chain with session/load/load_finish: whatever chains share, every sample's
 * stack in the profile has the addresses that were recorded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proc/proc.h"
#include "profile/profile.h"
#include "session/capture.h"
#include "session/load/load.h"
#include "session/load/load_chain.h"
#include "session/load/load_finish.h"

#define SAMPLES 5000
#define DEEPEST 12

/* What was added. */
struct expected {
	uint64_t pc[DEEPEST];
	size_t count, kernel;
};

struct fixture {
	struct load_options options;
	struct capture capture;
	struct profile *profile;
	struct resolver *resolver;
	struct load_finish *finish;
	struct load_batch *batch;
	struct load_chains *chains;
	struct capture_chain chain;
	struct expected expected[SAMPLES];
};

static struct fixture *start(struct load_options options)
{
	static const struct symbol_options symbol = { .symfs = "" };
	static const struct resolve_options resolve = { &symbol, RESOLVE_ADDRESSES };
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->options = options;
	capture_open(&f->capture);
	f->profile = profile_new(PROFILE_KEEP_TIME);
	(void)profile_event(f->profile, "cpu-clock", "ns");
	f->resolver = resolver_new(f->profile, f->capture.modules, &resolve);
	f->finish = load_finish_new(f->profile, f->resolver);
	f->batch = load_finish_batch(f->finish);
	f->chains = load_chains_new(&f->options, &f->capture, f->resolver);
	return f;
}

static void stop(struct fixture *f)
{
	load_chains_free(f->chains);
	load_finish_free(f->finish);
	resolver_finish(f->resolver);
	profile_free(f->profile);
	capture_close(&f->capture);
	free(f);
}

/* Few addresses, so that chains have many in common, also one's leaf with another's caller. */
static void make_chain(struct capture_chain *chain)
{
	chain->count = (size_t)rand() % DEEPEST + 1;
	chain->kernel = rand() % 3 ? 0 : (size_t)rand() % (chain->count + 1);
	chain->in_kernel = chain->kernel > 0;
	for (size_t i = 0; i < chain->count; i++) {
		uint64_t depth = chain->count - i;

		chain->pc[i] = 0x1000 * depth + (uint64_t)(rand() % 8 == 0);
		if (i < chain->kernel)
			chain->pc[i] |= 0xffffffff00000000u;
	}
}

static void add(struct fixture *f, size_t i)
{
	uint32_t pid = (uint32_t)rand() % 2 + 1;
	uint16_t cpu = (uint16_t)(rand() % (2 * LOAD_LANES));
	const struct address_space *space =
		proc_table_thread(f->capture.procs, pid, pid)->process->space;
	struct profile_sample sample = { .time_ns = i, .weight = 1, .count = 1 };

	make_chain(&f->chain);
	memcpy(f->expected[i].pc, f->chain.pc, sizeof(f->expected[i].pc));
	f->expected[i].count = f->chain.count;
	f->expected[i].kernel = f->chain.kernel;
	if (!f->batch->threads.count && f->batch->number == 1)
		vec_push(&f->batch->threads, ((struct batch_thread){ 1, 1, "x" }));
	sample.stack.v = load_chains_add(f->chains, f->batch, space, cpu, &f->chain);
	vec_push(&f->batch->samples, sample);
	if (rand() % 500 == 0)
		f->batch = load_finish_submit(f->finish);
}

static void check_frame(const struct fixture *f, stack_id stack, uint64_t pc, bool kernel,
			bool caller)
{
	const struct frame *frame =
		&f->profile->frames.item[f->profile->nodes.item[stack.v].frame.v];

	assert_int_not_equal(0, stack.v);
	assert_true(frame->pc == pc);
	assert_int_equal(kernel ? FRAME_KERNEL : FRAME_USER, frame->kind);
	assert_int_equal(caller, frame->caller);
}

/* The recorded addresses in [from, to) and nothing else. */
static void check_stack(const struct fixture *f, const struct profile_sample *sample, size_t from,
			size_t to)
{
	const struct expected *chain = &f->expected[sample->time_ns];
	stack_id stack = sample->stack;

	for (size_t i = from; i < to; i++) {
		bool kernel = i < chain->kernel;

		check_frame(f, stack, chain->pc[i], kernel, i != from && i != chain->kernel);
		stack = f->profile->nodes.item[stack.v].parent;
	}
	assert_int_equal(0, stack.v);
}

static void fill(struct fixture *f)
{
	srand(1);
	for (size_t i = 0; i < SAMPLES; i++)
		add(f, i);
	(void)load_finish_submit(f->finish);
	load_finish_wait(f->finish);
	assert_int_equal(SAMPLES, f->profile->samples.count);
}

static void test_load_chain__stacks_are_the_recorded_ones(void **state)
{
	struct fixture *f = start((struct load_options){ 0 });

	(void)state;
	fill(f);
	for (size_t i = 0; i < SAMPLES; i++) {
		const struct profile_sample *sample = &f->profile->samples.item[i];

		check_stack(f, sample, 0, f->expected[sample->time_ns].count);
	}
	stop(f);
}

static void test_load_chain__parts_of_stacks(void **state)
{
	struct fixture *user = start((struct load_options){ .hide_kernel = true });
	struct fixture *top = start((struct load_options){ .max_stack = 3 });

	(void)state;
	fill(user);
	fill(top);
	for (size_t i = 0; i < SAMPLES; i++) {
		const struct profile_sample *sample = &user->profile->samples.item[i];
		const struct expected *chain = &user->expected[sample->time_ns];

		check_stack(user, sample, chain->kernel, chain->count);
		sample = &top->profile->samples.item[i];
		chain = &top->expected[sample->time_ns];
		check_stack(top, sample, 0, chain->count < 3 ? chain->count : 3);
	}
	stop(user);
	stop(top);
}

/* The same addresses, but something else is mapped there. */
static void test_load_chain__a_new_mapping_parts_neighbours(void **state)
{
	struct fixture *f = start((struct load_options){ 0 });
	struct event map = { .type = EVENT_MMAP,
			     .misc = PERF_RECORD_MISC_USER,
			     .pid = 1,
			     .tid = 1,
			     .mmap = { .start = 0x1000, .len = 0x1000, .prot = 4, .path = "/a" } };
	struct capture_chain *chain = &f->chain;
	uint32_t module[2];

	(void)state;
	chain->pc[0] = 0x1800;
	chain->pc[1] = 0x1900;
	chain->count = 2;
	vec_push(&f->batch->threads, ((struct batch_thread){ 1, 1, "x" }));
	for (unsigned i = 0; i < 2; i++) {
		struct profile_sample sample = { .time_ns = i, .weight = 1, .count = 1 };

		map.mmap.path = i ? "/b" : "/a";
		proc_table_apply(f->capture.procs, &map);
		sample.stack.v = load_chains_add(
			f->chains, f->batch,
			proc_table_thread(f->capture.procs, 1, 1)->process->space, 0, chain);
		vec_push(&f->batch->samples, sample);
	}
	(void)load_finish_submit(f->finish);
	load_finish_wait(f->finish);
	for (unsigned i = 0; i < 2; i++) {
		const struct stack_node *leaf =
			&f->profile->nodes.item[f->profile->samples.item[i].stack.v];
		const struct stack_node *root = &f->profile->nodes.item[leaf->parent.v];

		module[i] = f->profile->frames.item[root->frame.v].module;
		assert_int_equal(module[i], f->profile->frames.item[leaf->frame.v].module);
	}
	assert_int_not_equal(module[0], module[1]);
	stop(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_load_chain__stacks_are_the_recorded_ones),
		cmocka_unit_test(test_load_chain__parts_of_stacks),
		cmocka_unit_test(test_load_chain__a_new_mapping_parts_neighbours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
