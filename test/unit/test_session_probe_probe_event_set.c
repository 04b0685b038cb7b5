/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of probes: their places and formats, and samples of each hit, at functions of this
 * program. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "event/desc.h"
#include "event/event.h"
#include "event/stop.h"
#include "session/probe/probe_event_set.h"
#include "source/options.h"
#include "source/perf_event/perf_event.h"
#include "source/perf_event/perf_event_select.h"
#include "source/source.h"

#define SELF  "/proc/self/exe"
#define CALLS 100

__attribute__((noinline, used)) static int probed_one(int x, const char *text)
{
	__asm__ volatile("" ::"r"(text) : "memory");
	return x + 1;
}

__attribute__((noinline, used)) static int probed_two(int x)
{
	__asm__ volatile("" ::: "memory");
	return x + 2;
}

static void select_event(struct source_options *options, const char *text)
{
	vec_push(&options->selector, ((struct record_selector){ .text = text }));
}

static void test_probe_event_set__finds_places(void **state)
{
	struct source_options options = { 0 };
	struct probe_event_set set = { 0 };
	const struct probe_events *found = &set.choice;
	struct err err = { 0 };

	(void)state;
	select_event(&options, "cpu-clock");
	select_event(&options, "probe:" SELF ":probed_*,uretprobe:" SELF ":probed_one");
	assert_int_equal(0, probe_event_set_find(&set, &options, &err));
	assert_int_equal(2, found->events);
	assert_int_equal(3, found->places);
	assert_int_equal(2, found->entries.places.count);
	assert_int_equal(1, found->returns.places.count);
	assert_int_equal(0, found->event[found->entries.places.item[1].number]);
	assert_int_equal(1, found->event[found->returns.places.item[0].number]);
	assert_non_null(strstr(found->format[0], "ID: 65535\n"));
	assert_non_null(strstr(found->format[1], "ID: 65534\n"));
	assert_null(found->program);
	probe_event_set_done(&set);
	vec_done(&options.selector);
}

static void test_probe_event_set__explains_what_is_missing(void **state)
{
	struct source_options options = { 0 };
	struct probe_event_set set = { 0 };
	struct err err = { 0 };

	(void)state;
	select_event(&options, "probe:" SELF ":probed_onee");
	assert_int_equal(-ENOENT, probe_event_set_find(&set, &options, &err));
	assert_non_null(strstr(err.hint, "probed_one"));
	probe_event_set_done(&set);
	vec_done(&options.selector);
}

static void test_probe_event_set__describes_values(void **state)
{
	struct source_options options = { 0 };
	struct probe_event_set set = { 0 };
	struct err err = { 0 };

	(void)state;
	select_event(&options, "cs,probe:" SELF ":probed_one x=arg1 text=arg2:string,cs");
	assert_int_equal(0, probe_event_set_find(&set, &options, &err));
	assert_int_equal(2, set.choice.values[0].count);
	assert_int_equal(2, set.choice.values[0].texts);
	assert_non_null(strstr(set.choice.format[0], " x;\toffset:16;\tsize:8;"));
	assert_non_null(
		strstr(set.choice.format[0], "__data_loc char[] text;\toffset:24;\tsize:4;"));
	assert_non_null(strstr(set.choice.format[0], "REC->x, __get_str(text)\n"));
	assert_non_null(set.choice.program);
	probe_event_set_done(&set);
	set = (struct probe_event_set){ 0 };
	options.selector.item[0].text = "probe:" SELF ":probed_one nosuch+1";
	assert_true(probe_event_set_find(&set, &options, &err) < 0);
	assert_non_null(strstr(err.msg, "nosuch"));
	probe_event_set_done(&set);
	vec_done(&options.selector);
}

static void test_perf_source_select__takes_formats(void **state)
{
	static const char *const format[] = { "name: a\n", "name: b\n" };
	const struct probe_events found = { .format = format, .events = 2 };
	struct source_options options = { .call_graph.mode = RECORDING_CALL_GRAPH_BPF };
	struct perf_source source = { .options = &options };
	struct err err = { 0 };

	(void)state;
	select_event(&options, "probe:a:b,cs,probe:c:d");
	assert_int_equal(-ENOTSUP, perf_source_select(&source, &err)); /* nobody looked them up */
	event_list_done(&source.list);
	source.list = (struct event_list){ 0 };
	options.probe_events = &found;
	assert_int_equal(0, perf_source_select(&source, &err));
	assert_ptr_equal(format[0], source.list.spec.item[0]->format);
	assert_null(source.list.spec.item[1]->format);
	assert_ptr_equal(format[1], source.list.spec.item[2]->format);
	event_list_done(&source.list);
	vec_done(&options.selector);
}

struct hits {
	struct sink sink; /* first */
	unsigned samples[3], with_stack;
	pid_t pid;
};

