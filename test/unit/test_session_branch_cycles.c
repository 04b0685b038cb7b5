/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/branch_cycles: needs a perf.data. What it finds is in
 * test/command/report_total_cycles.bats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "profile/block_cycles.h"
#include "session/branch_cycles.h"
#include "session/load/load.h"
#include "session/recording.h"

static void test_branch_cycles__are_of_recordings(void **state)
{
	char path[] = "/tmp/branch_cycles_XXXXXX";
	const struct load_options options = { 0 };
	struct block_cycles blocks = { 0 };
	struct recording *recording;
	struct err err = { 0 };
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "a;b 1\n", 6), 6);
	assert_int_equal(recording_open(path, &recording, &err), 0);
	assert_int_not_equal(branch_cycles_read(recording, &options, &blocks, &err), 0);
	assert_int_equal(blocks.row.count, 0);
	recording_close(recording);
	block_cycles_done(&blocks);
	(void)close(fd);
	(void)unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_branch_cycles__are_of_recordings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
