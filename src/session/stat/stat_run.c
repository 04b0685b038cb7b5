/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs under counters (see stat_run.h). */
#include "session/stat/stat_run.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "session/probe/probe_definitions.h"
#include "session/record/record_control.h"
#include "session/run.h"
#include "session/stat/stat_merge.h"
#include "session/stat/stat_notes.h"
#include "session/stat/stat_places.h"
#include "session/stat/stat_probes.h"
#include "session/stat/stat_recorder.h"
#include "session/stat/stat_run_command.h"
#include "source/counter/counter.h"
#include "source/event_spec/event_parse.h"

#define MS	1000000ull
#define TOPDOWN "{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound}"
#define TRANSACTIONS                                                  \
	"task-clock,cycles,instructions,cpu/tx-start/,cpu/el-start/," \
	"cpu/cycles-t/,cpu/cycles-ct/"

struct stat_session {
	const struct stat_options *options;
	const struct stat_listener *listener;
	struct stat_result *result;
	struct event_list list;
	struct stat_probes probes;
	struct counter_options wanted;
	struct source_options source; /* the options, with what a run adds */
	struct counter_set set;
	struct stat_places places;
	size_t *row; /* [counter]: where it is counted */
	VEC(struct counts_event) event;
	struct counts interval;
	struct counter_reading *now;	/* [event * slots + slot] as read last */
	struct counter_reading *before; /* [event * slots + slot] at the last interval's end */
	struct run run;
	struct record_control control;
	struct stat_recorder recorder;
	struct run_timer ticks, delay;
	uint64_t start_ns;		      /* counting began */
	uint64_t zero_ns, last_ns, intervals; /* of intervals: where their time starts */
	bool enabled;
};

