/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of ftrace (see ftrace_watch.h). */
#include "session/ftrace/ftrace_watch.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "session/run.h"
#include "source/event_spec/name_list.h"
#include "source/event_spec/tracepoint.h"
#include "source/ftrace/ftrace_event.h"
#include "source/ftrace/ftrace_instance.h"

#define MS	       1000000ull
#define SWEEP_NS       (50 * MS) /* the kernel wakes readers when buffers are half full */
#define CHUNK	       65536
#define CHUNKS_AT_ONCE 64 /* then signals are looked at */
#define TEXT_LIMIT     ((size_t)1 << 30)

struct ftrace_run {
	const struct ftrace_watch_options *options;
	struct ftrace_instance *instance;
	struct run run;
	struct run_timer sweep, delay;
	int pipe_fd;
	struct buf text; /* the end of what was read: a line that is not whole */
};

/* Tracers that keep the worst case, to be read at the end. */
static bool keeps_one_trace(const char *tracer)
{
	static const char *const names[] = { "irqsoff", "preemptoff", "preemptirqsoff",
					     "wakeup",	"wakeup_rt",  "wakeup_dl" };

	for (size_t i = 0; tracer && i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i], tracer) == 0)
			return true;
	return false;
}

static int pass_on(struct ftrace_run *run, bool all, struct err *err)
{
	const char *end = run->text.len ? memrchr(run->text.data, '\n', run->text.len) : NULL;
	size_t len = end ? (size_t)(end + 1 - run->text.data) : 0;
	int code = 0;

	if (all)
		len = run->text.len;
	if (!len)
		return 0;
	code = run->options->text(run->options->context, run->text.data, len, err);
	memmove(run->text.data, run->text.data + len, run->text.len - len);
	run->text.len -= len;
	return code;
}

