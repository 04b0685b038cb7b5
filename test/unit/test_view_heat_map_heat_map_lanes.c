/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lanes of heat maps: CPUs by number, threads by samples, nothing where there is only one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "profile/profile.h"
#include "view/heat_map/heat_map_lanes.h"

static struct profile *make(const uint32_t (*given)[2], size_t count)
{
	struct profile *p = profile_new(PROFILE_KEEP_TIME | PROFILE_KEEP_CPU);

	for (size_t i = 0; i < count; i++) {
		struct profile_sample sample = {
			.thread = profile_thread(p, 7, given[i][0], "a\"b"),
			.event = profile_event(p, "cycles", ""),
			.cpu = given[i][1],
			.time_ns = i + 1,
			.weight = 1,
			.count = 1,
		};

		profile_add(p, &sample);
	}
	return p;
}

static void check_json(const struct profile *p, const char *wanted)
{
	struct heat_map_lanes lanes;
	struct buf json = { 0 };

	heat_map_lanes_find(p, &lanes);
	heat_map_lanes_put_json(p, &lanes, &json);
	assert_string_equal(json.data, wanted);
	for (size_t i = 0; i < p->samples.count; i++) {
		uint32_t lane = heat_map_lanes_cpu(&lanes, &p->samples.item[i]);

		assert_int_equal(lanes.cpus.item[lane], p->samples.item[i].cpu);
	}
	buf_done(&json);
	heat_map_lanes_done(&lanes);
}

static void test_heat_map_lanes__in_order(void **state)
{
	static const uint32_t given[][2] = { { 9, 3 }, { 7, 11 }, { 9, 0 }, { 9, 3 } };
	struct profile *p = make(given, 4);

	(void)state;
	check_json(p, "{\"cpu\":[\"CPU 0\",\"CPU 3\",\"CPU 11\"],"
		      "\"thread\":[\"a\\\"b (7/9)\",\"a\\\"b (7)\"]}");
	profile_free(p);
}

static void test_heat_map_lanes__none_of_one(void **state)
{
	static const uint32_t given[][2] = { { 7, PROFILE_NO_CPU }, { 7, PROFILE_NO_CPU } };
	struct profile *p = make(given, 2);

	(void)state;
	check_json(p, "{\"cpu\":[],\"thread\":[]}");
	profile_free(p);
}

static void test_heat_map_lanes__cpu_of_some(void **state)
{
	static const uint32_t given[][2] = { { 7, PROFILE_NO_CPU }, { 7, 2 } };
	struct profile *p = make(given, 2);

	(void)state;
	check_json(p, "{\"cpu\":[\"CPU 2\",\"unknown CPU\"],\"thread\":[]}");
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heat_map_lanes__in_order),
		cmocka_unit_test(test_heat_map_lanes__none_of_one),
		cmocka_unit_test(test_heat_map_lanes__cpu_of_some),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
