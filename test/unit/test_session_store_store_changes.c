/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/store: a change in a store is found with its service, the build that began then and the
 * mark; its words and its key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store_samples.h"

#include "base/buf.h"
#include "session/store/change_services.h"
#include "session/store/store_changes.h"
#include "session/store/watch_findings.h"
#include "store/mark.h"

#define HOUR_NS STORE_HOUR_NS
#define COLUMNS 40
#define CHANGE	25

static char folder[64];

static int set_up(void **state)
{
	(void)state;
	make_folder(folder);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	remove_folder(folder);
	return 0;
}

static void add(struct profile *p, size_t column, const char *function, uint64_t count)
{
	struct frame root = { .function = strtab_puts(p->strings, "main") };
	struct frame leaf = { .function = strtab_puts(p->strings, function) };
	struct profile_sample sample = { .event = profile_event(p, "cpu-clock", "ns"),
					 .thread = profile_thread(p, 1, 1, "x"),
					 .cpu = PROFILE_NO_CPU,
					 .time_ns = MONDAY_NS + column * HOUR_NS,
					 .count = count,
					 .weight = count * 1000 + column * 7919 % 997 };

	sample.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &root));
	sample.stack = profile_stack_push(p, sample.stack, profile_frame(p, &leaf));
	profile_add(p, &sample);
}

/* From CHANGE on `slow` takes more, and the build is another one. */
static void put(struct store *store, const char *service, bool changes)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		struct profile *p = profile_new(PROFILE_KEEP_TIME);
		struct label_set labels = { 0 };
		struct store_batch batch = { .profile = p, .labels = &labels };
		struct err err = { 0 };
		bool after = changes && i >= CHANGE;

		assert_true(label_set_put(&labels, "service", service));
		assert_true(label_set_put(&labels, "build", after ? "new1" : "old1"));
		add(p, i, "read", 3000 + i % 3);
		add(p, i, "write", 4000);
		add(p, i, "sort", 2000);
		add(p, i, "slow", after ? 2000 : 1000);
		assert_int_equal(store_append(store, &batch, &err), 0);
		profile_free(p);
		label_set_done(&labels);
	}
}

static struct store_changes_question ask(void)
{
	return (struct store_changes_question){ .location = folder,
						.from_ns = MONDAY_NS,
						.to_ns = MONDAY_NS + COLUMNS * HOUR_NS,
						.step_ns = HOUR_NS,
						.by = "service",
						.viewer = STORE_EVERYBODY,
						.least_samples = 100,
						.limits = { 0.05, 0.001, 0.05, 4 } };
}

static const struct store_change *only_found(const struct store_changes *changes)
{
	const struct store_change *ret = NULL;

	for (size_t i = 0; i < changes->item.count; i++)
		if (changes->item.item[i].fate == CHANGE_FOUND) {
			assert_null(ret);
			ret = &changes->item.item[i];
		}
	assert_non_null(ret);
	return ret;
}

static void check_words(const struct store_changes *changes, const struct store_change *found)
{
	const struct watch_options words = { .location = "it's", .page = "http://p" };
	struct buf text = { 0 }, known = { 0 };

	watch_text(changes, &words, NULL, &text);
	assert_non_null(strstr(text.data, "# 1 change in 2 services, "));
	assert_non_null(strstr(text.data, "a\"b: slow: 10.00% -> 18."));
	assert_non_null(strstr(text.data, "  deploy\n"));
	assert_non_null(strstr(text.data, "--store 'it'\\''s' '{service=\"a\\\"b\"}' --from @"));
	assert_non_null(strstr(text.data, "http://p/#from=%40"));
	assert_non_null(strstr(text.data, "selector=%7Bservice%3D%22a%5C%22b%22%7D&"));
	buf_clear(&text);
	watch_json(changes, &words, NULL, &text);
	assert_non_null(strstr(text.data, "\"function\":\"slow\""));
	assert_false(watch_is_known(changes, found, NULL));
	watch_put_known(found, &known);
	assert_true(watch_is_known(changes, found, known.data));
	assert_false(watch_is_known(changes, found, "garbage\n\n12 x\n"));
	known.data[0] ^= 1;
	assert_false(watch_is_known(changes, found, known.data));
	buf_done(&text);
	buf_done(&known);
}

static void test_store_changes__the_service_the_build_and_the_mark(void **state)
{
	struct store *store = open_store(folder, true);
	struct store_changes_question question = ask();
	const struct store_change *found;
	struct store_changes changes;
	struct marks marks = { 0 };
	struct err err = { 0 };

	(void)state;
	put(store, "a\"b", true);
	put(store, "quiet", false);
	store_close(store);
	vec_push(&marks.item, ((struct mark){ .time_ns = MONDAY_NS + CHANGE * HOUR_NS,
					      .text = strdup("deploy") }));
	question.marks = &marks;
	assert_int_equal(store_changes_find(&question, &changes, &err), 0);
	assert_int_equal(changes.services, 2);
	assert_int_equal(changes.short_services, 0);
	found = only_found(&changes);
	assert_string_equal(found->service, "a\"b");
	assert_string_equal(found->function, "slow");
	assert_true(found->time_ns == MONDAY_NS + CHANGE * HOUR_NS);
	assert_int_equal(found->notes.count, 2);
	assert_string_equal(found->notes.item[0].text, "build new1");
	assert_string_equal(found->notes.item[1].text, "deploy");
	check_words(&changes, found);
	store_changes_done(&changes);
	marks_done(&marks);
}

static void test_store_changes__steps_and_ranges(void **state)
{
	struct store *store = open_store(folder, true);
	struct store_changes_question question = ask();
	struct store_changes changes;
	struct err err = { 0 };

	(void)state;
	put(store, "a", false);
	store_close(store);
	question.step_ns = HOUR_NS + 1;
	assert_int_not_equal(store_changes_find(&question, &changes, &err), 0);
	assert_non_null(strstr(err.msg, "multiple of 10s"));
	question.step_ns = STORE_DAY_NS;
	err = (struct err){ 0 };
	assert_int_equal(store_changes_find(&question, &changes, &err), 0);
	assert_int_equal(changes.short_services, 1); /* one column */
	store_changes_done(&changes);
	question.step_ns = 0;
	question.to_ns = question.from_ns + 5;
	assert_int_not_equal(store_changes_find(&question, &changes, &err), 0);
}

static void test_change_services__their_events_and_selectors(void **state)
{
	struct store *store = open_store(folder, true);
	struct store_changes_question question = ask();
	struct change_services services = { 0 };
	struct store_changes range;
	struct err err = { 0 };

	(void)state;
	put(store, "web", true);
	store_close(store);
	question.selector = " {build=~\".*1\"}";
	range = (struct store_changes){ .from_ns = question.from_ns,
					.to_ns = question.to_ns,
					.step_ns = STORE_HOUR_NS };
	assert_int_equal(change_services_find(&question, &range, &services, &err), 0);
	assert_int_equal(services.item.count, 1);
	assert_string_equal(services.item.item[0].name, "web");
	assert_string_equal(services.item.item[0].event, "cpu-clock");
	assert_string_equal(services.item.item[0].selector, "{service=\"web\", build=~\".*1\"}");
	assert_int_equal(services.item.item[0].firsts.count, 1);
	change_services_done(&services);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_store_changes__the_service_the_build_and_the_mark, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_store_changes__steps_and_ranges, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_change_services__their_events_and_selectors,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
