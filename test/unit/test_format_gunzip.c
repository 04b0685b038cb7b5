/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format/gunzip: members in a row, a copy in the middle, damage. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/gunzip.h"
#include "format/gzip.h"

struct source {
	struct buf packed;
	size_t at;
};

static ssize_t fetch(void *context, void *data, size_t len)
{
	struct source *source = context;
	size_t left = source->packed.len - source->at;

	len = len < left ? len : left;
	len = len < 1000 ? len : 1000;
	memcpy(data, source->packed.data + source->at, len);
	source->at += len;
	return (ssize_t)len;
}

/* Two members of 100,000 numbers together. */
static void pack(struct source *ret)
{
	struct err err = { 0 };

	*ret = (struct source){ 0 };
	for (uint32_t i = 0; i < 100000; i += 50000) {
		struct buf member = { 0 };

		for (uint32_t k = i; k < i + 50000; k++)
			(void)buf_append(&member, &k, sizeof(k));
		assert_int_equal(0, gzip_pack(&member, &err));
		(void)buf_append(&ret->packed, member.data, member.len);
		buf_done(&member);
	}
}

static void assert_numbers(struct gunzip *gunzip, uint32_t from, uint32_t to)
{
	for (uint32_t wanted = from, got; wanted < to; wanted++) {
		size_t len = 0;

		while (len < sizeof(got)) {
			ssize_t n = gunzip_read(gunzip, (char *)&got + len, sizeof(got) - len);

			assert_true(n > 0);
			len += (size_t)n;
		}
		assert_int_equal(wanted, got);
	}
}

static void test_gunzip__a_copy_continues(void **state)
{
	struct source source, second;
	struct gunzip gunzip, copy;
	char byte;

	(void)state;
	pack(&source);
	assert_true(gunzip_open(&gunzip, fetch, &source));
	assert_numbers(&gunzip, 0, 30000);
	assert_true(gunzip_copy(&copy, &gunzip));
	second = source;
	second.at -= gunzip.z.avail_in;
	copy.context = &second;
	assert_numbers(&gunzip, 30000, 100000);
	assert_int_equal(0, gunzip_read(&gunzip, &byte, 1));
	assert_false(gunzip.cut);
	assert_numbers(&copy, 30000, 100000);
	source.at = 0;
	assert_true(gunzip_reset(&gunzip));
	assert_numbers(&gunzip, 0, 10);
	gunzip_close(&gunzip);
	gunzip_close(&copy);
	buf_done(&source.packed);
}

static void test_gunzip__damage_ends_it(void **state)
{
	struct gunzip gunzip;
	struct source source;
	char piece[4096];
	size_t sum = 0;
	ssize_t n;

	(void)state;
	pack(&source);
	memset(source.packed.data + source.packed.len / 4, 0xff, 100);
	assert_true(gunzip_open(&gunzip, fetch, &source));
	while ((n = gunzip_read(&gunzip, piece, sizeof(piece))) > 0)
		sum += (size_t)n;
	assert_int_equal(-EBADMSG, n);
	assert_true(sum > 0 && sum < 400000);
	assert_true(gunzip.cut);
	gunzip_close(&gunzip);
	buf_done(&source.packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gunzip__a_copy_continues),
		cmocka_unit_test(test_gunzip__damage_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
