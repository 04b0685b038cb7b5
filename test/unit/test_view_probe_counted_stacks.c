/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/probe/counted_stacks, view/probe/slowest_calls: stacks with their counts as text, folded and
 * as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "profile/profile.h"
#include "view/probe/call_latency.h"
#include "view/probe/counted_stacks.h"
#include "view/probe/slowest_calls.h"

static stack_id push(struct profile *profile, stack_id stack, const char *name,
		     enum frame_kind kind)
{
	const struct frame frame = {
		.module = profile_module(profile, "/lib/libx.so", ""),
		.kind = kind,
		.function = strtab_intern(profile->strings, name, strlen(name)),
	};

	return profile_stack_push(profile, stack, profile_frame(profile, &frame));
}

static void add(struct profile *profile, stack_id stack, uint32_t pid, uint64_t weight)
{
	const struct profile_sample sample = {
		.stack = stack,
		.thread = profile_thread(profile, pid, pid, "a;b"),
		.event = profile_event(profile, "hits", "count"),
		.stop = pid == 2 ? STACK_STOP_NO_TABLE : STACK_STOP_ROOT,
		.cpu = PROFILE_NO_CPU,
		.weight = weight,
	};

	profile_add(profile, &sample);
}

/* Two processes share the stack main → f; one has the kernel's part below g. */
static struct profile *scene(void)
{
	struct profile *profile = profile_new(0);
	stack_id main = push(profile, STACK_EMPTY, "main", FRAME_USER);
	stack_id g = push(profile, main, "", FRAME_USER);

	add(profile, push(profile, main, "f", FRAME_USER), 1, 5);
	add(profile, push(profile, main, "f", FRAME_USER), 2, 2);
	add(profile, push(profile, g, "sys_g", FRAME_KERNEL), 1, 3);
	return profile;
}

static void test_text(void **state)
{
	struct profile *profile = scene();
	struct counted_stacks_options options = { .delimited = true };
	struct buf out = { 0 };

	(void)state;
	counted_stacks_text(profile, &options, &out);
	assert_string_equal(out.data, "  sys_g\n    --\n  [unknown] (libx.so)\n  main\n    3\n\n"
				      "  f\n  main\n    7\n\n");
	buf_clear(&out);
	options = (struct counted_stacks_options){ .by_process = true };
	counted_stacks_text(profile, &options, &out);
	assert_string_equal(out.data,
			    "  f\n  main\n    a;b [2]\n    2\n\n"
			    "  sys_g\n  [unknown] (libx.so)\n  main\n    a;b [1]\n    3\n\n"
			    "  f\n  main\n    a;b [1]\n    5\n\n");
	buf_done(&out);
	profile_free(profile);
}

static void test_folded(void **state)
{
	struct profile *profile = scene();
	struct counted_stacks_options options = { .delimited = true };
	struct buf out = { 0 };

	(void)state;
	counted_stacks_folded(profile, &options, &out);
	assert_string_equal(out.data, "a:b;main;[unknown] (libx.so);-;sys_g 3\na:b;main;f 7\n");
	buf_clear(&out);
	options = (struct counted_stacks_options){ .by_process = true };
	counted_stacks_folded(profile, &options, &out);
	assert_string_equal(out.data, "a:b-2;main;f 2\na:b-1;main;[unknown] (libx.so);sys_g 3\n"
				      "a:b-1;main;f 5\n");
	buf_done(&out);
	profile_free(profile);
}

static void test_json(void **state)
{
	struct profile *profile = scene();
	const struct counted_stacks_options options = { .by_process = true, .lost = 4 };
	uint64_t hits, whole;
	struct buf out = { 0 };

	(void)state;
	counted_stacks_json(profile, &options, &out);
	assert_string_equal(
		out.data,
		"{\"cupel\":1,\"what\":\"stack counts\",\"calls\":10,\"whole_stacks\":8,\"lost\":4,"
		"\"stacks\":[\n"
		"{\"calls\":5,\"comm\":\"a;b\",\"pid\":1,\"stopped\":\"root\",\"stack\":["
		"{\"function\":\"f\",\"module\":\"libx.so\"},"
		"{\"function\":\"main\",\"module\":\"libx.so\"}]},\n"
		"{\"calls\":3,\"comm\":\"a;b\",\"pid\":1,\"stopped\":\"root\",\"stack\":["
		"{\"function\":\"sys_g\",\"module\":\"libx.so\",\"kernel\":true},"
		"{\"function\":null,\"module\":\"libx.so\"},"
		"{\"function\":\"main\",\"module\":\"libx.so\"}]},\n"
		"{\"calls\":2,\"comm\":\"a;b\",\"pid\":2,\"stopped\":\"no-table\",\"stack\":["
		"{\"function\":\"f\",\"module\":\"libx.so\"},"
		"{\"function\":\"main\",\"module\":\"libx.so\"}]}]}\n");
	counted_stacks_sum(profile, &hits, &whole);
	assert_int_equal(hits, 10);
	assert_int_equal(whole, 8);
	buf_done(&out);
	profile_free(profile);
}

static void test_trim(void **state)
{
	struct profile *profile = profile_new(0);
	stack_id main = push(profile, STACK_EMPTY, "__traceiter_main", FRAME_USER);
	stack_id call = push(profile, main, "sys_g", FRAME_KERNEL);
	struct counted_stacks_options options = { 0 };
	struct buf out = { 0 };

	(void)state;
	call = push(profile, call, "__traceiter_sys_enter", FRAME_KERNEL);
	add(profile, push(profile, call, "perf_syscall_enter", FRAME_KERNEL), 1, 3);
	add(profile, main, 1, 1);
	counted_stacks_trim(profile);
	counted_stacks_text(profile, &options, &out);
	assert_string_equal(out.data, "  __traceiter_main\n    1\n\n"
				      "  sys_g\n  __traceiter_main\n    3\n\n");
	buf_done(&out);
	profile_free(profile);
}

static void test_slowest_calls(void **state)
{
	const struct call_latency_view view = { .unit = "usecs", .unit_ns = 1000 };
	struct profile *profile = profile_new(PROFILE_KEEP_TIME);
	stack_id main = push(profile, STACK_EMPTY, "main", FRAME_USER);
	struct buf out = { 0 };

	(void)state;
	add(profile, push(profile, main, "f", FRAME_USER), 1, 3000);
	add(profile, push(profile, main, "f", FRAME_USER), 1, 9000);
	add(profile, push(profile, main, "g", FRAME_USER), 2, 5000);
	slowest_calls_text(profile, 2, &view, &out);
	assert_string_equal(out.data, "\nSlowest calls:\n\n9 usecs, a;b [1]\n  f\n  main\n"
				      "\n5 usecs, a;b [2]\n  g\n  main\n");
	buf_clear(&out);
	slowest_calls_json(profile, 1, &out);
	assert_string_equal(out.data,
			    ",\"slowest\":[{\"ns\":9000,\"comm\":\"a;b\",\"pid\":1,\"tid\":1,"
			    "\"stopped\":\"root\",\"stack\":["
			    "{\"function\":\"f\",\"module\":\"libx.so\"},"
			    "{\"function\":\"main\",\"module\":\"libx.so\"}]}]");
	buf_done(&out);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),	      cmocka_unit_test(test_folded),
		cmocka_unit_test(test_json),	      cmocka_unit_test(test_trim),
		cmocka_unit_test(test_slowest_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
