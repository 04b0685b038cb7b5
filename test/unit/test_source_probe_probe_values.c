// SPDX-License-Identifier: GPL-2.0-or-later
/* source/probe: the kernel counts the values of an argument and of the result of a function of this
 * program, or says why not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "event/event.h"
#include "event/sink.h"
#include "session/probe/argument_set.h"
#include "source/source.h"

#define CALLS 1000

struct counted {
	struct sink sink; /* first */
	uint64_t arguments[4], results;
	size_t values;
};

__attribute__((noinline, used)) static int weigh_me(int x, const char *text)
{
	__asm__ volatile("" ::"r"(text) : "memory");
	return x * 2;
}

static int take(struct sink *sink, const struct event *event, struct err *err)
{
	struct counted *counted = (struct counted *)sink;
	const struct probe_value *value = event->own.data;

	(void)err;
	counted->values = event->own.len / sizeof(*value);
	for (size_t i = 0; i < counted->values; i++) {
		assert_int_equal(value[i].result.faults, 0);
		if (value[i].result.number == 1) {
			counted->results += value[i].count;
			continue;
		}
		assert_in_range(value[i].result.value[0], 0, 3);
		counted->arguments[value[i].result.value[0]] = value[i].count;
		assert_string_equal(value[i].result.text, "text");
	}
	return 0;
}

static const char *volatile text = "text"; /* a constant may become a copy of the function */

static void test_values__are_counted_exactly(void **state)
{
	static const char place[] = "/proc/self/exe:weigh_me(int x, const char *text)";
	const struct probe_set_options options = { 0 };
	struct counted counted = { .sink.event = take };
	struct source_options source_options = { 0 };
	struct argument_collection wanted[2] = { { .histogram = false }, { .histogram = true } };
	struct argument_set set = { 0 };
	struct source *source = NULL;
	struct err err = { 0 };
	char spec[128];
	int sum = 0;

	(void)state;
	(void)snprintf(spec, sizeof(spec), "p:%s:int,char*:x,text", place);
	assert_int_equal(argument_spec_parse(spec, &set.arena, &wanted[0].spec, &err), 0);
	(void)snprintf(spec, sizeof(spec), "r:%s:int:$retval", place);
	assert_int_equal(argument_spec_parse(spec, &set.arena, &wanted[1].spec, &err), 0);
	assert_int_equal(argument_set_find(&set, wanted, 2, &options, &err), 0);
	source_options.values = &set.values;
	if (source_find("probe_values")->open(&source, &source_options, &err) ||
	    source->ops->start(source, &err)) {
		assert_true(err.hint[0]);
		source_close(source);
		argument_set_done(&set);
		skip();
	}
	for (int i = 0; i < CALLS; i++)
		sum += weigh_me(i % 4, text);
	assert_int_equal(sum, CALLS * 3);
	assert_int_equal(source->ops->stop(source, &counted.sink, &err), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(counted.arguments[i], CALLS / 4);
	assert_int_equal(counted.results, CALLS);
	assert_int_equal(counted.values, 4 + 3); /* results: 0, 2, 4 and 6 */
	source_close(source);
	argument_set_done(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values__are_counted_exactly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
