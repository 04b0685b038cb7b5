/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/run: sources are asked when they are readable or their time has come, timers fire, and a
 * signal, the duration, the program or a call ends it. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "event/event.h"
#include "session/run.h"
#include "source/source.h"

#define SWEEP_NS 1000000ull

/* A source that counts what is done with it; ready() ends the run at `enough`. */
struct counted {
	struct source source; /* first */
	struct run *run;
	int started, ready, stopped, enough, fails;
};

static struct counted *self_of(struct source *source)
{
	return (struct counted *)source;
}

static int start(struct source *source, struct err *err)
{
	(void)err;
	self_of(source)->started++;
	return 0;
}

static int64_t ready(struct source *source, struct sink *sink, struct err *err)
{
	struct counted *counted = self_of(source);
	uint64_t value;

	(void)sink;
	counted->ready++;
	if (source->fd >= 0)
		(void)read(source->fd, &value, sizeof(value));
	if (counted->fails)
		return err_set(err, counted->fails, "it fails");
	if (counted->ready == counted->enough)
		run_finish(counted->run, RUN_ENOUGH);
	return 0;
}

static int stop(struct source *source, struct sink *sink, struct err *err)
{
	(void)sink;
	(void)err;
	self_of(source)->stopped++;
	return 0;
}

static const struct source_ops counted_ops = { .start = start, .ready = ready, .stop = stop };

static int watch(struct run *run, struct counted *counted, struct err *err)
{
	struct sink sink = { 0 };
	int code;

	counted->source.ops = &counted_ops;
	counted->run = run;
	run_add_source(run, &counted->source, &sink);
	code = run_watch(run, err);
	assert_int_equal(1, counted->started);
	assert_int_equal(1, counted->stopped);
	return code;
}

static void open_run(struct run *run)
{
	struct err err;

	assert_int_equal(0, run_open(run, &err));
}

static void test_run__a_source_is_asked_when_its_time_has_come(void **state)
{
	struct counted counted = { .source = { .fd = -1, .sweep_ns = SWEEP_NS }, .enough = 3 };
	struct run run;
	struct err err;

	(void)state;
	open_run(&run);
	assert_int_equal(0, watch(&run, &counted, &err));
	assert_int_equal(RUN_ENOUGH, run.end);
	assert_true(run.end_ns - run.start_ns >= 3 * SWEEP_NS);
	run_close(&run);
}

static void test_run__a_source_is_asked_when_it_is_readable(void **state)
{
	struct counted counted = { .source.fd = eventfd(1, 0), .enough = 1 };
	struct run run;
	struct err err;

	(void)state;
	open_run(&run);
	assert_int_equal(0, watch(&run, &counted, &err));
	assert_int_equal(1, counted.ready);
	run_close(&run);
	(void)close(counted.source.fd);
}

static void test_run__a_failing_source_ends_it(void **state)
{
	struct counted counted = { .source = { .fd = -1, .sweep_ns = SWEEP_NS }, .fails = -EIO };
	struct run run;
	struct err err;

	(void)state;
	open_run(&run);
	assert_int_equal(-EIO, watch(&run, &counted, &err));
	assert_string_equal("it fails", err.msg);
	assert_int_equal(RUN_FAILED, run.end);
	run_close(&run);
}

static void test_run__the_duration_ends_it(void **state)
{
	struct run run;
	struct err err;

	(void)state;
	open_run(&run);
	run.duration_ns = 2 * SWEEP_NS;
	assert_int_equal(0, run_watch(&run, &err));
	assert_int_equal(RUN_DURATION, run.end);
	run_close(&run);
}

/* A timer: what is due every so often. */
struct ticks {
	struct run *run;
	int count, enough, signal;
	const struct run_timer *timer; /* late_tick() alone */
	uint64_t called_ns;
};

static int tick(void *context, struct err *err)
{
	struct ticks *ticks = context;

	(void)err;
	if (++ticks->count == ticks->enough)
		run_finish(ticks->run, RUN_ENOUGH);
	return ticks->signal && kill(getpid(), ticks->signal) ? -errno : 0;
}

static void run_ticks(struct run *run, struct ticks *ticks)
{
	struct run_timer timer = { .interval_ns = SWEEP_NS, .due = tick, .context = ticks };
	struct err err;

	open_run(run);
	ticks->run = run;
	run_add_timer(run, &timer);
	assert_int_equal(0, run_watch(run, &err));
	run_close(run);
}

static void test_run__timers_fire(void **state)
{
	struct ticks ticks = { .enough = 3 };
	struct run run;

	(void)state;
	run_ticks(&run, &ticks);
	assert_int_equal(3, ticks.count);
	assert_int_equal(RUN_ENOUGH, run.end);
}

