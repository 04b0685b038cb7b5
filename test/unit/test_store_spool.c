/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store/spool: files are sent in their order and go; those that wait, that are refused and that
 * have no room are counted and told. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "store/spool.h"

static char folder[64], place[80];
static char seen[64]; /* first bytes of what was sent */
static int answer;    /* of the server; of files that begin with x: -EREMOTEIO */

static int send_one(void *context, const void *data, size_t len, struct err *err)
{
	(void)context;
	if (answer)
		return err_set(err, answer, "the server is away");
	if (len && *(const char *)data == 'x')
		return err_set(err, -EREMOTEIO, "refused");
	(void)strncat(seen, data, 1);
	return 0;
}

static struct spool spool = {
	.folder = place, .suffix = ".kind", .most_bytes = 100, .send = send_one
};

static int set_up(void **state)
{
	(void)state;
	(void)snprintf(folder, sizeof(folder), "/tmp/cupel-spool.XXXXXX");
	assert_non_null(mkdtemp(folder));
	(void)snprintf(place, sizeof(place), "%s/spool", folder);
	seen[0] = '\0';
	answer = 0;
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static int put(const char *text, size_t len)
{
	static uint64_t id;
	struct buf data = { 0 };
	struct err err = { 0 };
	int code;

	(void)buf_puts(&data, text);
	while (data.len < len)
		(void)buf_putc(&data, '.');
	code = spool_put(&spool, ++id, &data, &err);
	buf_done(&data);
	return code;
}

static struct spool_state look(void)
{
	struct spool_state found;
	struct err err = { 0 };

	assert_int_equal(spool_state(&spool, &found, &err), 0);
	return found;
}

static void test_order_and_refusal(void **state)
{
	const struct err why = { .code = -EIO, .msg = "it sleeps" };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(look().batches, 0);
	assert_int_equal(spool_tell(&spool, "server", &why, &err), 0);
	assert_int_equal(put("a", 10), 0);
	assert_int_equal(put("x", 10), 0);
	assert_int_equal(put("b", 10), 0);
	answer = -EHOSTUNREACH;
	assert_int_equal(spool_send(&spool, &err), -EHOSTUNREACH);
	assert_int_equal(look().batches, 3);
	assert_int_equal(look().bytes, 30);
	assert_int_equal(spool_tell(&spool, "server", &why, &err), -EHOSTUNREACH);
	assert_non_null(strstr(err.msg, "server: 3 batches (0 KB) wait in "));
	assert_non_null(strstr(err.msg, "it sleeps"));
	answer = 0;
	assert_int_equal(spool_send(&spool, &err), 0);
	assert_string_equal(seen, "ab");
	assert_int_equal(look().batches, 0);
	assert_int_equal(look().refused, 1);
	assert_int_equal(spool_tell(&spool, "server", &why, &err), -EREMOTEIO);
}

static void test_bounded(void **state)
{
	(void)state;
	assert_int_equal(put("a", 60), 0);
	assert_int_equal(put("b", 60), -ENOSPC);
	assert_int_equal(put("c", 40), 0);
	assert_int_equal(look().bytes, 100);
}

static void test_files_of_others_stay(void **state)
{
	const struct spool other = {
		.folder = place, .suffix = ".other", .most_bytes = 100, .send = send_one
	};
	struct err err = { 0 };

	(void)state;
	assert_int_equal(put("a", 10), 0);
	assert_int_equal(spool_send(&other, &err), 0);
	assert_int_equal(look().batches, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_order_and_refusal, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_bounded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_files_of_others_stay, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