static const char *const default_events[] = {
	"context-switches,cpu-migrations,page-faults,cycles,instructions,branches,branch-misses",
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	("L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,"
	 "iTLB-load-misses"),
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

__attribute__((format(printf, 2, 3))) static void say(const struct stat_session *session,
						      const char *format, ...)
{
	char line[512];
	va_list arguments;

	if (!session->listener->say)
		return;
	va_start(arguments, format);
	(void)vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	session->listener->say(session->listener->context, line);
}

static bool is_everybody(const struct source_options *source)
{
	return source->system_wide ||
	       (source->cpus && !source->pids && !source->tids && !source->all_threads);
}

static void join_all(struct event_list *list)
{
	for (size_t i = 0; i < list->spec.count; i++) {
		list->spec.item[i]->group_leader = 0;
		list->spec.item[i]->group_size = i ? 1 : (uint32_t)list->spec.count;
	}
}

/* Groups of events that few machines have. */
static int parse_special(struct event_list *list, const char *what, const char *events,
			 struct err *err)
{
	const struct event_parse_options parse = { .root = "", .tools = true };
	struct err unknown = { 0 };
	int code = event_list_parse(list, events, &parse, &unknown);

	if (!code && *what != '-' && strcmp(events, TOPDOWN) != 0)
		(*vec_last(&list->spec))->figure = what; /* the events before only serve it */
	if (!code)
		return 0;
	(void)err_set(err, code, "%s: this machine has no such counters: %.*s", what,
		      (int)strcspn(events, "}") - (*events == '{'), events + (*events == '{'));
	return err_hint(err, "CPUs that have them may lack them in virtual machines; what can be "
			     "counted here: cupel list");
}

static int parse_events(struct stat_session *session, struct err *err)
{
	const struct stat_options *options = session->options;
	const struct event_parse_options parse = { .root = "", .tools = true };
	struct event_list *list = &session->list;
	int code = 0;

	if (options->null_run)
		return 0;
	code = stat_probes_make(&session->probes, &session->source, err);
	for (size_t i = 0; !code && i < session->source.selector.count; i++) {
		const struct record_selector *item = &session->source.selector.item[i];

		if (item->filter)
			code = event_list_filter(list, item->text, err);
		else if (item->figure)
			code = parse_special(list, item->figure, item->text, err);
		else
			code = event_list_parse(list,
						probe_definitions_expand(item->text, &list->arena),
						&parse, err);
	}
	if (!code && options->topdown)
		code = parse_special(list, "--topdown", TOPDOWN, err);
	if (!code)
		code = stat_probes_place(&session->probes, list, &session->source, err);
	if (options->source.selector.count || options->topdown)
		return code;
	if (options->transactions)
		return parse_special(list, "-T", TRANSACTIONS, err);
	code = event_list_parse(list, is_everybody(&options->source) ? "cpu-clock" : "task-clock",
				&parse, err);
	for (size_t i = 0; !code && i <= options->detail; i++)
		code = event_list_parse(list, default_events[i], &parse, err);
	return code;
}

static struct counts_event make_event(const struct counter *counter)
{
	const struct event_spec *spec = counter->spec;
	const struct perf_event_attr *attr = &spec->attr;
	struct counts_event event = { .name = counter->name,
				      .unit = spec->unit ? spec->unit : "",
				      .cgroup = counter->cgroup,
				      .figure = spec->figure,
				      .scale = spec->scale,
				      .type = attr->type,
				      .config = attr->config,
				      .supported = counter->error == 0,
				      .per_core = spec->percore };

	event.exclude =
		(unsigned)(attr->exclude_user | attr->exclude_kernel << 1 | attr->exclude_hv << 2 |
			   attr->exclude_host << 3 | attr->exclude_guest << 4);
	if (counter_is_clock(counter)) {
		event.unit = "msec";
		event.scale = 1e-6;
	}
	return event;
}

static void make_rows(struct stat_session *session)
{
	struct counter_set *set = &session->set;
	bool apart = session->options->apart;

	free(session->row);
	session->row = mem_alloc((set->counter.count + 1) * sizeof(*session->row));
	(void)stat_merge(set, apart, session->row); /* every row has an event below */
	session->event.count = 0;
	for (size_t i = 0; i < set->counter.count; i++) {
		struct counts_event event = make_event(&set->counter.item[i]);

		event.name = stat_merge_name(set, i, apart);
		if (session->row[i] == session->event.count)
			vec_push(&session->event, event);
		else
			session->event.item[session->row[i]].supported |= event.supported;
	}
}

/* The counts of the first run have the rows of all: threads of later runs are others. */
static void prepare_counts(struct stat_session *session)
{
	struct counts *counts = &session->result->counts;
	bool first = !counts->cell;

	make_rows(session);
	stat_places_find(&session->places, &session->set, session->options->by);
	counts->by = session->interval.by = session->options->by;
	counts->event = session->interval.event = session->event.item;
	counts->place = session->interval.place = session->places.place.item;
	if (!first && counts->places == session->places.place.count)
		return;
	counts->events = session->interval.events = session->event.count;
	counts->places = session->interval.places = session->places.place.count;
	counts_done(counts);
	counts_done(&session->interval);
	counts_init(counts);
	counts_init(&session->interval);
}

/* The value of an event that is a time, of everything: it stands in the first slot. The program's
 * times are those of its end; processes and CPUs have none. */
static void read_tool(const struct stat_session *session, enum event_tool tool, uint64_t now_ns,
		      struct counter_reading *ret)
{
	const struct program *program = &session->run.program;
	uint64_t elapsed_ns = session->enabled ? now_ns - session->start_ns : 0;

	if (tool != EVENT_TOOL_DURATION && !program->pid)
		return;
	*ret = (struct counter_reading){ elapsed_ns, elapsed_ns, elapsed_ns };
	if (tool == EVENT_TOOL_USER)
		ret->value = program->user_ns;
	else if (tool == EVENT_TOOL_SYSTEM)
		ret->value = program->system_ns;
}

static void read_all(struct stat_session *session, uint64_t now_ns)
{
	size_t slots = session->set.slots;

	for (size_t i = 0; i < session->set.counter.count * slots; i++)
		(void)counter_read(&session->set.counter.item[i / slots], i % slots,
				   &session->now[i]); /* else it stays what it was */
	for (size_t i = 0; i < session->set.counter.count; i++) {
		const struct event_spec *spec = session->set.counter.item[i].spec;

		if (spec->tool)
			read_tool(session, spec->tool, now_ns, &session->now[i * slots]);
		else if (spec->probe)
			stat_probes_read(&session->probes, &session->set, spec,
					 &session->now[i * slots]);
	}
}

/* Adds what was read, since `before` if that is given, to the counts. */
static void add_counts(struct stat_session *session, struct counter_reading *before,
		       struct counts *counts)
{
	size_t slots = session->set.slots, places = counts->places;
	struct count *sum = mem_zalloc((counts->events * places + 1) * sizeof(*sum));

	for (size_t i = 0; i < session->set.counter.count * slots; i++) {
		struct counter_reading now = session->now[i], since = { 0 };
		struct count *to = &sum[session->row[i / slots] * places +
					session->places.of_slot.item[i % slots]];

		if (before) {
			since = before[i];
			before[i] = now;
		}
		count_add(to,
			  &(struct count){ .value = (double)(now.value - since.value),
					   .enabled_ns = now.enabled_ns - since.enabled_ns,
					   .running_ns = now.running_ns - since.running_ns },
			  session->options->as_counted);
	}
	counts_add_all(counts, sum);
	free(sum);
}

static void record_round(struct stat_session *session, bool final, uint64_t time_ns)
{
	stat_recorder_round(&session->recorder, &session->set,
			    &(struct stat_round){ session->now, time_ns, final });
}

static int end_interval(struct stat_session *session, bool final, struct err *err)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	counts_clear(&session->interval);
	mean_add(&session->interval.elapsed_ns, (double)(now - session->last_ns));
	read_all(session, now);
	add_counts(session, session->before, &session->interval);
	session->last_ns = now;
	session->intervals++;
	record_round(session, final, now - session->zero_ns);
	return session->listener->interval(session->listener->context, &session->interval,
					   now - session->zero_ns, err);
}

