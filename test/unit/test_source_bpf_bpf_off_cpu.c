/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/bpf/bpf_off_cpu: a source by its name, that works for a sampler: waits come through it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "event/desc.h"
#include "event/event.h"
#include "source/source.h"

static void test_off_cpu__needs_a_sampler(void **state)
{
	const struct source_options options = { .system_wide = true };
	struct source *source;
	struct err err = { 0 };

	(void)state;
	assert_non_null(source_find("off_cpu"));
	assert_int_equal(-EINVAL, source_find("off_cpu")->open(&source, &options, &err));
	assert_non_null(strstr(err.msg, "no CPU sampler"));
}

struct waits {
	struct sink sink; /* first */
	unsigned count, rounds;
	uint64_t ns;
};

static int on_event(struct sink *sink, const struct event *event, struct err *err)
{
	struct waits *waits = (struct waits *)sink;

	(void)err;
	if (event->type == EVENT_ROUND)
		waits->rounds++;
	if (event->type == EVENT_SAMPLE && event->desc->kind == EVENT_KIND_OFF_CPU) {
		waits->count++;
		waits->ns += event->sample.period;
	}
	return 0;
}

static int on_records(struct sink *sink, const struct record_span *span, struct err *err)
{
	(void)sink;
	(void)span;
	(void)err;
	return 0;
}

static void sleep_some(struct source *source, struct waits *waits)
{
	struct err err = { 0 };

	assert_int_equal(0, source->ops->start(source, &err));
	assert_int_equal(0, source_enable(source, true, &err));
	for (int i = 0; i < 5; i++)
		(void)usleep(20000);
	assert_true(source_ready(source, &waits->sink, &err) >= 0);
	assert_int_equal(0, source->ops->stop(source, &waits->sink, &err));
}

static void test_off_cpu__waits_come_through_the_sampler(void **state)
{
	struct source_options options = { .switchable = true,
					  .off_cpu = { .accounts = UINT32_MAX } };
	const struct record_selector selector = { .text = "off-cpu" };
	struct waits waits = { .sink = { .event = on_event, .records = on_records } };
	struct source *source;
	struct err err = { 0 };
	char pid[16];
	int code;

	(void)state;
	(void)snprintf(pid, sizeof(pid), "%d", (int)getpid());
	options.pids = pid;
	vec_push(&options.selector, selector);
	code = source_find("bpf_cpu")->open(&source, &options, &err);
	if (!code) {
		sleep_some(source, &waits);
		source_close(source);
	}
	vec_done(&options.selector);
	if (code) {
		print_message("no BPF programs here: %s\n", err.msg);
		skip();
	}
	assert_true(waits.count >= 5);
	assert_true(waits.ns >= 100000000);
	assert_true(waits.rounds > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_off_cpu__needs_a_sampler),
		cmocka_unit_test(test_off_cpu__waits_come_through_the_sampler),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
