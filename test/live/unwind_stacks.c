/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwinds the user stacks of a --call-graph dwarf recording and prints their stop reasons and the
 * time. With --dump, one line per sample with a user stack: "pid time_ns stop pc…", leaf first.
 *
 * usage: unwind_stacks [--dump] perf.data
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/vec.h"
#include "format/input.h"
#include "format/perf_data/perf_data.h"
#include "proc/address_space.h"
#include "proc/proc.h"
#include "unwind/unwind.h"

struct waiting {
	struct unwind_input input;
	struct address_space *space;
	uint64_t time_ns;
	uint32_t pid;
};

struct test {
	struct sink sink;
	bool dump;
	struct proc_table *procs;
	struct unwinder *unwinder;
	struct unwind_cache *cache;
	VEC(struct waiting) waiting;
	uint64_t stops[STACK_STOP_COUNT], samples, frames, cold_ns, warm_ns;
};

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int on_event(struct sink *sink, const struct event *event, struct err *err)
{
	struct test *test = (struct test *)sink;
	const struct event_sample *s = &event->sample;
	struct thread *thread;

	(void)err;
	if (event->type != EVENT_SAMPLE) {
		proc_table_apply(test->procs, event);
		return 0;
	}
	if (!s->user_regs || !s->stack_len)
		return 0;
	thread = proc_table_thread(test->procs, event->pid, event->tid);
	vec_push(&test->waiting,
		 ((struct waiting){ .space = address_space_ref(thread->process->space),
				    .time_ns = event->time_ns,
				    .pid = event->pid,
				    .input = { .space = thread->process->space,
					       .mask = s->user_mask,
					       .regs = s->user_regs,
					       .stack = s->stack,
					       .stack_len = s->stack_len } }));
	return 0;
}

static void print_stack(const struct waiting *sample, const struct unwind_result *result,
			const uint64_t *pcs)
{
	printf("%u %" PRIu64 " %s", sample->pid, sample->time_ns, stack_stop_name(result->stop));
	for (size_t i = 0; i < result->count; i++)
		printf(" %" PRIx64, pcs[i]);
	printf("\n");
}

static void walk_all(struct test *test, bool count)
{
	static uint64_t pcs[UNWIND_MAX_FRAMES];
	struct unwind_result result;

	for (size_t i = 0; i < test->waiting.count; i++) {
		unwinder_walk(test->unwinder, test->cache, &test->waiting.item[i].input, pcs,
			      &result);
		if (!count)
			continue;
		test->samples++;
		test->frames += result.count;
		test->stops[result.stop]++;
		if (test->dump)
			print_stack(&test->waiting.item[i], &result, pcs);
	}
}

static int on_flush(struct sink *sink, struct err *err)
{
	struct test *test = (struct test *)sink;
	uint64_t start = cpu_ns(), middle;

	(void)err;
	walk_all(test, true);
	middle = cpu_ns();
	if (!test->dump)
		walk_all(test, false);
	test->cold_ns += middle - start;
	test->warm_ns += cpu_ns() - middle;
	for (size_t i = 0; i < test->waiting.count; i++)
		address_space_unref(test->waiting.item[i].space);
	test->waiting.count = 0;
	return 0;
}

static int on_build_id(void *context, const struct event *event)
{
	proc_table_apply(context, event);
	return 0;
}

static void print_totals(const struct test *test)
{
	printf("%" PRIu64 " stacks, %" PRIu64 " frames", test->samples, test->frames);
	for (int i = 0; i < STACK_STOP_COUNT; i++)
		if (test->stops[i])
			printf(", %s %" PRIu64 " (%.2f%%)", stack_stop_name(i), test->stops[i],
			       100.0 * (double)test->stops[i] / (double)test->samples);
	if (test->frames)
		printf(", ns per frame: first pass %.1f, second %.1f",
		       (double)test->cold_ns / (double)test->frames,
		       (double)test->warm_ns / (double)test->frames);
	printf("\n");
}

int main(int argc, char **argv)
{
	struct module_table *modules = module_table_new();
	struct test test = { .sink = { .event = on_event, .flush = on_flush },
			     .dump = argc > 2 && !strcmp(argv[1], "--dump"),
			     .procs = proc_table_new(modules),
			     .unwinder = unwinder_new(""),
			     .cache = unwind_cache_new() };
	struct perf_data *data;
	struct input *input;
	struct err err = { 0 };
	int code;

	if (argc < 2 || input_open(argv[argc - 1], &input, &err) ||
	    perf_data_open(input, &data, &err)) {
		fprintf(stderr, "usage: unwind_stacks [--dump] perf.data: %s\n", err.msg);
		return 2;
	}
	(void)perf_data_build_ids(data, on_build_id, test.procs);
	code = perf_data_read(data, &test.sink, &err);
	(void)on_flush(&test.sink, &err); /* cannot fail */
	if (code)
		fprintf(stderr, "%s\n", err.msg);
	if (!test.dump)
		print_totals(&test);
	vec_done(&test.waiting);
	unwind_cache_free(test.cache);
	unwinder_free(test.unwinder);
	perf_data_close(data);
	input_close(input);
	proc_table_free(test.procs);
	module_table_free(modules);
	return code ? 1 : 0;
}
