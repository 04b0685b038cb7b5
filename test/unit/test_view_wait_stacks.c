/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/waits and view/wait_stacks: waits find their wakers and add up; BCC's layouts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "profile/waits/waits.h"
#include "view/wait_stacks.h"

/* Frames outermost first, capital letters are the kernel's. */
static void add(struct profile *p, const char *event, const char *frames, thread_id thread,
		uint64_t time_ns)
{
	struct profile_sample sample = { .thread = thread,
					 .event = profile_event(p, event, "ns"),
					 .time_ns = time_ns,
					 .weight = 5000 + time_ns,
					 .count = 1 };

	for (; *frames; frames++) {
		struct frame frame = { .function = strtab_intern(p->strings, frames, 1),
				       .kind = *frames < 'a' ? FRAME_KERNEL : FRAME_USER };

		sample.stack = profile_stack_push(p, sample.stack, profile_frame(p, &frame));
	}
	profile_add(p, &sample);
}

static struct profile *two_waits(void)
{
	struct profile *p = profile_new(PROFILE_KEEP_TIME);
	thread_id sleeper = profile_thread(p, 10, 11, "reader");
	thread_id waker = profile_thread(p, 10, 12, "writer");

	add(p, "wakeup-time", "wW", waker, 1000);
	add(p, "offcpu-time", "abS", sleeper, 1000);
	add(p, "wakeup-time", "wW", waker, 2000);
	add(p, "offcpu-time", "abS", sleeper, 2000);
	add(p, "offcpu-time", "aT", sleeper, 90000); /* without an end */
	return p;
}

static void check(enum waits_by by, const struct wait_stacks_options *options, const char *expected)
{
	struct waits_selection selection = { by, NULL };
	struct profile *p = two_waits();
	struct waits waits;
	struct buf out = { 0 };

	waits_collect(p, &selection, &waits);
	if (options->what)
		wait_stacks_json(p, &waits, options, &out);
	else
		wait_stacks_text(p, &waits, options, &out);
	assert_string_equal(out.data, expected);
	buf_done(&out);
	waits_done(&waits);
	profile_free(p);
}

static void test_folded(void **state)
{
	struct wait_stacks_options folded = { .folded = true };
	struct wait_stacks_options marked = { .folded = true, .delimited = true };

	(void)state;
	check(WAITS_BY_SLEEPER, &folded, "reader;a;b;S 13\nreader;a;T 95\n");
	check(WAITS_BY_WAKER, &folded, "writer;w;W;reader 13\n[unknown];reader 95\n");
	check(WAITS_BY_BOTH, &marked,
	      "reader;a;b;-;S;--;W;-;w;writer 13\nreader;a;-;T;--;[unknown] 95\n");
}

static void test_text(void **state)
{
	struct wait_stacks_options plain = { 0 }, marked = { .delimited = true };

	(void)state;
	check(WAITS_BY_SLEEPER, &marked,
	      "    S\n    --\n    b\n    a\n    -                reader (11)\n        13\n\n"
	      "    T\n    --\n    a\n    -                reader (11)\n        95\n\n");
	check(WAITS_BY_BOTH, &plain,
	      "    waker:           writer 12\n    w\n    W\n    --               --\n    S\n    "
	      "b\n"
	      "    a\n    target:          reader 11\n        13\n\n"
	      "    waker:           [unknown]\n    --               --\n    T\n    a\n"
	      "    target:          reader 11\n        95\n\n");
	check(WAITS_BY_WAKER, &plain,
	      "    target:          reader\n    W\n    w\n    waker:           writer\n        "
	      "13\n\n"
	      "    target:          reader\n    waker:           [unknown]\n        95\n\n");
}

static void test_json(void **state)
{
	struct wait_stacks_options json = { .what = "blocked time" };

	(void)state;
	check(WAITS_BY_BOTH, &json,
	      "{\"cupel\":1,\"what\":\"blocked time\",\"total_ns\":108000,\"lost\":0,\"stacks\":[\n"
	      "{\"comm\":\"reader\",\"pid\":10,\"tid\":11,\"kernel\":[\"S\"],\"user\":[\"b\",\"a\"]"
	      ","
	      "\"ns\":13000,\"waker\":{\"comm\":\"writer\",\"pid\":10,\"tid\":12,"
	      "\"kernel\":[\"W\"],\"user\":[\"w\"]}},\n"
	      "{\"comm\":\"reader\",\"pid\":10,\"tid\":11,\"kernel\":[\"T\"],\"user\":[\"a\"],"
	      "\"ns\":95000,\"waker\":null}]}\n");
}

static void test_comm(void **state)
{
	struct waits_selection selection = { WAITS_BY_SLEEPER, "writer" };
	struct profile *p = two_waits();
	struct waits waits;

	(void)state;
	waits_collect(p, &selection, &waits);
	assert_int_equal(waits.row.count, 0);
	waits_done(&waits);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folded),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_comm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
