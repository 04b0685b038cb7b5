/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that threads share: ranked by the samples of others; those of one thread, guesses and
 * blocks that begin are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/access/shared_lines.h"
#include "profile/profile.h"

static void add(struct profile *p, uint32_t tid, const struct profile_access *access,
		unsigned times)
{
	struct profile_sample sample = { .event = profile_event(p, "cpu-clock", "ns"),
					 .thread = profile_thread(p, 7, tid, "app"),
					 .weight = 1,
					 .count = times,
					 .addr = p->accesses.count };

	vec_push(&p->accesses, *access);
	profile_add(p, &sample);
}

static void at(struct profile *p, uint32_t tid, uint64_t addr, unsigned times)
{
	const struct profile_access access = { .addr = addr,
					       .offset = addr - 0x1000,
					       .kind = ACCESS_GLOBAL,
					       .object = strtab_puts(p->strings, "table") };

	add(p, tid, &access, times);
}

static void test_shared_lines__ranked(void **state)
{
	struct profile *p =
		profile_new(PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_ACCESS);
	struct shared_lines lines;

	(void)state;
	at(p, 1, 0x1000, 500); /* its own */
	at(p, 1, 0x1048, 100); /* nearly its own */
	at(p, 2, 0x1040, 1);
	at(p, 1, 0x1088, 10); /* shared */
	at(p, 1, 0x1090, 10);
	at(p, 2, 0x10bf, 15);
	at(p, 3, 0x1080, 5);
	shared_lines_find(p, &lines);
	assert_int_equal(lines.line.count, 2);
	assert_int_equal(lines.line.item[0].address, 0x1080);
	assert_int_equal(lines.line.item[0].offset, 0x80);
	assert_int_equal(lines.line.item[0].samples, 40);
	assert_int_equal(lines.line.item[0].others, 20);
	assert_int_equal(lines.line.item[0].threads, 3);
	assert_int_equal(lines.line.item[1].address, 0x1040);
	assert_int_equal(lines.line.item[1].others, 1);
	shared_lines_done(&lines);
	profile_free(p);
}

static void test_shared_lines__what_is_no_access(void **state)
{
	struct profile *p =
		profile_new(PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_ACCESS);
	struct shared_lines lines;

	(void)state;
	for (uint32_t tid = 1; tid < 3; tid++) {
		add(p, tid, &(struct profile_access){ .kind = ACCESS_UNKNOWN }, 5);
		add(p, tid, &(struct profile_access){ .kind = ACCESS_BLOCK, .addr = 64 }, 5);
		add(p, tid, &(struct profile_access){ .kind = ACCESS_KERNEL, .addr = 64 }, 5);
		add(p, tid,
		    &(struct profile_access){ .kind = ACCESS_GLOBAL, .addr = 64, .guessed = 1 }, 5);
	}
	shared_lines_find(p, &lines);
	assert_int_equal(lines.line.count, 0);
	shared_lines_done(&lines);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shared_lines__ranked),
		cmocka_unit_test(test_shared_lines__what_is_no_access),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
