/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/probe: the kernel counts calls of a function of this program exactly, by one link for all
 * places and by an event for each, or says why not. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "bpf/probe_times.h"
#include "event/event.h"
#include "event/sink.h"
#include "session/probe/probe_set.h"
#include "source/bpf/thread_filter.h"
#include "source/probe/kernel_links.h"
#include "source/probe/probe_links.h"
#include "source/source.h"

#define CALLS 1000

struct counted {
	struct sink sink; /* first */
	uint64_t calls, returned, numbers;
};

__attribute__((noinline, used)) static void count_my_calls(void)
{
	__asm__ volatile("" ::: "memory");
}

static int take(struct sink *sink, const struct event *event, struct err *err)
{
	struct counted *counted = (struct counted *)sink;

	(void)err;
	counted->calls = *(const uint64_t *)event->own.data;
	counted->numbers = event->own.len / sizeof(uint64_t);
	if (counted->numbers > 1)
		counted->returned = ((const uint64_t *)event->own.data)[1];
	return 0;
}

static void count(bool by_event, const char *pids, uint64_t expected)
{
	struct probe_set set = { .choice.by_event = by_event };
	const struct source_options options = { .probes = &set.choice, .pids = pids };
	struct counted counted = { .sink.event = take };
	struct source *source = NULL;
	struct err err = { 0 };

	assert_int_equal(probe_set_add(&set, "/proc/self/exe:count_my_calls",
				       &(struct probe_set_options){ 0 }, &err),
			 0);
	if (source_find("probe_counts")->open(&source, &options, &err) ||
	    source->ops->start(source, &err)) {
		assert_true(err.hint[0]);
		source_close(source);
		probe_set_done(&set);
		skip();
	}
	for (unsigned i = 0; i < CALLS; i++)
		count_my_calls();
	assert_int_equal(source->ops->stop(source, &counted.sink, &err), 0);
	assert_int_equal(counted.numbers, 1);
	assert_int_equal(counted.calls, expected);
	source_close(source);
	probe_set_done(&set);
}

static void test_counts__one_link(void **state)
{
	(void)state;
	count(false, NULL, CALLS);
}

static void test_counts__an_event_for_each(void **state)
{
	(void)state;
	count(true, NULL, CALLS);
}

static void test_counts__processes(void **state)
{
	char self[16];

	(void)state;
	(void)snprintf(self, sizeof(self), "%d", (int)getpid());
	count(false, self, CALLS);
	count(true, self, CALLS);
	count(false, "1", 0);
}

/* Where the kernel has no probes in its functions, that is an error with a message. */
static void test_counts__functions_of_the_kernel(void **state)
{
	const struct probe_kernel_function function = { 0, "vfs_read" };
	struct probe_set set = { 0 };
	char self[16], byte;
	const struct source_options options = { .probes = &set.choice, .pids = self };
	struct counted counted = { .sink.event = take };
	struct source *source = NULL;
	struct err err = { 0 };
	FILE *file = fopen("/proc/self/stat", "r");
	bool counts;

	(void)state;
	(void)snprintf(self, sizeof(self), "%d", (int)getpid());
	vec_push(&set.choice.kernel, function);
	vec_push(&set.choice.names, function.name);
	assert_non_null(file);
	counts = !source_find("probe_counts")->open(&source, &options, &err) &&
		 !source->ops->start(source, &err);
	if (counts) {
		assert_true(kernel_links_possible());
		for (unsigned i = 0; i < CALLS; i++)
			assert_true(pread(fileno(file), &byte, 1, 0) == 1);
		assert_int_equal(source->ops->stop(source, &counted.sink, &err), 0);
		assert_int_equal(counted.calls, CALLS);
	} else {
		assert_true(err.msg[0]);
	}
	assert_int_equal(fclose(file), 0);
	source_close(source);
	probe_set_done(&set);
}

static void test_times__calls_that_return(void **state)
{
	struct probe_set set = { 0 };
	const struct source_options options = { .probes = &set.choice };
	struct counted counted = { .sink.event = take };
	struct source *source = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(probe_set_add(&set, "/proc/self/exe:count_my_calls",
				       &(struct probe_set_options){ .returns = true }, &err),
			 0);
	if (source_find("probe_times")->open(&source, &options, &err) ||
	    source->ops->start(source, &err)) {
		assert_true(err.hint[0]);
		source_close(source);
		probe_set_done(&set);
		skip();
	}
	for (unsigned i = 0; i < CALLS; i++)
		count_my_calls();
	assert_int_equal(source->ops->stop(source, &counted.sink, &err), 0);
	assert_int_equal(counted.numbers, sizeof(struct probe_times) / sizeof(uint64_t));
	assert_int_equal(counted.calls, CALLS);
	assert_int_equal(counted.returned, CALLS);
	source_close(source);
	probe_set_done(&set);
}

static void test_filter__one_process(void **state)
{
	(void)state;
	assert_int_equal(thread_filter_pid(&(struct source_options){ .pids = "12" }), 12);
	assert_int_equal(thread_filter_pid(&(struct source_options){ .pids = "12,13" }), 0);
	assert_int_equal(thread_filter_pid(&(struct source_options){ 0 }), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts__one_link),
		cmocka_unit_test(test_counts__an_event_for_each),
		cmocka_unit_test(test_counts__processes),
		cmocka_unit_test(test_counts__functions_of_the_kernel),
		cmocka_unit_test(test_times__calls_that_return),
		cmocka_unit_test(test_filter__one_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
