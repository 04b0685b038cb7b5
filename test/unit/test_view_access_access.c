/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Objects and their samples as text and as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "profile/access/access.h"
#include "profile/profile.h"
#include "view/access/access_view.h"

static uint64_t now;

static void put(struct profile *p, const char *event, const char *function,
		const struct profile_access *access)
{
	const struct frame frame = { .function = strtab_puts(p->strings, function) };
	const struct profile_sample sample = {
		.event = profile_event(p, event, "ns"),
		.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame)),
		.thread = profile_thread(p, 1, 1, "app"),
		.stop = STACK_STOP_ROOT,
		.time_ns = ++now,
		.weight = 10,
		.count = 1,
		.addr = p->accesses.count,
	};

	vec_push(&p->accesses, *access);
	profile_add(p, &sample);
}

static struct profile *make(void)
{
	struct profile *p =
		profile_new(PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_ACCESS);
	const struct profile_access block = { .kind = ACCESS_BLOCK, .addr = 0x10000, .size = 64 };
	const struct profile_access in_block = { .kind = ACCESS_HEAP, .addr = 0x10018 };
	struct profile_access variable = { .kind = ACCESS_GLOBAL,
					   .offset = 17,
					   .size = 32,
					   .object = strtab_puts(p->strings, "table\033"),
					   .module = strtab_puts(p->strings, "app"),
					   .field = strtab_puts(p->strings, "table[].next") };

	put(p, "cpu-clock", "early", &in_block);
	put(p, "heap-alloc", "makes", &block);
	put(p, "cpu-clock", "reads", &in_block);
	put(p, "cpu-clock", "reads", &in_block);
	put(p, "heap-free", "frees", &block);
	put(p, "cpu-clock", "late", &in_block);
	for (int i = 0; i < 5; i++)
		put(p, "cpu-clock", "scans", &variable);
	variable.guessed = 1;
	put(p, "cpu-clock", "chases", &variable);
	put(p, "cpu-clock", "enters", &(struct profile_access){ .kind = ACCESS_KERNEL });
	put(p, "cpu-clock", "computes", &(struct profile_access){ .kind = ACCESS_NONE });
	return p;
}

static void test_access__is_shown(void **state)
{
	static const char *const words[] = { "cupel", "mem" };
	struct profile *p = make();
	struct access_table table;
	const struct access_view view = {
		.profile = p, .table = &table, .lost = 3, .words = words, .word_count = 2
	};
	struct buf text = { 0 }, json = { 0 };

	(void)state;
	access_sum_up(p, &table);
	access_text(&view, &text);
	assert_non_null(strstr(text.data, "12 samples, 1 of them in the kernel; 90.9 %"));
	assert_non_null(strstr(text.data, "  50.00 %          6  table?  [app], 32 B"));
	assert_non_null(strstr(text.data, "(17 % guessed)"));
	assert_non_null(strstr(text.data, "at table[].next 100 %\n"));
	assert_non_null(strstr(text.data, "allocated by makes\n"));
	assert_non_null(strstr(text.data, "3 samples and records were lost"));
	access_json(&view, &json);
	assert_non_null(strstr(json.data, "\"kind\": \"block\""));
	assert_non_null(strstr(json.data, "\"field\": \"table[].next\""));
	buf_done(&text);
	buf_done(&json);
	access_table_done(&table);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_access__is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
