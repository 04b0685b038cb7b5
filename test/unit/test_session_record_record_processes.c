/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/record_processes: a file begins with the names and mappings of processes as the records
 * before it left them, whatever /proc says by then. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "event/desc.h"
#include "event/event.h"
#include "format/perf_data/perf_data_write_record.h"
#include "session/record/record_processes.h"

struct fixture {
	struct sink sink;
	struct event_set set;
	struct record_processes *processes;
	struct buf later;
	char said[1000];
};

static void open_fixture(struct fixture *fixture)
{
	const struct perf_event_attr attr = { .sample_id_all = 1,
					      .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME };

	*fixture = (struct fixture){ 0 };
	(void)event_set_add(&fixture->set, &attr, "test");
	fixture->processes = record_processes_new(&fixture->set);
}

static void close_fixture(struct fixture *fixture)
{
	record_processes_free(fixture->processes);
	event_set_done(&fixture->set);
	buf_done(&fixture->later);
}

static int say(struct sink *sink, const struct event *event, struct err *err)
{
	struct fixture *fixture = (struct fixture *)sink;
	size_t at = strlen(fixture->said);
	char *to = fixture->said + at;
	size_t size = sizeof(fixture->said) - at;

	(void)err;
	if (event->type == EVENT_FORK)
		(void)snprintf(to, size, "fork %u/%u of %u\n", event->pid, event->tid,
			       event->task.ppid);
	else if (event->type == EVENT_COMM)
		(void)snprintf(to, size, "comm %u/%u %s\n", event->pid, event->tid,
			       event->comm.name);
	else
		(void)snprintf(to, size, "map %u %llx+%llx @%llx %s\n", event->pid,
			       (unsigned long long)event->mmap.start,
			       (unsigned long long)event->mmap.len,
			       (unsigned long long)event->mmap.pgoff, event->mmap.path);
	return 0;
}

static const char *said(struct fixture *fixture)
{
	struct err err = { 0 };

	fixture->sink.event = say;
	fixture->said[0] = '\0';
	buf_clear(&fixture->later);
	assert_int_equal(0, record_processes_emit(fixture->processes, &fixture->sink,
						  &fixture->later, &err));
	return fixture->said;
}

static struct event event_of(enum event_type type, uint32_t pid, uint32_t tid)
{
	return (struct event){ .type = type, .pid = pid, .tid = tid, .cpu = UINT32_MAX };
}

static void record(struct fixture *fixture, uint64_t time_ns, struct event event)
{
	struct buf bytes = { 0 };

	event.has_time = true;
	event.time_ns = time_ns;
	assert_int_equal(0, perf_data_encode(&fixture->set, &event, &bytes));
	record_processes_records(fixture->processes, (const uint8_t *)bytes.data, bytes.len);
	buf_done(&bytes);
}

static struct event comm(uint32_t pid, uint32_t tid, const char *name, bool exec)
{
	struct event event = event_of(EVENT_COMM, pid, tid);

	event.comm.name = name;
	event.comm.exec = exec;
	return event;
}

static struct event fork_of(uint32_t pid, uint32_t tid, uint32_t parent)
{
	struct event event = event_of(EVENT_FORK, pid, tid);

	event.task.ppid = event.task.ptid = parent;
	return event;
}

static struct event map(uint32_t pid, uint64_t start, uint64_t len, const char *path)
{
	struct event event = event_of(EVENT_MMAP, pid, pid);

	event.misc = PERF_RECORD_MISC_USER;
	event.mmap = (struct event_mmap){
		.start = start, .len = len, .pgoff = start, .prot = PROT_EXEC, .path = path
	};
	return event;
}

/* All that was recorded counts. */
static void end_rounds(struct fixture *fixture)
{
	record_processes_round(fixture->processes);
	record_processes_round(fixture->processes);
}