static int take_tick(void *context, struct err *err)
{
	struct stat_session *session = context;
	int code = end_interval(session, false, err);

	if (session->intervals == session->options->interval_count) {
		stat_probes_leave(&session->probes);
		run_finish(&session->run, RUN_ENOUGH);
	}
	return code;
}

static int enable(struct stat_session *session, bool on, struct err *err)
{
	if (on && !session->enabled)
		session->start_ns = clock_ns(CLOCK_MONOTONIC);
	session->enabled = session->enabled || on;
	stat_probes_enable(&session->probes, on);
	return counter_set_enable(&session->set, on, err);
}

/* Later than the start, or off. */
static int switch_to(struct stat_session *session, bool on, struct err *err)
{
	int code = enable(session, on, err);

	if (!code)
		say(session, on ? "Events enabled" : "Events disabled");
	return code;
}

/* There are no intervals before. */
static int take_delay(void *context, struct err *err)
{
	struct stat_session *session = context;
	int code = switch_to(session, true, err);

	session->zero_ns = session->last_ns = session->start_ns;
	if (session->ticks.interval_ns)
		session->ticks.due_ns = session->start_ns + session->ticks.interval_ns;
	return code;
}

/* Not probes and times, which are switched with all. */
static int switch_event(struct stat_session *session, const char *name, bool on, struct err *err)
{
	bool known = false;
	int code = counter_set_enable_event(&session->set, name, on, &known, err);

	if (known)
		say(session, "Event %s %s", name, on ? "enabled" : "disabled");
	else
		say(session, "failed: can't find '%s' event", name);
	if (!code && known && on && !session->enabled) {
		session->start_ns = clock_ns(CLOCK_MONOTONIC);
		session->enabled = true;
	}
	return code;
}

