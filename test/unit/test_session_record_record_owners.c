/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/record_owners: users of processes that make code, while they run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "event/event.h"
#include "session/record/record_owners.h"

static void test_looks_where_code_is_in_no_file(void **state)
{
	struct record_owners owners = { 0 };
	struct event map = { .type = EVENT_MMAP,
			     .pid = (uint32_t)getpid(),
			     .mmap = { .prot = PROT_EXEC, .path = "/bin/sh" } };
	uint64_t user;

	(void)state;
	record_owners_event(&owners, &map);
	assert_int_equal(owners.users.count, 0);
	map.mmap.path = "//anon";
	record_owners_event(&owners, &map);
	assert_true(map_get(&owners.users, map.pid, &user));
	assert_int_equal(user, geteuid());
	map.pid = 999999999; /* not there: nothing is known */
	record_owners_event(&owners, &map);
	assert_int_equal(owners.users.count, 1);
	record_owners_done(&owners);
}

static void test_reads_records_of_the_kernel(void **state)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t addr, len, pgoff, file[3];
		uint32_t prot, flags;
		char path[16];
	} record = { .header = { .type = PERF_RECORD_MMAP2, .size = sizeof(record) },
		     .pid = (uint32_t)getpid(),
		     .prot = PROT_EXEC,
		     .path = "/memfd:jit" };
	struct record_owners owners = { 0 };

	(void)state;
	record_owners_records(&owners, (const uint8_t *)&record, sizeof(record) - 8); /* cut */
	assert_int_equal(owners.users.count, 0);
	record_owners_records(&owners, (const uint8_t *)&record, sizeof(record));
	assert_int_equal(owners.users.count, 1);
	record_owners_done(&owners);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_looks_where_code_is_in_no_file),
		cmocka_unit_test(test_reads_records_of_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
