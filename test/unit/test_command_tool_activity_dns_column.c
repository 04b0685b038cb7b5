/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/tool/activity/dns_column: what stands where DNS gave no name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>

#include "base/buf.h"
#include "command/tool/activity/dns_column.h"

static void check(int family, const char *address, const char *expected)
{
	const struct activity_run run = { 0 };
	struct activity from = { .number[TCP_FAMILY] = (uint64_t)family,
				 .text_len = TCP_ADDRESSES };
	struct buf out = { 0 };

	assert_int_equal(inet_pton(family, address, from.text + 16), 1);
	put_query(&run, NULL, &from, &out);
	assert_string_equal(out.data, expected);
	buf_clear(&out);
	raw_query(&run, NULL, &from, &out);
	assert_string_equal(out.data, "null");
	buf_done(&out);
}

static void test_without_a_name(void **state)
{
	(void)state;
	check(AF_INET, "127.0.0.1", "localhost");
	check(AF_INET6, "::1", "localhost");
	check(AF_INET, "127.0.0.2", "No DNS Query");
	check(AF_INET6, "2001:db8::1", "No DNS Query");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
