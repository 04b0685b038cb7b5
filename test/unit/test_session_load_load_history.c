/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chains with branches: their order, calls that are in both, the border of the kernel. */
#include "session/load/load_history.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "event/event.h"

#define IN(pc)	  (0xffffffff00000000u | (pc))
#define TO_USER	  ((uint64_t)PERF_CONTEXT_USER)
#define TO_KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)

static void expect(const struct event *event, const uint64_t *want, size_t count)
{
	struct load_history *history = load_history_new();
	struct event ret;

	load_history_set(history, event, &ret);
	assert_int_equal(ret.sample.chain_len, count);
	assert_memory_equal(ret.sample.chain, want, count * sizeof(*want));
	assert_int_equal(ret.sample.stack_len, 0);
	load_history_free(history);
}

static void test_load_history__of_a_program(void **state)
{
	/* main at 0x100 calls 0x200 at 0x110, which loops, and calls 0x300 at 0x220 */
	const struct perf_branch_entry branch[] = {
		{ .from = 0x220, .to = 0x300 },
		{ .from = 0x210, .to = 0x204 },
		{ .from = 0x110, .to = 0x200 },
	};
	const uint64_t chain[] = { TO_USER, 0x310, 0x225, 0x115, 0x95, TO_USER };
	const struct event event = { .type = EVENT_SAMPLE,
				     .sample = { .ip = 0x310,
						 .chain = chain,
						 .chain_len = 6,
						 .branch = branch,
						 .branch_len = 3,
						 .stack_len = 8 } };
	const uint64_t want[] = { TO_KERNEL, TO_USER, 0x310, 0x300, 0x220,  0x204,
				  0x210,     0x200,   0x110, 0x94,  TO_USER };

	(void)state;
	expect(&event, want, sizeof(want) / sizeof(*want));
}

static void test_load_history__ends_at_the_kernel(void **state)
{
	const struct perf_branch_entry branch[] = {
		{ .from = IN(0x20), .to = IN(0x30) },
		{ .from = 0x110, .to = IN(0x10) },
		{ .from = 0x104, .to = 0x10c },
		{ .from = IN(0x50), .to = 0x102 }, /* what was before is left out */
		{ .from = 0x90, .to = 0x98 },
	};
	const uint64_t chain[] = { TO_KERNEL, IN(0x34), IN(0x25), TO_USER, 0x112, 0x85 };
	const struct event event = { .type = EVENT_SAMPLE,
				     .sample = { .ip = IN(0x34),
						 .chain = chain,
						 .chain_len = 6,
						 .branch = branch,
						 .branch_len = 5 } };
	const uint64_t want[] = { TO_KERNEL, IN(0x34), IN(0x30), IN(0x20), IN(0x10),
				  TO_USER,   0x110,    0x10c,	 0x104,	   0x84 };

	(void)state;
	expect(&event, want, sizeof(want) / sizeof(*want));
}

static void test_load_history__without_branches(void **state)
{
	const uint64_t chain[] = { TO_USER, 0x310, 0x225 };
	struct event event = { .type = EVENT_SAMPLE,
			       .sample = { .ip = 0x310, .chain = chain, .chain_len = 3 } };
	const uint64_t want[] = { TO_KERNEL, TO_USER, 0x310, 0x224 };

	(void)state;
	expect(&event, want, 4);
	event.sample.chain_len = 0;
	expect(&event, want, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_load_history__of_a_program),
		cmocka_unit_test(test_load_history__ends_at_the_kernel),
		cmocka_unit_test(test_load_history__without_branches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
