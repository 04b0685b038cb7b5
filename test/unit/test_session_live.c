/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/live: takes profiles during the recording, and reports its errors. */
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
#include "base/fd.h"
#include "profile/profile.h"
#include "session/live.h"
#include "session/load/load.h"
#include "session/record/recorder.h"
#include "session/recording.h"
#include "session/run.h"

static const struct live_options by_function = { .symbol = { .symfs = "" },
						 .moments = 64,
						 .times = true };

static struct recording_options of_process(const char *pid)
{
	return (struct recording_options){
		.source = { .pids = pid,
			    .all_user = true,
			    .clock = { true, CLOCK_MONOTONIC },
			    .frequency = { .hz = 999 },
			    .call_graph = { .mode = RECORDING_CALL_GRAPH_NONE, .given = true } }
	};
}

static void test_live__reports_why_there_is_nothing(void **state)
{
	const struct recording_options record = of_process("999999999");
	struct recording_result result;
	struct err err = { 0 };
	struct live *live;

	(void)state;
	assert_int_equal(live_start(&by_function, &live, &err), 0);
	assert_int_not_equal(live_record(live, &record, NULL, &result, &err), 0);
	assert_non_null(strstr(err.msg, "999999999"));
	recording_result_done(&result);
	live_free(live);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no process is left */
}

static void test_live__need_not_record(void **state)
{
	struct err err = { 0 };
	struct live *live;

	(void)state;
	assert_int_equal(live_start(&by_function, &live, &err), 0);
	live_free(live);
}

static void spin(void)
{
	volatile uint64_t sum = 0;
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + 300000000;

	while (clock_ns(CLOCK_MONOTONIC) < end)
		for (int i = 0; i < 10000; i++)
			sum++;
}

/* Looks while it records: until there is some, or 30 times. */
struct look {
	struct live *live;
	struct run *run;
	struct run_timer timer;
	int times;
	uint64_t begun_ns;
	uint64_t samples, saved; /* saved: in the recording of them */
};

/* The recording of all that was taken has the same samples. */
static void count_saved(struct look *looking)
{
	const struct load_options load = { .symbol = { .symfs = "" } };
	struct profile *profile;
	struct err err = { 0 };
	char path[32];
	int fd = fd_temporary("saved", &err);
	uint64_t dropped = 1;

	assert_true(fd >= 0);
	assert_int_equal(live_save(looking->live, fd, &dropped, &err), 0);
	assert_int_equal(dropped, 0);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(session_load(path, &load, &profile, &err), 0);
	profile_count(profile);
	looking->saved = profile->events.item[0].samples;
	assert_int_equal(profile->meta.damage.v, STRING_EMPTY.v);
	profile_free(profile);
	fd_close(&fd);
	live_clear(looking->live);
}

static int look(void *context, struct err *err)
{
	struct look *looking = context;
	struct profile *profile;

	(void)err;
	spin();
	profile = live_take(looking->live);
	profile_count(profile);
	for (size_t i = 0; i < profile->samples.count; i++)
		assert_in_range(profile->samples.item[i].time_ns, looking->begun_ns,
				clock_ns(CLOCK_MONOTONIC));
	if (profile->events.count)
		looking->samples += profile->events.item[0].samples;
	profile_free(profile);
	if (looking->samples)
		count_saved(looking);
	if (looking->samples || ++looking->times == 30)
		run_finish(looking->run, RUN_COMMAND);
	return 0;
}

static int attend(void *context, struct run *run, struct err *err)
{
	struct look *looking = context;

	(void)err;
	looking->run = run;
	looking->begun_ns = clock_ns(CLOCK_MONOTONIC) - 1000000000; /* sampling is on already */
	looking->timer =
		(struct run_timer){ .interval_ns = 1000000, .due = look, .context = looking };
	run_add_timer(run, &looking->timer);
	return 0;
}

static void test_live__shows_what_runs(void **state)
{
	struct look looking = { 0 };
	struct recording_options record;
	struct recording_result result;
	struct err err = { 0 };
	char pid[16];
	int failed;

	(void)state;
	(void)snprintf(pid, sizeof(pid), "%d", (int)getpid());
	record = of_process(pid);
	record.attend = attend;
	record.attend_context = &looking;
	assert_int_equal(live_start(&by_function, &looking.live, &err), 0);
	failed = live_record(looking.live, &record, NULL, &result, &err);
	recording_result_done(&result);
	live_free(looking.live);
	if (failed) {
		print_message("no recording here: %s\n", err.msg);
		skip();
	}
	assert_int_not_equal(looking.samples, 0);
	assert_int_equal(looking.saved, looking.samples);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live__reports_why_there_is_nothing),
		cmocka_unit_test(test_live__need_not_record),
		cmocka_unit_test(test_live__shows_what_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
