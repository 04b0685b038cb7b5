/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/record/record_names and session/keep_names: what a recording hit gets names that can be
 * kept in it; tracepoints without stacks want none. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "event/desc.h"
#include "format/perf_data/perf_data_write.h"
#include "session/keep_names.h"
#include "session/record/record_names.h"

/* A function of this program, which the sample hits. */
void a_function_to_be_named(void);
void a_function_to_be_named(void)
{
}

static const struct perf_event_attr clock_attr = {
	.type = PERF_TYPE_SOFTWARE,
	.size = sizeof(clock_attr),
	.config = PERF_COUNT_SW_CPU_CLOCK,
	.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		       PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD,
	.sample_id_all = 1,
};

/* Where this process has its own code. */
static struct event own_map(char *path, size_t size)
{
	uint64_t code = (uintptr_t)a_function_to_be_named;
	struct event map = { .type = EVENT_MMAP,
			     .misc = PERF_RECORD_MISC_USER,
			     .pid = 42,
			     .tid = 42,
			     .has_time = true,
			     .time_ns = 1 };
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		unsigned long long start, end, offset, ino;

		if (sscanf(line, "%llx-%llx %*s %llx %*s %llu", &start, &end, &offset, &ino) == 4 &&
		    code >= start && code < end)
			map.mmap = (struct event_mmap){ .start = start,
							.len = end - start,
							.pgoff = offset,
							.prot = 5,
							.path = path };
	}
	(void)fclose(maps);
	memset(path, 0, size);
	assert_true(readlink("/proc/self/exe", path, size - 1) > 0);
	return map;
}

static void write_sample(struct perf_data_writer *writer)
{
	struct sample {
		struct perf_event_header header;
		uint64_t identifier, ip;
		uint32_t pid, tid;
		uint64_t time, period;
	} sample = { .header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(sample) },
		     .identifier = 17,
		     .ip = (uintptr_t)a_function_to_be_named,
		     .pid = 42,
		     .tid = 42,
		     .time = 2,
		     .period = 5 };
	struct err err = { 0 };

	assert_int_equal(perf_data_writer_records(writer, &sample, sizeof(sample), &err), 0);
}

static void test_names_of_what_was_hit(void **state)
{
	struct perf_data_facts facts = { 0 };
	struct perf_data_writer *writer = NULL;
	struct event_set set = { 0 };
	struct err err = { 0 };
	struct buf names = { 0 };
	const struct keep_names_request request = { 0 };
	bool lines = false;
	char path[4096];
	struct event map = own_map(path, sizeof(path));

	(void)state;
	facts.fd = fd_temporary("recording", &err);
	assert_true(facts.fd >= 0);
	event_set_add_id(&set, event_set_add(&set, &clock_attr, "cpu-clock"), 17);
	assert_true(record_names_wanted(&set));
	assert_int_equal(perf_data_writer_open(&set, &facts, &writer, &err), 0);
	assert_int_equal(perf_data_writer_event(writer, &map, &err), 0);
	write_sample(writer);
	assert_int_equal(perf_data_writer_round(writer, &err), 0); /* not finished yet */
	assert_int_equal(record_names_find(facts.fd, &request, &names, &lines, &err), 0);
	assert_true(lines);
	assert_non_null(memmem(names.data, names.len, "a_function_to_be_named", 22));
	perf_data_writer_free(writer);
	event_set_done(&set);
	buf_done(&names);
	(void)close(facts.fd);
}

static void test_what_is_no_recording_has_none(void **state)
{
	struct err err = { 0 };
	struct buf names = { 0 };
	int fd = fd_temporary("nothing", &err);
	const struct keep_names_request request = { .path = "/no/such/file" };
	bool lines;

	(void)state;
	assert_true(record_names_find(fd, &request, &names, &lines, &err) < 0);
	assert_int_equal(names.len, 0);
	assert_true(keep_names_of(&request, &names, &err) < 0);
	(void)close(fd);
}

static void test_tracepoints_without_stacks_want_none(void **state)
{
	struct perf_event_attr attr = clock_attr;
	struct event_set set = { 0 };

	(void)state;
	attr.type = PERF_TYPE_TRACEPOINT;
	event_set_add(&set, &attr, "sched:sched_switch");
	assert_false(record_names_wanted(&set));
	attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	event_set_add(&set, &attr, "sched:sched_waking");
	assert_true(record_names_wanted(&set));
	event_set_done(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_of_what_was_hit),
		cmocka_unit_test(test_what_is_no_recording_has_none),
		cmocka_unit_test(test_tracepoints_without_stacks_want_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
