/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call chains as they are recorded: markers, and call stacks that the CPU kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event/desc.h"
#include "event/event.h"
#include "session/capture.h"

static const uint64_t recorded[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000010, 0xffffffff81000020,
				     PERF_CONTEXT_USER, 0x1234 };

static void test_capture__chain_is_split_by_markers(void **state)
{
	static struct capture_chain chain;
	struct event event = { .misc = PERF_RECORD_MISC_KERNEL,
			       .sample = { .chain = recorded, .chain_len = 5 } };

	(void)state;
	capture_chain_split(&event, &chain);
	assert_int_equal(chain.kernel, 2);
	assert_int_equal(chain.count, 3);
	assert_int_equal(chain.pc[2], 0x1234);
	assert_int_equal(chain.stop, STACK_STOP_NONE);
}

/* The user part is the branches: where the last call went, then the calls. */
static void test_capture__call_stack_of_branches(void **state)
{
	static const struct perf_branch_entry branch[] = { { .from = 0x2010, .to = 0x1000 },
							   { .from = 0x3010, .to = 0x2000 } };
	static struct capture_chain chain;
	struct event_desc desc = { .attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER |
							      PERF_SAMPLE_BRANCH_CALL_STACK };
	struct event event = {
		.misc = PERF_RECORD_MISC_KERNEL,
		.desc = &desc,
		.sample = { .chain = recorded, .chain_len = 5, .branch = branch, .branch_len = 2 }
	};

	(void)state;
	capture_chain_split(&event, &chain);
	assert_int_equal(chain.kernel, 2);
	assert_int_equal(chain.count, 5);
	assert_int_equal(chain.pc[2], 0x1000);
	assert_int_equal(chain.pc[3], 0x2010);
	assert_int_equal(chain.pc[4], 0x3010);
	assert_int_equal(chain.stop, STACK_STOP_LBR);
	desc.attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY; /* these are no calls */
	capture_chain_split(&event, &chain);
	assert_int_equal(chain.count, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_capture__chain_is_split_by_markers),
		cmocka_unit_test(test_capture__call_stack_of_branches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
