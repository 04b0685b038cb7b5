/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/unwind/table_maker: tables come from a child when there are privileges to lose, and one
 * that ends costs one table. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/fork_server.h"
#include "base/sandbox.h"
#include "proc/module.h"
#include "session/unwind/table_maker.h"
#include "unwind/compact/compact.h"

static char program[4096];
static struct fork_server *server; /* NULL = not root */

static int start_server(void **state)
{
	struct err err = { 0 };

	(void)state;
	return sandbox_needed() && fork_server_open(&server, &err);
}

static int stop_server(void **state)
{
	(void)state;
	fork_server_close(server);
	return 0;
}

static struct module this_program(void)
{
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);

	assert_true(len > 0);
	program[len] = '\0';
	return (struct module){ .kind = MODULE_FILE, .path = program, .name = program };
}

static void test_maker__makes_tables(void **state)
{
	struct table_maker maker = TABLE_MAKER_NONE(server);
	struct module module = this_program();
	struct compact *table;
	struct build_id key;
	uint64_t ns = 0;
	bool failed;

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_true(table_maker_open(&maker, &module, &key, &failed));
		assert_false(failed);
		assert_true(key.len > 0);
		if (i == 1) {
			table_maker_skip(&maker);
			continue;
		}
		table = table_maker_build(&maker, &key, &ns);
		assert_non_null(table);
		assert_true(table->row_count > 10 && ns > 0);
		compact_free(table);
	}
	assert_int_equal(sandbox_needed(), maker.socket >= 0);
	table_maker_close(&maker);
	assert_int_equal(-1, maker.socket);
}

static void test_maker__a_file_that_is_not_there_is_no_failure(void **state)
{
	struct module module = { .kind = MODULE_FILE, .path = "/no/such/file", .name = "file" };
	struct table_maker maker = TABLE_MAKER_NONE(server);
	struct build_id key;
	bool failed = true;

	(void)state;
	assert_false(table_maker_open(&maker, &module, &key, &failed));
	assert_false(failed);
	table_maker_close(&maker);
}

static void test_maker__goes_on_after_a_child_that_ended(void **state)
{
	struct table_maker maker = TABLE_MAKER_NONE(server);
	struct module module = this_program();
	struct compact *table;
	struct build_id key;
	uint64_t ns;
	bool failed;

	(void)state;
	if (!sandbox_needed())
		skip();
	assert_true(table_maker_open(&maker, &module, &key, &failed));
	assert_int_equal(0, kill(maker.pid, SIGKILL));
	assert_null(table_maker_build(&maker, &key, &ns));
	assert_true(table_maker_open(&maker, &module, &key, &failed));
	table = table_maker_build(&maker, &key, &ns);
	assert_non_null(table);
	compact_free(table);
	assert_int_equal(0, kill(maker.pid, SIGKILL));
	assert_false(table_maker_open(&maker, &module, &key, &failed));
	assert_true(failed);
	table_maker_close(&maker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_maker__makes_tables),
		cmocka_unit_test(test_maker__a_file_that_is_not_there_is_no_failure),
		cmocka_unit_test(test_maker__goes_on_after_a_child_that_ended),
	};

	return cmocka_run_group_tests(tests, start_server, stop_server);
}
