/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/syscall/syscall_callers: the table, the JSON and the profile of calls by caller. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "view/syscall/syscall_callers_view.h"

static stack_id push(struct profile *profile, stack_id parent, const char *name)
{
	const struct frame frame = { .function =
					     strtab_intern(profile->strings, name, strlen(name)),
				     .module = profile_module(profile, "/bin/prog", "") };

	return profile_stack_push(profile, parent, profile_frame(profile, &frame));
}

struct fixture {
	struct profile *profile;
	struct syscall_callers callers;
	struct syscall_callers_view view;
};

static void set_up(struct fixture *f)
{
	struct syscall_caller row = { .call = 0,
				      .name = "read",
				      .stop = STACK_STOP_ROOT,
				      .calls = 10,
				      .p50_ns = 1234,
				      .p99_ns = 98765 };
	static const char *const words[] = { "cupel" };

	memset(f, 0, sizeof(*f));
	f->profile = profile_new(0);
	row.stack = push(f->profile, push(f->profile, STACK_EMPTY, "main"), "in\033put");
	row.ns[LEDGER_RUNNING] = f->callers.ns[LEDGER_RUNNING] = 2000000;
	row.ns[LEDGER_DISK] = f->callers.ns[LEDGER_DISK] = 3000000;
	row.ns[LEDGER_POLL] = f->callers.ns[LEDGER_POLL] = 4000000;
	vec_push(&f->callers.row, row);
	vec_push(&f->callers.row,
		 ((struct syscall_caller){
			 .name = "exit", .call = 60, .stop = STACK_STOP_NO_TABLE, .calls = 1 }));
	f->callers.calls = 11;
	f->callers.whole = 10;
	f->view = (struct syscall_callers_view){ .profile = f->profile,
						 .callers = &f->callers,
						 .words = words,
						 .word_count = 1,
						 .lost = 3 };
}

static void tear_down(struct fixture *f)
{
	syscall_callers_done(&f->callers);
	profile_free(f->profile);
}

static void test_text__has_numbers_and_stack(void **state)
{
	struct buf out = { 0 };
	struct fixture f;

	(void)state;
	set_up(&f);
	syscall_callers_text(&f.view, &out);
	assert_non_null(strstr(out.data, "   read                      10      2.000      0.000"
					 "      3.000      4.000       1.20      99.00  "
					 "disk 3.000, poll 4.000\n"
					 "       in?put (prog)\n"
					 "       main (prog)\n\n"));
	assert_non_null(strstr(out.data, "[module has no unwind table]\n"));
	assert_non_null(strstr(out.data, "   sum                       11      2.000"));
	assert_non_null(strstr(out.data, " 1 calls have a stack that is not whole\n"));
	assert_non_null(strstr(out.data, " 3 calls found no room and are missing above\n"));
	assert_null(strstr(out.data, "more callers"));
	buf_clear(&out);
	f.view.rows = 1;
	syscall_callers_text(&f.view, &out);
	assert_null(strstr(out.data, "exit"));
	assert_non_null(strstr(out.data, "1 more callers are in the sum below"));
	buf_done(&out);
	tear_down(&f);
}

static void test_json__has_all_rows(void **state)
{
	struct buf out = { 0 };
	struct fixture f;

	(void)state;
	set_up(&f);
	f.view.rows = 1;
	syscall_callers_json(&f.view, &out);
	assert_non_null(strstr(out.data, "\"calls\": 11, \"whole_stacks\": 10, \"lost_calls\": 3, "
					 "\"cpu_ns\": 2000000, \"runnable_ns\": 0, "
					 "\"blocked_ns\": 3000000, \"idle_ns\": 4000000, "
					 "\"by_state\": { \"running: kernel\": 2000000, "
					 "\"blocked: disk\": 3000000, \"idle: poll\": 4000000 },"));
	assert_non_null(strstr(out.data, "\"stopped\": \"root\", \"stack\": [ { \"function\": "
					 "\"in?put\", \"module\": \"prog\" }, "
					 "{ \"function\": \"main\", \"module\": \"prog\" } ] }"));
	assert_non_null(strstr(out.data, "\"by_state\": {}"));
	assert_non_null(strstr(out.data, "\"stopped\": \"no-table\", \"stack\": [] }"));
	buf_done(&out);
	tear_down(&f);
}

static uint64_t weight_of(const struct profile *profile, const char *module)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *sample = &profile->samples.item[i];
		const struct stack_node *leaf = &profile->nodes.item[sample->stack.v];
		const struct frame *frame = &profile->frames.item[leaf->frame.v];
		const struct profile_module *in = &profile->modules.item[frame->module];

		assert_string_equal(profile_string(profile, frame->function), "[syscall read]");
		assert_int_equal(leaf->depth, 3);
		if (strcmp(profile_string(profile, in->path), module) == 0)
			sum += sample->weight;
	}
	return sum;
}

static void test_profile__has_the_call_on_top_by_state(void **state)
{
	struct profile *profile;
	struct fixture f;

	(void)state;
	set_up(&f);
	profile = syscall_callers_profile(&f.view, false);
	assert_int_equal(profile->samples.count, 2);
	assert_int_equal(weight_of(profile, "running: kernel"), 2000000);
	assert_int_equal(weight_of(profile, "blocked: disk"), 3000000);
	profile_free(profile);
	profile = syscall_callers_profile(&f.view, true);
	assert_int_equal(weight_of(profile, "idle: poll"), 4000000);
	profile_free(profile);
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text__has_numbers_and_stack),
		cmocka_unit_test(test_json__has_all_rows),
		cmocka_unit_test(test_profile__has_the_call_on_top_by_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