static int drain(struct ftrace_run *run, unsigned chunks, struct err *err)
{
	int code = 0;

	for (unsigned i = 0; !code && i < chunks; i++) {
		size_t before = run->text.len;
		ssize_t n;

		if (buf_extend(&run->text, CHUNK))
			return err_set(err, -E2BIG, "trace_pipe: a line is too long");
		n = read(run->pipe_fd, run->text.data + before, CHUNK);
		run->text.len = before + (n > 0 ? (size_t)n : 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			return err_errno(err, "trace_pipe");
		if (n <= 0)
			break;
		code = pass_on(run, false, err);
	}
	return code;
}

static int on_text(void *context, struct err *err)
{
	return drain(context, CHUNKS_AT_ONCE, err);
}

static int start_tracing(struct ftrace_run *run, struct err *err)
{
	return ftrace_write(run->instance, "tracing_on", "1", err);
}

static int on_delay(void *context, struct err *err)
{
	struct ftrace_run *run = context;

	run->delay.interval_ns = 0;
	run->delay.due_ns = RUN_NEVER;
	return start_tracing(run, err);
}

static int set_up(struct ftrace_run *run, struct err *err)
{
	struct ftrace_setup setup = run->options->setup;
	int code;

	setup.program = run->run.program.pid;
	code = ftrace_instance_open(setup.tracer, &run->instance, err);
	if (!code)
		code = ftrace_apply(run->instance, &setup, err);
	if (!code && keeps_one_trace(setup.tracer))
		code = ftrace_write(run->instance, "tracing_max_latency", "0", err);
	if (!code)
		code = ftrace_enable_events(run->instance, setup.event, setup.event_count, err);
	if (!code)
		code = ftrace_use_tracer(run->instance, &setup, err);
	return code;
}

/* The comments that the file begins with while it is empty. */
static int give_heading(struct ftrace_run *run, struct err *err)
{
	struct buf text = { .limit = TEXT_LIMIT };
	size_t len = 0;
	int code;

	if (!run->options->heading)
		return 0;
	code = ftrace_read(run->instance, "trace", &text, err);
	while (!code && len < text.len && text.data[len] == '#')
		len += strcspn(text.data + len, "\n") + 1;
	if (!code && len && len <= text.len)
		code = run->options->heading(run->options->context, text.data, len, err);
	buf_done(&text);
	return code;
}

static int prepare(struct ftrace_run *run, char **argv, struct err *err)
{
	const struct ftrace_setup *setup = &run->options->setup;
	int code = run_fork(&run->run, argv, false, err);

	if (!code && !argv)
		code = run_add_targets(&run->run, setup->pids, setup->tids, err);
	if (!code)
		code = set_up(run, err);
	if (!code)
		code = give_heading(run, err);
	if (code)
		return code;
	run->pipe_fd = ftrace_open_file(run->instance, "trace_pipe", err);
	if (run->pipe_fd < 0)
		return run->pipe_fd;
	run->run.duration_ns = run->options->duration_ns;
	if (!keeps_one_trace(setup->tracer)) {
		run_add_fd(&run->run, &run->pipe_fd, on_text, run);
		run->sweep = (struct run_timer){ .interval_ns = SWEEP_NS,
						 .due = on_text,
						 .context = run };
		run_add_timer(&run->run, &run->sweep);
	}
	if (!run->options->delay_ns)
		return start_tracing(run, err);
	run->delay = (struct run_timer){ .interval_ns = run->options->delay_ns,
					 .due = on_delay,
					 .context = run };
	run_add_timer(&run->run, &run->delay);
	return 0;
}

static uint64_t count_of(const struct buf *stats, const char *name)
{
	const char *at = stats->data ? strstr(stats->data, name) : NULL;

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/* What found no room, by the kernel's own counters. */
static uint64_t count_lost(const struct ftrace_run *run)
{
	struct name_list cpus = { 0 };
	struct arena arena = { 0 };
	struct buf path = { 0 };
	uint64_t lost = 0;

	(void)buf_printf(&path, "%s/per_cpu", ftrace_folder(run->instance));
	(void)name_list_folder(&cpus, path.data, "cpu*", "per_cpu/", &arena); /* then: none */
	for (size_t i = 0; i < cpus.count; i++) {
		struct buf stats = { .limit = 65536 };
		struct err ignored = { 0 };

		buf_clear(&path);
		(void)buf_printf(&path, "%s/stats", cpus.item[i]);
		if (ftrace_read(run->instance, path.data, &stats, &ignored) == 0)
			lost += count_of(&stats, "\noverrun: ") +
				count_of(&stats, "\ndropped events: ");
		buf_done(&stats);
	}
	buf_done(&path);
	name_list_done(&cpus);
	arena_done(&arena);
	return lost;
}

static int give_file(struct ftrace_run *run, const char *file, struct err *err)
{
	int code;

	run->text.limit = TEXT_LIMIT;
	code = ftrace_read(run->instance, file, &run->text, err);
	return code ? code : pass_on(run, true, err);
}

/* What is left in the buffers, and what is collected elsewhere. */
static int finish(struct ftrace_run *run, struct err *err)
{
	const struct ftrace_setup *setup = &run->options->setup;
	int code = ftrace_write(run->instance, "tracing_on", "0", err);

	if (!code && keeps_one_trace(setup->tracer))
		code = give_file(run, "trace", err);
	else if (!code)
		code = drain(run, UINT32_MAX, err);
	if (!code)
		code = pass_on(run, true, err);
	if (!code)
		code = ftrace_read_histograms(run->instance, setup->event, setup->event_count,
					      &run->text, err);
	return code ? code : pass_on(run, true, err);
}

int ftrace_watch(const struct ftrace_watch_options *options, char **argv,
		 struct ftrace_watch_result *ret, struct err *err)
{
	struct ftrace_run run = { .options = options, .pipe_fd = -1 };
	int code;

	memset(ret, 0, sizeof(*ret));
	code = run_open(&run.run, err);
	if (!code)
		code = prepare(&run, argv, err);
	if (!code) {
		code = run_watch(&run.run, err);
		if (!code)
			code = finish(&run, err);
		ret->lost = count_lost(&run);
	}
	ret->launched = run.run.launched;
	ret->exit_status = run.run.exit_status;
	run_close(&run.run);
	fd_close(&run.pipe_fd);
	buf_done(&run.text);
	ftrace_instance_close(run.instance);
	return code;
}

int ftrace_list_functions(const char *glob, struct buf *ret, struct err *err)
{
	static const char file[] = "/available_filter_functions";
	struct buf all = { .limit = TEXT_LIMIT }, path = { 0 };
	struct arena arena = { 0 };
	const char *tracefs;
	int code = tracefs_find("", &arena, &tracefs, err);

	if (!code) {
		(void)buf_printf(&path, "%s%s", tracefs, file);
		code = fd_read_file(path.data, &all, err);
		if (code == -EPERM || code == -EACCES)
			(void)err_hint(err,
				       "the kernel does not permit to trace its functions; events "
				       "work: cupel ftrace -e 'sched:*'");
	}
	for (char *line = all.data, *end; !code && line && (end = strchr(line, '\n'));
	     line = end + 1) {
		*end = '\0';
		line[strcspn(line, " ")] = '\0';
		if (!glob || fnmatch(glob, line, 0) == 0)
			(void)buf_printf(ret, "%s\n", line);
	}
	buf_done(&all);
	buf_done(&path);
	arena_done(&arena);
	return code;
}