static void test_record_processes__follow_forks_execs_and_ends(void **state)
{
	struct fixture fixture;

	(void)state;
	open_fixture(&fixture);
	record(&fixture, 1, comm(10, 10, "sh", true));
	record(&fixture, 2, map(10, 0x1000, 0x1000, "/bin/sh"));
	record(&fixture, 3, fork_of(11, 11, 10));
	record(&fixture, 4, fork_of(12, 12, 10));
	record(&fixture, 5, comm(12, 12, "ls", true));
	record(&fixture, 6, map(12, 0x5000, 0x1000, "/bin/ls"));
	record(&fixture, 7, fork_of(12, 13, 12));
	end_rounds(&fixture);
	assert_string_equal("fork 10/10 of 0\ncomm 10/10 sh\n"
			    "fork 11/11 of 10\ncomm 11/11 sh\n"
			    "fork 12/12 of 10\ncomm 12/12 ls\n"
			    "fork 12/13 of 12\ncomm 12/13 ls\n"
			    "map 10 1000+1000 @1000 /bin/sh\n"
			    "map 11 1000+1000 @1000 /bin/sh\n"
			    "map 12 5000+1000 @5000 /bin/ls\n",
			    said(&fixture));
	record(&fixture, 8, event_of(EVENT_EXIT, 10, 10));
	record(&fixture, 9, event_of(EVENT_EXIT, 12, 12));
	end_rounds(&fixture);
	assert_string_equal("fork 11/11 of 10\ncomm 11/11 sh\n"
			    "fork 12/13 of 12\ncomm 12/13 ls\n"
			    "map 12 5000+1000 @5000 /bin/ls\n"
			    "map 11 1000+1000 @1000 /bin/sh\n",
			    said(&fixture));
	record(&fixture, 10, event_of(EVENT_EXIT, 12, 13));
	record(&fixture, 11, event_of(EVENT_EXIT, 11, 11));
	end_rounds(&fixture);
	assert_string_equal("", said(&fixture));
	close_fixture(&fixture);
}

/* Rings of two CPUs: the exec was read before the fork. */
static void test_record_processes__wait_for_what_was_before(void **state)
{
	struct fixture fixture;

	(void)state;
	open_fixture(&fixture);
	record(&fixture, 1, comm(10, 10, "sh", true));
	record(&fixture, 5, comm(11, 11, "ls", true));
	record_processes_round(fixture.processes);
	assert_string_equal("", said(&fixture));
	assert_true(fixture.later.len > 0);
	record(&fixture, 4, fork_of(11, 11, 10));
	record_processes_round(fixture.processes);
	assert_string_equal("fork 10/10 of 0\ncomm 10/10 sh\nfork 11/11 of 10\ncomm 11/11 ls\n",
			    said(&fixture));
	assert_int_equal(0, fixture.later.len);
	close_fixture(&fixture);
}

static void test_record_processes__take_from_proc_what_is_new(void **state)
{
	struct event event = comm(10, 10, "later", false);
	struct fixture fixture;

	(void)state;
	open_fixture(&fixture);
	record(&fixture, 1, comm(10, 10, "sh", true));
	record(&fixture, 2, map(10, 0x1000, 0x1000, "/bin/sh"));
	end_rounds(&fixture);
	record_processes_event(fixture.processes, &event);
	event = map(10, 0x1800, 0x1000, "/bin/later");
	record_processes_event(fixture.processes, &event);
	event = map(10, 0x2000, 0x1000, "/lib/x");
	record_processes_event(fixture.processes, &event);
	event = fork_of(20, 20, 1);
	record_processes_event(fixture.processes, &event);
	event = comm(20, 20, "new", false);
	record_processes_event(fixture.processes, &event);
	assert_string_equal("fork 10/10 of 0\ncomm 10/10 sh\nfork 20/20 of 1\ncomm 20/20 new\n"
			    "map 10 1000+1000 @1000 /bin/sh\nmap 10 2000+1000 @2000 /lib/x\n",
			    said(&fixture));
	close_fixture(&fixture);
}

static void test_record_processes__mappings_replace_each_other(void **state)
{
	struct fixture fixture;

	(void)state;
	open_fixture(&fixture);
	record(&fixture, 1, comm(10, 10, "sh", true));
	record(&fixture, 2, map(10, 0x1000, 0x4000, "/a"));
	record(&fixture, 3, map(10, 0x2000, 0x1000, "/b"));
	record(&fixture, 4, map(10, 0x6000, 0x1000, "/c"));
	record(&fixture, 5, map(10, 0x4000, 0x3000, "/d"));
	record(&fixture, 6, map(UINT32_MAX, 0x4000, 0x3000, "/kernel"));
	end_rounds(&fixture);
	assert_string_equal("fork 10/10 of 0\ncomm 10/10 sh\n"
			    "map 10 1000+1000 @1000 /a\nmap 10 2000+1000 @2000 /b\n"
			    "map 10 3000+1000 @3000 /a\nmap 10 4000+3000 @4000 /d\n",
			    said(&fixture));
	close_fixture(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record_processes__follow_forks_execs_and_ends),
		cmocka_unit_test(test_record_processes__wait_for_what_was_before),
		cmocka_unit_test(test_record_processes__take_from_proc_what_is_new),
		cmocka_unit_test(test_record_processes__mappings_replace_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
