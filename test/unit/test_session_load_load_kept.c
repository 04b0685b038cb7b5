/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/load/load_kept: which word of a sample is kept, and that unknown cgroups have no name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "event/desc.h"
#include "event/event.h"
#include "proc/module.h"
#include "proc/proc.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/load/load_kept.h"

static uint64_t value(unsigned keep, uint64_t sample_type)
{
	struct event_desc desc = { .attr.sample_type = sample_type };
	struct event event = {
		.desc = &desc,
		.sample = { .addr = 1, .weight = 3ull << 32 | 2, .cgroup = 4, .transaction = 5 }
	};
	struct load_kept *kept = load_kept_new(NULL, PROFILE_KEEP_ADDR | keep, NULL);
	uint64_t ret = load_kept_value(kept, &event);

	load_kept_free(kept);
	return ret;
}

static void test_values(void **state)
{
	(void)state;
	assert_int_equal(value(0, 0), 1);
	assert_int_equal(value(PROFILE_ADDR_IS_WEIGHT, PERF_SAMPLE_WEIGHT), 3ull << 32 | 2);
	assert_int_equal(value(PROFILE_ADDR_IS_WEIGHT, PERF_SAMPLE_WEIGHT_STRUCT), 2);
	assert_int_equal(value(PROFILE_ADDR_IS_CGROUP, 0), 4);
	assert_int_equal(value(PROFILE_ADDR_IS_TRANSACTION, 0), 5);
}

/* Several numbers of one sample lie behind each other. */
static void test_numbers_of_samples(void **state)
{
	static const struct load_values values[] = {
		{ "sys:call", { "field", LOAD_VALUE_WEIGHT } },
		{ NULL, { LOAD_VALUE_ADDR, LOAD_VALUE_DATA_SRC, "field" } },
	};
	const struct load_options options = { .values = values };
	unsigned keep = PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_VALUES;
	struct event_desc desc[] = { { .name = "page-faults" },
				     { .name = "sys:call", .index = 1 } };
	struct event event = { .desc = &desc[0],
			       .sample = { .addr = 1, .weight = 2, .data_src = 3 } };
	struct profile *profile = profile_new(keep);
	struct load_kept *kept = load_kept_new(NULL, keep, &options);

	(void)state;
	assert_int_equal(load_kept_value(kept, &event), 0);
	event.desc = &desc[1];
	assert_int_equal(load_kept_value(kept, &event), 3);
	assert_int_equal(load_kept_value(kept, &event), 5);
	load_kept_finish(kept, NULL, profile);
	assert_int_equal(profile->values.count, 7);
	assert_int_equal(profile->values.item[0], 1);
	assert_int_equal(profile->values.item[1], 3);
	assert_int_equal(profile->values.item[2], 0); /* it is no tracepoint */
	assert_int_equal(profile->values.item[4], 2);
	load_kept_free(kept);
	profile_free(profile);
}

static void test_unknown_cgroup(void **state)
{
	struct module_table *modules = module_table_new();
	struct proc_table *procs = proc_table_new(modules);
	unsigned keep = PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_CGROUP;
	struct profile *profile = profile_new(keep);
	struct profile_sample sample = { .addr = 77 };
	struct load_kept *kept = load_kept_new(NULL, keep, NULL);

	(void)state;
	vec_push(&profile->samples, sample);
	load_kept_finish(kept, procs, profile);
	assert_int_equal(profile->samples.item[0].addr, STRING_EMPTY.v);
	load_kept_free(kept);
	load_kept_free(NULL);
	profile_free(profile);
	proc_table_free(procs);
	module_table_free(modules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_numbers_of_samples),
		cmocka_unit_test(test_unknown_cgroup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
