/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/latency/queue_length: BCC's layouts and JSON, all CPUs as one and each apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "view/latency/latency_map.h"
#include "view/latency/queue_length.h"

static const uint64_t count[] = { 30, 10, 0, 0, 60, 0, 0, 20 };
static const struct queue_lengths queues = { count, 2, 4 };

static void check(struct queue_length_options options, bool json, const char *expected)
{
	struct buf out = { 0 };

	if (json)
		queue_length_json(&queues, &options, &out);
	else
		queue_length_text(&queues, &options, &out);
	assert_string_equal(out.data, expected);
	buf_done(&out);
}

static void test_text(void **state)
{
	(void)state;
	check((struct queue_length_options){ 0 }, false,
	      "     runqlen       : count     distribution\n"
	      "        0          : 90       |****************************************|\n"
	      "        1          : 10       |****                                    |\n"
	      "        2          : 0        |                                        |\n"
	      "        3          : 20       |********                                |\n");
	check((struct queue_length_options){ .per_cpu = true }, false,
	      "\ncpu = 0\n     runqlen       : count     distribution\n"
	      "        0          : 30       |****************************************|\n"
	      "        1          : 10       |*************                           |\n"
	      "\ncpu = 1\n     runqlen       : count     distribution\n"
	      "        0          : 60       |****************************************|\n"
	      "        1          : 0        |                                        |\n"
	      "        2          : 0        |                                        |\n"
	      "        3          : 20       |*************                           |\n");
}

static void test_occupancy(void **state)
{
	(void)state;
	check((struct queue_length_options){ .occupancy = true }, false, "runqocc: 25.00%\n");
	check((struct queue_length_options){ .occupancy = true, .per_cpu = true }, false,
	      "runqocc, CPU 0    25.00%\nrunqocc, CPU 1    25.00%\n");
}

static void test_json(void **state)
{
	(void)state;
	check((struct queue_length_options){ .per_cpu = true }, true,
	      "{\"cupel\":1,\"what\":\"run queue length\",\"queues\":["
	      "{\"cpu\":0,\"samples\":40,\"occupancy\":0.2500,\"lengths\":["
	      "{\"length\":0,\"count\":30},{\"length\":1,\"count\":10}]},"
	      "{\"cpu\":1,\"samples\":80,\"occupancy\":0.2500,\"lengths\":["
	      "{\"length\":0,\"count\":60},{\"length\":3,\"count\":20}]}]}\n");
}

static void test_map(void **state)
{
	const struct queue_lengths first = { (const uint64_t[]){ 1, 0, 2, 3 }, 2, 2 };
	struct latency_map map = { .column_ns = 10 };

	(void)state;
	queue_lengths_map(&first, 25, &map);
	assert_int_equal(map.count.count, 3 * LATENCY_MAP_ROWS);
	assert_int_equal(map.count.item[2 * LATENCY_MAP_ROWS], 3); /* of both CPUs */
	assert_int_equal(map.count.item[2 * LATENCY_MAP_ROWS + 1], 3);
	latency_map_done(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_occupancy),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