static int obey(struct stat_session *session, enum record_command command, struct err *err)
{
	const struct record_control *control = &session->control;
	bool on = command == RECORD_COMMAND_ENABLE;

	switch (command) {
	case RECORD_COMMAND_ENABLE:
	case RECORD_COMMAND_DISABLE:
		return *control->argument ? switch_event(session, control->argument, on, err)
					  : switch_to(session, on, err);
	case RECORD_COMMAND_STOP:
		run_finish(&session->run, RUN_COMMAND);
		return 0;
	case RECORD_COMMAND_EVLIST:
		for (size_t i = 0; i < session->event.count; i++)
			say(session, "%s", session->event.item[i].name);
		return 0;
	case RECORD_COMMAND_UNKNOWN:
		say(session, "control: unknown command");
		return 0;
	default:
		return 0;
	}
}

static int take_commands(void *context, struct err *err)
{
	struct stat_session *session = context;
	enum record_command command;
	int code = 0;

	while (!code && (command = record_control_next(&session->control)) != RECORD_COMMAND_NONE) {
		code = obey(session, command, err);
		if (command != RECORD_COMMAND_UNKNOWN) /* perf answers nothing either */
			record_control_ack(&session->control);
	}
	return code;
}

static int add_calls(struct stat_session *session, struct err *err)
{
	const struct stat_options *options = session->options;
	struct run *run = &session->run;
	int code = 0;

	if (options->control)
		code = record_control_open(&session->control, options->control, err);
	if (code)
		return code;
	if (options->control)
		run_add_fd(run, &session->control.fd, take_commands, session);
	session->ticks = (struct run_timer){ .interval_ns = options->interval_ms * MS,
					     .due = take_tick,
					     .context = session };
	session->delay = (struct run_timer){ .due_ns = clock_ns(CLOCK_MONOTONIC) +
						       (uint64_t)options->delay_ms * MS,
					     .due = take_delay,
					     .context = session };
	if (options->delay_ms > 0)
		session->ticks.due_ns = RUN_NEVER;
	if (options->interval_ms)
		run_add_timer(run, &session->ticks);
	if (options->delay_ms > 0)
		run_add_timer(run, &session->delay);
	run->duration_ns = options->timeout_ms * MS;
	return run_add_targets(run, options->source.pids, options->source.tids, err);
}

static int take_run(struct stat_session *session, struct err *err)
{
	struct stat_result *result = session->result;
	const struct program *program = &session->run.program;
	uint64_t end_ns = session->run.launched ? clock_ns(CLOCK_MONOTONIC) : session->run.end_ns;
	double elapsed = session->enabled ? (double)(end_ns - session->start_ns) : 0;
	/* what still runs would count while the events of a group are read one after the other */
	int code = session->set.on_exec ? 0 : counter_set_enable(&session->set, false, err);

	stat_probes_enable(&session->probes, false);
	mean_add(&result->counts.elapsed_ns, elapsed);
	vec_push(&result->each_ns, elapsed);
	read_all(session, end_ns);
	add_counts(session, NULL, &result->counts);
	result->user_ns = program->user_ns;
	result->system_ns = program->system_ns;
	result->peak_rss_bytes = program->peak_rss_bytes;
	return code;
}

static int exit_status(const struct stat_session *session)
{
	const struct run *run = &session->run;

	/* as the user asked: how the program ended says nothing */
	if (run->launched && (run->end == RUN_DURATION || run->end == RUN_COMMAND))
		return 0;
	if (session->options->repeat != 1 && run->stop_signal)
		return 128 + run->stop_signal;
	return run->exit_status;
}

static void note(struct stat_session *session)
{
	char *notes = session->result->notes;
	size_t len;

	stat_notes(&session->set, notes, sizeof(session->result->notes));
	len = strlen(notes);
	if (session->probes.set.notes.len)
		(void)snprintf(notes + len, sizeof(session->result->notes) - len, "%s",
			       session->probes.set.notes.data);
}

