/* SPDX-License-Identifier: GPL-2.0-or-later */
/* server/answer, server/worker, server/exchange: answers add up to what is stored, are the same
 * from a process of their own, and mistakes have their status. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store_samples.h"

#include "base/fd.h"
#include "base/memory_limit.h"
#include "server/answer.h"
#include "server/answer_kinds.h"
#include "server/asset.h"
#include "server/exchange.h"
#include "server/question.h"
#include "server/reply.h"
#include "server/worker.h"
#include "store/label_set.h"

#define NOW_NS (MONDAY_NS + 3600 * SECOND_NS)

static char folder[] = "/tmp/cupel-answer-XXXXXX";
static uint64_t stored;

static int fill_store(void **state)
{
	const struct sample_plan plan = {
		.from_ns = MONDAY_NS, .step_ns = SECOND_NS, .first = 1, .count = 3000
	};
	struct label_set labels = { 0 };
	struct err err = { 0 };
	struct store *store;

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	store = open_store(folder, true);
	(void)label_set_put(&labels, "service", "</script>\"'&");
	(void)label_set_put(&labels, "uid", "1000");
	stored = put_samples(store, &plan, &labels, &err);
	store_close(store);
	label_set_done(&labels);
	return stored ? 0 : -1;
}

static int drop_store(void **state)
{
	(void)state;
	remove_folder(folder);
	return 0;
}

static struct question_place place_of(uint32_t viewer)
{
	return (struct question_place){ folder, viewer, NOW_NS };
}

static void get(const char *target, uint32_t viewer, struct reply *reply)
{
	const struct question_place place = place_of(viewer);

	*reply = (struct reply){ 0 };
	answer(target, &place, reply);
}

/* The sum of the numbers behind "total":, but for the first `skip` ones. */
static uint64_t totals(const char *json, int skip)
{
	uint64_t sum = 0;

	for (const char *at = json; (at = strstr(at, "\"total\":")); at++)
		if (skip-- <= 0)
			sum += strtoull(at + 8, NULL, 10);
	return sum;
}

static void test_answer__sums_are_whole(void **state)
{
	struct reply reply;

	(void)state;
	get("/api/timeline", STORE_EVERYBODY, &reply);
	assert_int_equal(reply.status, 200);
	assert_int_equal(totals(reply.body.data, 0), stored);
	reply_done(&reply);
	get("/api/functions?total=", STORE_EVERYBODY, &reply);
	assert_int_equal(totals(reply.body.data, 1), stored);
	reply_done(&reply);
	get("/api/timeline?by=service&event=cpu-clock", STORE_EVERYBODY, &reply);
	assert_int_equal(totals(reply.body.data, 0), stored);
	assert_non_null(strstr(reply.body.data, "</script>\\\"'&"));
	reply_done(&reply);
	get("/api/labels", STORE_EVERYBODY, &reply);
	assert_non_null(strstr(reply.body.data, "\"event\":[[\"cpu-clock\",3000]]"));
	reply_done(&reply);
}

/* In a store of its own. */
static void test_answer__events_are_not_added(void **state)
{
	static const char *const targets[] = { "/api/timeline?by=comm", "/api/functions",
					       "/flame" };
	char own[64];
	const struct question_place place = { own, STORE_EVERYBODY, NOW_NS };
	struct profile *p = profile_new(PROFILE_KEEP_TIME);
	struct store_batch batch = { .profile = p };
	struct store *store;
	struct err err = { 0 };
	struct reply reply = { 0 };

	(void)state;
	make_folder(own);
	store = open_store(own, true);
	for (unsigned i = 0; i < 2; i++) {
		struct profile_sample sample = {
			.event = profile_event(p, i ? "page-faults" : "cpu-clock",
					       i ? "count" : "ns"),
			.thread = profile_thread(p, 1, 1, "a"),
			.cpu = PROFILE_NO_CPU,
			.time_ns = NOW_NS - 60 * SECOND_NS,
			.weight = 10,
			.count = 1,
		};

		profile_add(p, &sample);
	}
	assert_int_equal(store_append(store, &batch, &err), 0);
	store_close(store);
	profile_free(p);
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		answer(targets[i], &place, &reply);
		assert_int_equal(reply.status, 400);
		assert_non_null(strstr(reply.body.data, "event=NAME"));
		assert_non_null(strstr(reply.body.data, "page-faults"));
		reply_done(&reply);
		reply = (struct reply){ 0 };
	}
	answer("/flame?event=page-faults", &place, &reply);
	assert_int_equal(reply.status, 200);
	reply_done(&reply);
	reply = (struct reply){ 0 };
	answer("/api/functions?event=page-faults&total=", &place, &reply);
	assert_int_equal(totals(reply.body.data, 0) % 10, 0);
	assert_non_null(strstr(reply.body.data, "\"unit\":\"count\""));
	reply_done(&reply);
	reply = (struct reply){ 0 };
	answer("/api/timeline?by=event", &place, &reply);
	assert_int_equal(reply.status, 200);
	assert_int_equal(totals(reply.body.data, 0), 20);
	reply_done(&reply);
	reply = (struct reply){ 0 };
	answer("/api/timeline?by=comm&event=page-faults", &place, &reply);
	assert_int_equal(totals(reply.body.data, 0), 10);
	reply_done(&reply);
	remove_folder(own);
}

