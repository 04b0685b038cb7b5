/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/syscall/syscall_source: it counts this process's calls, or says why it cannot. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "event/event.h"
#include "source/syscall/syscall_choice.h"
#include "source/syscall/syscall_source.h"

struct counted {
	struct sink sink; /* first */
	uint64_t getppid, others, threads;
	struct syscall_counts counts;
};

static int count(struct sink *sink, const struct event *event, struct err *err)
{
	struct counted *counted = (struct counted *)sink;
	const struct syscall_report *report = event->own.data;

	(void)err;
	if (report->sum && report->sum->key.call == SYS_getppid)
		counted->getppid += report->sum->calls;
	else if (report->sum)
		counted->others += report->sum->calls;
	else if (report->thread)
		counted->threads++;
	else if (report->counts)
		counted->counts = *report->counts;
	return 0;
}

static void test_source__counts_or_says_why_not(void **state)
{
	struct counted counted = { .sink.event = count };
	struct syscall_choice choice = { 0 };
	struct source_options options = { .syscalls = &choice };
	struct err err = { 0 };
	struct source *source;
	char pid[16];

	(void)state;
	(void)snprintf(pid, sizeof(pid), "%d", (int)getpid());
	options.pids = pid;
	assert_int_equal(syscall_choice_add(&choice, "getppid", &err), 0);
	if (source_find("syscalls")->open(&source, &options, &err)) {
		assert_non_null(strstr(err.msg, "tracing system calls: "));
		assert_true(err.hint[0]);
		return;
	}
	assert_int_equal(source->ops->start(source, &err), 0);
	for (int i = 0; i < 1000; i++)
		(void)syscall(SYS_getppid);
	assert_int_equal(source_ready(source, &counted.sink, &err), 0);
	assert_int_equal(source->ops->stop(source, &counted.sink, &err), 0);
	assert_int_equal(counted.getppid, 1000);
	assert_int_equal(counted.others, 0); /* the filter is the kernel part's */
	assert_int_equal(counted.threads, 1);
	assert_int_equal(counted.counts.lost_calls, 0);
	source_close(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_source__counts_or_says_why_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
