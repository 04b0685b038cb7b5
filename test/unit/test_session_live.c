/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/live: what is recorded now comes while it is, and what went wrong in the process that
 * records is told. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "profile/profile.h"
#include "session/live.h"
#include "session/record/recording_options.h"

static const struct live_options by_function = { .symbol = { .symfs = "" } };

static struct recording_options of_process(const char *pid)
{
	return (struct recording_options){
		.source = { .pids = pid,
			    .all_user = true,
			    .frequency = { .hz = 999 },
			    .call_graph = { .mode = RECORDING_CALL_GRAPH_NONE, .given = true } }
	};
}

static void test_live__tells_why_there_is_nothing(void **state)
{
	struct recording_options record = of_process("999999999");
	struct live_result result;
	struct err err = { 0 };
	struct live *live;

	(void)state;
	assert_int_equal(live_start(&record, &by_function, &live, &err), 0);
	assert_int_not_equal(live_end(live, &result, &err), 0);
	assert_non_null(strstr(err.msg, "999999999"));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no process is left */
}

static void spin(void)
{
	volatile uint64_t sum = 0;
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + 300000000;

	while (clock_ns(CLOCK_MONOTONIC) < end)
		for (int i = 0; i < 10000; i++)
			sum++;
}

/* Until there is some, or ten seconds long. */
static uint64_t samples_while_running(struct live *live)
{
	uint64_t samples = 0;

	for (int i = 0; i < 30 && !samples; i++) {
		struct pollfd ended = { .fd = live_fd(live), .events = POLLIN };
		struct profile *profile;

		spin();
		profile = live_take(live);
		profile_count(profile);
		if (profile->events.count)
			samples += profile->events.item[0].samples;
		profile_free(profile);
		if (poll(&ended, 1, 0) > 0)
			break;
	}
	return samples;
}

static void test_live__shows_what_runs(void **state)
{
	struct recording_options record;
	struct live_result result;
	struct err err = { 0 };
	struct live *live;
	uint64_t samples;
	char pid[16];
	int failed;

	(void)state;
	(void)snprintf(pid, sizeof(pid), "%d", (int)getpid());
	record = of_process(pid);
	assert_int_equal(live_start(&record, &by_function, &live, &err), 0);
	samples = samples_while_running(live);
	failed = live_end(live, &result, &err);
	if (failed) {
		print_message("no recording here: %s\n", err.msg);
		skip();
	}
	assert_int_not_equal(samples, 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live__tells_why_there_is_nothing),
		cmocka_unit_test(test_live__shows_what_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