static void test_answer__others_see_nothing_of_it(void **state)
{
	static const char *const targets[] = { "/export?format=folded", "/flame",
					       "/api/functions" };
	struct reply reply;

	(void)state;
	get("/export?format=folded", 1000, &reply);
	assert_non_null(strstr(reply.body.data, "f0_"));
	reply_done(&reply);
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		get(targets[i], 1001, &reply);
		assert_int_equal(reply.status, 200);
		assert_null(strstr(reply.body.data, "f0_"));
		reply_done(&reply);
	}
}

static void test_answer__pages_have_no_scripts_inside(void **state)
{
	static const char *const targets[] = {
		"/flame?selector={service=~\".*\"}",
		"/diff?from=-30m&before_from=-1h&before_to=-30m&selector={service=~\".*\"}",
	};
	struct reply reply;

	(void)state;
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		get(targets[i], STORE_EVERYBODY, &reply);
		assert_int_equal(reply.status, 200);
		assert_non_null(strstr(reply.body.data, "<script src=\"asset/"));
		assert_null(strstr(reply.body.data, "<script>"));
		assert_null(strstr(reply.body.data, "<style>"));
		reply_done(&reply);
	}
}

static void test_answer__mistakes_have_their_status(void **state)
{
	static const struct {
		const char *target;
		unsigned status;
	} cases[] = { { "/nothing", 404 },
		      { "/flame?from=x", 400 },
		      { "/flame?selector={", 400 },
		      { "/flame?%", 400 },
		      { "/flame?selector={service=other}", 404 },
		      { "/diff?before_from=-9h&before_to=-8h", 404 },
		      { "/export", 400 },
		      { "/export?format=../x", 400 },
		      { "/export?format=a.folded", 400 },
		      { "/api/unknown?event=none", 404 } };
	struct reply reply;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		get(cases[i].target, STORE_EVERYBODY, &reply);
		if (reply.status != cases[i].status)
			fail_msg("%s: %u", cases[i].target, reply.status);
		reply_done(&reply);
	}
}

static void test_worker__answers_the_same(void **state)
{
	const struct worker_limits limits = { 2, 0, 60 * SECOND_NS };
	const struct question_place place = place_of(STORE_EVERYBODY);
	struct reply own, reply = { 0 };
	struct workers *workers;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(workers_open(&limits, &workers, &err), 0);
	get("/export?format=folded", STORE_EVERYBODY, &own);
	workers_answer(workers, "/export?format=folded", &place, &reply);
	assert_int_equal(reply.status, 200);
	assert_string_equal(reply.download, own.download);
	assert_string_equal(reply.type, own.type);
	assert_string_equal(reply.body.data, own.body.data);
	reply_done(&own);
	reply_done(&reply);
	reply = (struct reply){ 0 };
	workers_answer(workers, "/nothing", &place, &reply);
	assert_int_equal(reply.status, 404);
	reply_done(&reply);
	workers_close(workers);
}

static void test_worker__has_limits(void **state)
{
	const struct worker_limits limits = { 1, (uint64_t)64 << 20, 60 * SECOND_NS };
	const struct question_place place = place_of(STORE_EVERYBODY);
	struct reply reply = { 0 };
	struct workers *workers;
	char names[64];
	struct err err = { 0 };

	(void)state;
	if (!MEMORY_LIMIT_METERED)
		skip();
	/* a file that answers read, larger than the limit */
	(void)snprintf(names, sizeof(names), "%s/names", folder);
	AUTO_CLOSE int fd = open(names, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(ftruncate(fd, 512 << 20), 0);
	assert_int_equal(workers_open(&limits, &workers, &err), 0);
	workers_answer(workers, "/flame", &place, &reply);
	assert_int_equal(reply.status, 500); /* and this process goes on */
	reply_done(&reply);
	workers_close(workers);
	assert_int_equal(unlink(names), 0);
}

static void test_exchange__routes(void **state)
{
	unsigned status = 0;

	(void)state;
	assert_non_null(exchange_route("GET", "/", &status));
	assert_non_null(exchange_route("GET", "/flame?from=-1h", &status));
	assert_non_null(exchange_route("GET", "/asset/flame_html.js?v=1", &status));
	assert_null(exchange_route("POST", "/flame", &status));
	assert_int_equal(status, 405);
	assert_null(exchange_route("GET", "/asset/../tokens", &status));
	assert_int_equal(status, 404);
	assert_null(exchange_route("GET", "", &status));
	assert_non_null(asset_find("/asset/server_page.js"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answer__sums_are_whole),
		cmocka_unit_test(test_answer__events_are_not_added),
		cmocka_unit_test(test_answer__others_see_nothing_of_it),
		cmocka_unit_test(test_answer__pages_have_no_scripts_inside),
		cmocka_unit_test(test_answer__mistakes_have_their_status),
		cmocka_unit_test(test_worker__answers_the_same),
		cmocka_unit_test(test_worker__has_limits),
		cmocka_unit_test(test_exchange__routes),
	};

	return cmocka_run_group_tests(tests, fill_store, drop_store);
}