/* Behind struct probe_event_data: as the format says. */
static void check_values(const struct event_sample *sample, unsigned number)
{
	const char *const text = number & 1 ? "odd" : "even", *raw = sample->raw;
	uint64_t value[3];

	assert_int_equal(16 + sizeof(value) + strlen(text) + 1, sample->raw_len);
	memcpy(value, raw + 16, sizeof(value));
	assert_int_equal(number, value[0]);
	assert_int_equal((strlen(text) + 1) << 16 | (16 + sizeof(value)), value[1]);
	assert_string_equal(text, raw + 16 + sizeof(value));
	assert_true(value[2]);
}

static int on_event(struct sink *sink, const struct event *event, struct err *err)
{
	struct hits *hits = (struct hits *)sink;
	const struct event_sample *sample = &event->sample;

	(void)err;
	if (event->type != EVENT_SAMPLE)
		return 0;
	assert_in_range(event->desc->index, 0, 2);
	assert_int_equal(hits->pid, event->tid);
	if (event->desc->index == 2)
		check_values(sample, hits->samples[2]);
	else /* values of other events are none */
		assert_int_equal(16, sample->raw_len);
	assert_memory_equal(&sample->ip, (const char *)sample->raw + 8, sizeof(sample->ip));
	hits->samples[event->desc->index]++;
	assert_int_equal(1, sample->period);
	/* The tables are empty here, so user space is asked to unwind. */
	hits->with_stack += (sample->user_regs && sample->stack_len) ||
			    stack_stop_get(sample->chain, sample->chain_len) != STACK_STOP_NONE;
	return 0;
}

static int on_records(struct sink *sink, const struct record_span *span, struct err *err)
{
	(void)sink;
	(void)span;
	(void)err;
	return 0;
}

/* Of another process: what the recorder itself does is left out. */
static pid_t start_caller(int *ret_go)
{
	int go[2];
	pid_t pid;
	char c;

	assert_int_equal(0, pipe(go));
	pid = fork();
	if (!pid) {
		int sum = 0;

		(void)close(go[1]);
		if (read(go[0], &c, 1) != 1)
			_exit(2);
		for (int i = 0; i < CALLS; i++)
			sum += probed_one(i, i & 1 ? "odd" : "even") + probed_two(i);
		_exit(sum == 0);
	}
	(void)close(go[0]);
	*ret_go = go[1];
	return pid;
}

static void end_caller(pid_t pid, int go)
{
	int status;

	assert_int_equal(1, write(go, "", 1));
	(void)close(go);
	assert_int_equal(pid, waitpid(pid, &status, 0));
	assert_int_equal(0, status);
}

static void test_probe_events__samples_each_hit(void **state)
{
	struct hits hits = { .sink = { .event = on_event, .records = on_records } };
	struct source_options options = { .switchable = true,
					  .call_graph = { .mode = RECORDING_CALL_GRAPH_AUTO } };
	struct probe_event_set set = { 0 };
	struct err err = { 0 };
	struct source *source;
	char text[16];
	int go;

	(void)state;
	hits.pid = start_caller(&go);
	(void)snprintf(text, sizeof(text), "%d", (int)hits.pid);
	options.pids = text;
	options.period = 1;
	select_event(&options, "probe:" SELF ":probed_*");
	select_event(&options, "probe:" SELF ":probed_two%return");
	select_event(&options, "probe:" SELF ":probed_one x=arg1:u32 text=arg2:string arg2");
	assert_int_equal(0, probe_event_set_find(&set, &options, &err));
	options.probe_events = &set.choice;
	if (source_find("bpf_cpu")->open(&source, &options, &err)) {
		print_message("no BPF programs here: %s\n", err.msg);
		end_caller(hits.pid, go);
		probe_event_set_done(&set);
		vec_done(&options.selector);
		skip();
	}
	assert_int_equal(0, source->ops->start(source, &err));
	assert_int_equal(0, source_enable(source, true, &err));
	end_caller(hits.pid, go);
	assert_true(source_ready(source, &hits.sink, &err) >= 0);
	assert_int_equal(0, source->ops->stop(source, &hits.sink, &err));
	for (size_t i = 0; i < source->loss_count; i++)
		assert_int_equal(0, source->loss[i].lost);
	source_close(source);
	assert_int_equal(2 * CALLS, hits.samples[0]);
	assert_int_equal(CALLS, hits.samples[1]);
	assert_int_equal(CALLS, hits.samples[2]);
	assert_int_equal(4 * CALLS, hits.with_stack);
	probe_event_set_done(&set);
	vec_done(&options.selector);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_probe_event_set__finds_places),
		cmocka_unit_test(test_probe_event_set__explains_what_is_missing),
		cmocka_unit_test(test_probe_event_set__describes_values),
		cmocka_unit_test(test_perf_source_select__takes_formats),
		cmocka_unit_test(test_probe_events__samples_each_hit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
