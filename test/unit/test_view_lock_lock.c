/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks as text and as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "view/lock/lock_view.h"

#include "lock_waits.h"

static void test_lock_view__text_and_json(void **state)
{
	static const char *const words[] = { "cupel", "lock" };
	struct profile *p = make();
	struct lock_table table = { 0 };
	const struct lock_view view = { .profile = p,
					.table = &table,
					.stacks = 2,
					.lost = 3,
					.words = words,
					.word_count = 2 };
	struct buf text = { 0 }, json = { 0 };

	(void)state;
	put_open(p, 0x10, 1, 2);
	put_open(p, 0x20, 2, 1);
	put(p, &(struct wait){ 0x30, 2500, 1, 2, LOCK_KIND_BARRIER, LOCK_RELEASED_BY,
			       stack_of(p, user), stack_of(p, freeing), 0, 0 });
	lock_table_fill(&table, p);
	lock_text(&view, &text);
	assert_non_null(strstr(text.data, "DEADLOCK of 2 threads:\n"));
	assert_non_null(strstr(text.data, "waits for mutex 0x20 in work, which"));
	assert_non_null(strstr(text.data, "released by holder"));
	assert_non_null(strstr(text.data, "meanwhile: ran 100%\n"));
	assert_non_null(strstr(text.data, "3 waits lost"));
	assert_null(strchr(text.data, '\033'));
	lock_json(&view, &json);
	assert_non_null(strstr(json.data, "\"name\": \"0x30 in work\", \"place\": \"work\", "
					  "\"kind\": \"barrier\""));
	assert_non_null(strstr(json.data, "\"deadlocks\": [\n    [ { \"pid\": 7"));
	assert_non_null(strstr(json.data, "\"meanwhile_ns\": { \"running\": 2500 }"));
	buf_done(&text);
	buf_done(&json);
	lock_table_done(&table);
	profile_free(p);
}

/* A word that looks like any other is a lock where a runtime waits for one. */
static void test_lock_view__locks_of_runtimes(void **state)
{
	static const char *const write[] = { "main", "std::sys::sync::rwlock::futex::write", NULL };
	static const char *const wait[] = { "main", "std::sys::sync::condvar::futex::wait", NULL };
	struct profile *p = make();
	struct lock_table table = { 0 };
	const struct lock_view view = { .profile = p, .table = &table };
	struct buf text = { 0 };
	const char *events;

	(void)state;
	put(p, &(struct wait){ 0x10, 900, 1, 2, LOCK_KIND_EVENT, LOCK_RELEASED_BY,
			       stack_of(p, write), stack_of(p, freeing), 0, 0 });
	put(p, &(struct wait){ 0x20, 800, 1, 2, LOCK_KIND_EVENT, LOCK_RELEASED_BY,
			       stack_of(p, wait), stack_of(p, freeing), 0, 0 });
	lock_table_fill(&table, p);
	lock_text(&view, &text);
	events = strstr(text.data, "Waits for events");
	assert_non_null(events);
	assert_non_null(strstr(events, "Rust condition"));
	assert_null(strstr(events, "Rust rwlock"));
	assert_non_null(strstr(text.data, "Rust rwlock"));
	buf_done(&text);
	lock_table_done(&table);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_lock_view__text_and_json),
					    cmocka_unit_test(test_lock_view__locks_of_runtimes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
