/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared cache lines as text and JSON; test/live/mem_perf.sh compares the text with stock perf's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "base/buf.h"
#include "profile/c2c/c2c.h"
#include "profile/c2c/c2c_counts.h"
#include "profile/profile.h"
#include "view/c2c/c2c_view.h"

static const union perf_mem_data_src hitm = { .mem_op = PERF_MEM_OP_LOAD,
					      .mem_lvl = PERF_MEM_LVL_HIT | PERF_MEM_LVL_L3,
					      .mem_snoop = PERF_MEM_SNOOP_HITM };
static const union perf_mem_data_src far_hitm = { .mem_op = PERF_MEM_OP_LOAD,
						  .mem_lvl = PERF_MEM_LVL_HIT |
							     PERF_MEM_LVL_REM_CCE1,
						  .mem_snoop = PERF_MEM_SNOOP_HITM };
static const union perf_mem_data_src store = { .mem_op = PERF_MEM_OP_STORE,
					       .mem_lvl = PERF_MEM_LVL_HIT | PERF_MEM_LVL_L1 };
static const union perf_mem_data_src hit = { .mem_op = PERF_MEM_OP_LOAD,
					     .mem_lvl = PERF_MEM_LVL_HIT | PERF_MEM_LVL_L1 };

static void put(struct profile *p, const char *function, uint32_t cpu, uint64_t addr,
		union perf_mem_data_src src)
{
	const struct frame frame = { .function = strtab_puts(p->strings, function),
				     .file = strtab_puts(p->strings, "/src/a.c"),
				     .line = 7,
				     .module = profile_module(p, "/bin/app", ""),
				     .pc = 0x1000 + (uint64_t)function[0] };
	const struct profile_access access = { .kind = ACCESS_GLOBAL,
					       .addr = addr,
					       .offset = addr - 0x10000,
					       .object = strtab_puts(p->strings, "counters"),
					       .data_src = src.val,
					       .weight = 100 };
	const struct profile_sample sample = {
		.event = profile_event(p, "mem-loads", ""),
		.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame)),
		.thread = profile_thread(p, 5, 5, "app"),
		.cpu = cpu,
		.weight = 100,
		.count = 1,
		.addr = p->accesses.count,
	};

	vec_push(&p->accesses, access);
	profile_add(p, &sample);
}

static struct profile *make(void)
{
	struct profile *p =
		profile_new(PROFILE_KEEP_CPU | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_ACCESS);

	for (int i = 0; i < 3; i++)
		put(p, "reader", 0, 0x10040, hitm);
	put(p, "reader", 2, 0x10040, far_hitm);
	put(p, "writer", 1, 0x10048, store);
	put(p, "writer", 3, 0x10088, store);
	put(p, "other", 0, 0x20000, hit);
	return p;
}

static void test_c2c__lines_and_entries(void **state)
{
	const struct c2c_options options = { .coalesce = C2C_BY_ADDRESS };
	const struct c2c_options wide = { .coalesce = C2C_BY_PID, .double_line = true };
	struct profile *p = make();
	struct c2c c2c;

	(void)state;
	c2c_sum_up(p, &options, &c2c);
	assert_int_equal(7, c2c.all.entries);
	assert_int_equal(2, c2c.all.store);
	assert_int_equal(1, c2c.line.count);
	assert_int_equal(0x10040, c2c.line.item[0].address);
	assert_int_equal(3, c2c.line.item[0].counts.local_hitm);
	assert_int_equal(1, c2c.line.item[0].counts.remote_hitm);
	assert_int_equal(2, c2c.line.item[0].entry_count);
	assert_int_equal(0, c2c.entry.item[0].offset);
	assert_int_equal(2, c2c.entry.item[0].cpu_count);
	assert_int_equal(8, c2c.entry.item[1].offset);
	c2c_done(&c2c);
	c2c_sum_up(p, &wide, &c2c);
	assert_int_equal(0x10000, c2c.line.item[0].address);
	assert_int_equal(1, c2c.line.item[0].counts.store);
	c2c_done(&c2c);
	profile_free(p);
}

static void test_c2c__is_shown(void **state)
{
	static const char *const words[] = { "cupel", "c2c" };
	static const uint32_t nodes[] = { 0, 0, 1, C2C_NO_NODE };
	const struct c2c_options options = { .coalesce = C2C_BY_ADDRESS };
	struct profile *p = make();
	struct c2c c2c;
	struct c2c_view view = { .profile = p,
				 .c2c = &c2c,
				 .node_of = nodes,
				 .cpu_count = 4,
				 .node_detail = 2,
				 .words = words,
				 .word_count = 2 };
	struct buf text = { 0 }, json = { 0 };

	(void)state;
	c2c_sum_up(p, &options, &c2c);
	c2c_text(&view, &text);
	assert_non_null(strstr(text.data, "  Load Local HITM                   :          3\n"));
	assert_non_null(strstr(text.data, "  Cacheline data grouping           : offset,iaddr\n"));
	assert_non_null(strstr(text.data,
			       "      0             0x10040   N/A       0  100.00%"
			       "        4        3        1        5        4        1"));
	assert_non_null(strstr(text.data, "            0x10040  counters+0x40\n"));
	assert_non_null(strstr(text.data, "         100.00%  100.00%    0.00%    0.00%    0.00%"));
	assert_non_null(strstr(text.data, "[.] reader  app     a.c:7         0{0}  1{2}\n"));
	c2c_json(&view, &json);
	assert_non_null(strstr(json.data, "\"local_hitm\": 3, \"remote_hitm\": 1"));
	assert_non_null(strstr(json.data, "\"function\": \"writer\""));
	view.stats_only = true;
	buf_clear(&text);
	c2c_text(&view, &text);
	assert_null(strstr(text.data, "Pareto"));
	c2c_done(&c2c);
	buf_done(&text);
	buf_done(&json);
	profile_free(p);
}

/* A remote level with hops is another core of this node. */
static void test_c2c__remote_and_hops(void **state)
{
	union perf_mem_data_src src = { .mem_op = PERF_MEM_OP_LOAD,
					.mem_lvl = PERF_MEM_LVL_HIT,
					.mem_remote = 1 };
	struct profile_access access = { .addr = 8, .kind = ACCESS_UNKNOWN, .data_src = src.val };
	struct c2c_counts counts;

	(void)state;
	c2c_count(&access, &counts);
	assert_int_equal(1, counts.remote_dram);
	assert_int_equal(1, counts.no_mapping);
	src.mem_hops = 1;
	access.data_src = src.val;
	c2c_count(&access, &counts);
	assert_int_equal(0, counts.remote_dram);
	access.addr = 0;
	c2c_count(&access, &counts);
	assert_int_equal(1, counts.load_no_address);
	access.data_src = 0;
	c2c_count(&access, &counts);
	assert_int_equal(1, counts.unparsed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c2c__remote_and_hops),
		cmocka_unit_test(test_c2c__lines_and_entries),
		cmocka_unit_test(test_c2c__is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