static int watch(struct stat_session *session, struct err *err)
{
	const struct stat_options *options = session->options;
	struct run *run = &session->run;
	size_t readings;
	int code = 0;

	prepare_counts(session);
	readings = session->set.counter.count * session->set.slots + 1;
	if (!session->result->notes[0])
		note(session);
	free(session->now);
	free(session->before);
	session->now = mem_zalloc(readings * sizeof(*session->now));
	session->before = mem_zalloc(readings * sizeof(*session->before));
	if (options->record)
		code = stat_recorder_open(&session->recorder, &session->set, options, err);
	if (code)
		return code;
	session->enabled = false;
	session->start_ns = session->zero_ns = session->last_ns = clock_ns(CLOCK_MONOTONIC);
	if (!options->delay_ms && !session->set.on_exec)
		code = enable(session, true, err);
	else if (!options->delay_ms)
		session->enabled = stat_probes_enable(&session->probes, true);
	else
		say(session, "Events disabled");
	if (!code)
		code = run_watch(run, err);
	session->result->launched = run->launched;
	session->result->exit_status = exit_status(session);
	if (run->launched && run->end == RUN_PROGRAM_ENDED && WIFSIGNALED(run->program.status) &&
	    session->listener->killed)
		session->listener->killed(session->listener->context,
					  WTERMSIG(run->program.status));
	/* one that was cut off says nothing beside whole ones */
	if (!code && !(run_asked_to_stop(run) && session->result->each_ns.count))
		code = take_run(session, err);
	if (!code && options->interval_ms && run->end != RUN_ENOUGH)
		code = end_interval(session, true, err);
	else if (!code && !options->interval_ms)
		record_round(session, true, (uint64_t)*vec_last(&session->result->each_ns));
	return code;
}

static int open_run(struct stat_session *session, char **argv, struct err *err)
{
	int code = run_open(&session->run, err);

	if (!code)
		code = run_fork(&session->run, argv, false, err);
	session->source.program = session->run.program.pid;
	counter_set_close(&session->set); /* that of the run before: its names were in use */
	if (!code)
		code = counter_set_open(&session->set, &session->list, &session->wanted, err);
	if (!code)
		code = stat_probes_open(&session->probes, &session->source, err);
	if (!code)
		code = add_calls(session, err);
	return code;
}

static int one_run(struct stat_session *session, char **argv, bool *ret_stop, struct err *err)
{
	const struct stat_options *options = session->options;
	int code;

	if (options->sync)
		sync();
	code = stat_run_command(options->pre, err);
	if (code)
		return code;
	code = open_run(session, argv, err);
	if (!code)
		code = watch(session, err);
	if (session->recorder.writer)
		stat_recorder_close(&session->recorder, &session->result->unwritten);
	*ret_stop = run_asked_to_stop(&session->run);
	if (options->control)
		record_control_close(&session->control);
	run_close(&session->run);
	return code ? code : stat_run_command(options->post, err);
}

int session_stat(const struct stat_options *options, char **argv,
		 const struct stat_listener *listener, struct stat_result *ret, struct err *err)
{
	struct stat_session *session = mem_zalloc(sizeof(*session));
	bool stop = false;
	int code;

	*ret = (struct stat_result){ .session = session };
	*session = (struct stat_session){ .options = options,
					  .listener = listener,
					  .result = ret,
					  .source = options->source,
					  .control = { .fd = -1, .ack_fd = -1 } };
	session->wanted = (struct counter_options){ &session->source, options->each_cgroup };
	session->source.delayed = options->delay_ms != 0;
	code = parse_events(session, err);
	if (options->source.group)
		join_all(&session->list);
	for (uint64_t n = 0; !code && !stop && (!options->repeat || n < options->repeat); n++) {
		code = one_run(session, argv, &stop, err);
		if (code || options->repeat || (stop && n))
			continue;
		code = listener->run(listener->context, &ret->counts, err);
		counts_clear(&ret->counts);
	}
	if (stop)
		ret->stopped = session->run.stop_signal ? session->run.stop_signal : SIGINT;
	return code;
}

void stat_result_done(struct stat_result *result)
{
	struct stat_session *session = result->session;

	if (!session)
		return;
	counts_done(&result->counts);
	counts_done(&session->interval);
	vec_done(&result->each_ns);
	vec_done(&session->event);
	stat_places_done(&session->places);
	counter_set_close(&session->set);
	event_list_done(&session->list);
	stat_probes_done(&session->probes);
	free(session->now);
	free(session->before);
	free(session->row);
	free(session);
}
