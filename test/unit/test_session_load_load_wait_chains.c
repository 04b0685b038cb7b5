/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/load_wait_chains: what has no wake-ups in it is loaded as it is, by the same
 * filters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "profile/profile.h"
#include "profile/waits/wait_chains.h"
#include "session/load/load.h"
#include "session/load/load_wait_chains.h"

static void test_without_wakeups(void **state)
{
	struct load_options options = { .symbol.symfs = "", .comms = "b" };
	struct wait_chains_options chains = { 0 };
	struct wait_chains_loaded loaded;
	struct err err = { 0 };
	char path[] = "/tmp/load_wait_chains.XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(dprintf(fd, "a 1 1.000000: 5 cpu-clock: \n\t1 f (x)\n\n"
				     "b 2 1.000001: 7 cpu-clock: \n\t1 g (x)\n\n"),
			 76);
	assert_int_equal(session_load_wait_chains(path, &options, &chains, &loaded, &err), 0);
	assert_int_equal(loaded.wakeups, 0);
	assert_int_equal(loaded.profile->samples.count, 1);
	profile_free(loaded.profile);
	options.comms = "c";
	assert_int_not_equal(session_load_wait_chains(path, &options, &chains, &loaded, &err), 0);
	(void)unlink(path);
	(void)close(fd);
	assert_int_not_equal(session_load_wait_chains(path, &options, &chains, &loaded, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_without_wakeups) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
