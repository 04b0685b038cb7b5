/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/page_faults: pages that a process touches the first time are counted, once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "event/event.h"
#include "source/source.h"

#define PAGES ((size_t)300)

struct counted {
	struct sink sink; /* first */
	uint64_t faults;
};

static int take(struct sink *sink, const struct event *event, struct err *err)
{
	(void)err;
	assert_int_equal(EVENT_READ, event->type);
	assert_int_equal(getpid(), event->pid);
	memcpy(&((struct counted *)sink)->faults, event->read.values, sizeof(uint64_t));
	return 0;
}

static void touch(size_t pages)
{
	size_t bytes = pages * 4096;
	char *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED);
	(void)madvise(memory, bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < bytes; i += 4096)
		memory[i] = 1;
	(void)munmap(memory, bytes);
}

static void test_page_faults__are_counted(void **state)
{
	struct counted counted = { .sink.event = take };
	struct source_options options = { 0 };
	struct source *source;
	struct err err = { 0 };
	char pids[16];

	(void)state;
	(void)snprintf(pids, sizeof(pids), "%d", (int)getpid());
	options.pids = pids;
	if (source_find("page_faults")->open(&source, &options, &err)) {
		assert_non_null(strstr(err.msg, "counting page faults"));
		return; /* not allowed here */
	}
	touch(PAGES); /* not started yet */
	assert_int_equal(0, source->ops->start(source, &err));
	assert_int_equal(0, source_snapshot(source, &counted.sink, &err));
	assert_true(counted.faults < PAGES);
	touch(PAGES);
	assert_int_equal(0, source->ops->stop(source, &counted.sink, &err));
	assert_in_range(counted.faults, PAGES, 2 * PAGES);
	source_close(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page_faults__are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