/* Comes back when three more have become due. */
static int late_tick(void *context, struct err *err)
{
	struct ticks *ticks = context;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	(void)err;
	assert_true(ticks->timer->due_ns > ticks->called_ns);
	while (clock_ns(CLOCK_MONOTONIC) < now + 3 * SWEEP_NS)
		;
	ticks->called_ns = clock_ns(CLOCK_MONOTONIC);
	if (++ticks->count == ticks->enough)
		run_finish(ticks->run, RUN_ENOUGH);
	return 0;
}

static void test_run__missed_ticks_are_not_made_up_for(void **state)
{
	struct run run;
	struct ticks ticks = { .run = &run, .enough = 3 };
	struct run_timer timer = { .interval_ns = SWEEP_NS, .due = late_tick, .context = &ticks };
	struct err err;

	(void)state;
	ticks.timer = &timer;
	open_run(&run);
	run_add_timer(&run, &timer);
	assert_int_equal(0, run_watch(&run, &err));
	assert_int_equal(0, (timer.due_ns - run.start_ns) % SWEEP_NS); /* still in step */
	run_close(&run);
}

static void test_run__a_signal_ends_it(void **state)
{
	struct ticks ticks = { .signal = SIGTERM };
	struct run run;

	(void)state;
	run_ticks(&run, &ticks);
	assert_int_equal(RUN_SIGNAL, run.end);
	assert_int_equal(SIGTERM, run.stop_signal);
}

static int on_signal(void *context, struct err *err)
{
	(void)err;
	run_finish(context, RUN_COMMAND);
	return 0;
}

static void test_run__a_signal_may_mean_something_else(void **state)
{
	struct ticks ticks = { .signal = SIGWINCH };
	struct run_timer timer = { .interval_ns = SWEEP_NS, .due = tick, .context = &ticks };
	struct run run;
	const struct run_signal resized = { SIGWINCH, on_signal, &run };
	struct err err;

	(void)state;
	open_run(&run);
	run.duration_ns = 10000000000ull;
	run_add_timer(&run, &timer);
	assert_int_equal(0, run_add_signal(&run, &resized, &err));
	assert_int_equal(0, run_watch(&run, &err));
	assert_int_equal(RUN_COMMAND, run.end);
	assert_int_equal(0, run.stop_signal);
	run_close(&run);
}

static void watch_program(struct run *run, const char *script, uint64_t duration_ns)
{
	char shell[] = "sh", option[] = "-c";
	char *words[] = { shell, option, (char *)(uintptr_t)script, NULL };
	struct err err;

	open_run(run);
	run->duration_ns = duration_ns;
	assert_int_equal(0, run_fork(run, words, false, &err));
	assert_int_equal(0, run_watch(run, &err));
	run_close(run);
}

static void test_run__the_program_ends_it(void **state)
{
	struct run run;

	(void)state;
	watch_program(&run, "exit 5", 0);
	assert_int_equal(RUN_PROGRAM_ENDED, run.end);
	assert_true(run.launched);
	assert_int_equal(5, run.exit_status);
}

static void test_run__a_program_that_outlives_it_is_ended(void **state)
{
	struct run run;

	(void)state;
	watch_program(&run, "exec sleep 100", 2 * SWEEP_NS);
	assert_int_equal(RUN_DURATION, run.end);
	assert_int_equal(128 + SIGTERM, run.exit_status);
}

static void test_run__the_last_target_ends_it(void **state)
{
	struct run run;
	struct err err;
	char pids[32];
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		(void)usleep(20000);
		_exit(0);
	}
	(void)snprintf(pids, sizeof(pids), "%d", (int)pid);
	open_run(&run);
	assert_int_equal(0, run_add_targets(&run, pids, NULL, &err));
	assert_int_equal(0, run_watch(&run, &err));
	assert_int_equal(RUN_TARGETS_ENDED, run.end);
	assert_int_equal(-EINVAL, run_add_targets(&run, "x", NULL, &err));
	run_close(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run__a_source_is_asked_when_its_time_has_come),
		cmocka_unit_test(test_run__a_source_is_asked_when_it_is_readable),
		cmocka_unit_test(test_run__a_failing_source_ends_it),
		cmocka_unit_test(test_run__the_duration_ends_it),
		cmocka_unit_test(test_run__timers_fire),
		cmocka_unit_test(test_run__missed_ticks_are_not_made_up_for),
		cmocka_unit_test(test_run__a_signal_ends_it),
		cmocka_unit_test(test_run__a_signal_may_mean_something_else),
		cmocka_unit_test(test_run__the_program_ends_it),
		cmocka_unit_test(test_run__a_program_that_outlives_it_is_ended),
		cmocka_unit_test(test_run__the_last_target_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
