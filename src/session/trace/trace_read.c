/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls of a recording (see trace_read.h). */
#include "session/trace/trace_read.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/err.h"
#include "event/desc.h"
#include "format/perf_data/perf_data.h"
#include "session/recording.h"
#include "session/replay.h"
#include "source/id_list.h"

struct reader {
	const struct trace_read_options *options;
	struct id_list pids, tids;
	uint64_t calls;
};

static bool has(const struct id_list *list, uint32_t id)
{
	for (size_t i = 0; i < list->count; i++)
		if ((uint32_t)list->item[i] == id)
			return true;
	return false;
}

static bool is_target(const struct reader *reader, uint32_t pid, uint32_t tid)
{
	if (!reader->pids.count && !reader->tids.count)
		return true;
	return has(&reader->pids, pid) || has(&reader->tids, tid);
}

static int on_line(void *context, const struct syscall_line *line, struct err *err)
{
	struct reader *reader = context;
	const struct trace_samples_options *to = &reader->options->to;

	reader->calls++;
	if (!is_target(reader, line->tgid, line->tid) ||
	    !syscall_choice_accepts(&reader->options->calls, line))
		return 0;
	return to->line(to->context, line, err);
}

static void on_stack(void *context, const struct trace_stack *stack)
{
	const struct trace_samples_options *to = &((struct reader *)context)->options->to;

	to->stack(to->context, stack);
}

static int on_event(void *context, const struct trace_event *event, struct err *err)
{
	struct reader *reader = context;
	const struct trace_samples_options *to = &reader->options->to;

	if (!is_target(reader, event->pid, event->tid))
		return 0;
	return to->event(to->context, event, err);
}

static int check_machine(const struct perf_data *data, const char *name, struct err *err)
{
	const char *arch = perf_data_header(data)->arch;
	struct utsname machine;

	if (!arch || uname(&machine) || strcmp(arch, machine.machine) == 0)
		return 0;
	return err_set(err, -EINVAL, "%s: recorded on %s, where system calls have other numbers",
		       name, arch);
}

static int read_all(struct reader *reader, struct recording *recording, struct err *err)
{
	const struct trace_samples_options *out = &reader->options->to;
	const struct trace_samples_options to = { .line = on_line,
						  .event = on_event,
						  .context = reader,
						  .stacks = out->stacks,
						  .max_stack = out->max_stack,
						  .stack = out->stacks ? on_stack : NULL };
	struct replay_options replay = {
		.symbol = { .inlines = out->stacks, .demangle = true, .symfs = "" }
	};
	struct trace_samples *samples;
	struct perf_data *data;
	int code = recording_data(recording, &data, err);

	if (!code)
		code = check_machine(data, recording_name(recording), err);
	if (code)
		return code;
	samples = trace_samples_new(&to, data);
	code = recording_replay(recording, &replay, trace_samples_handler(samples), err);
	trace_samples_free(samples);
	return code;
}

int trace_read(struct recording *recording, const struct trace_read_options *options,
	       uint64_t *calls, struct err *err)
{
	struct reader reader = { .options = options };
	int code = id_list_parse(options->pids, "process", &reader.pids, err);

	if (!code)
		code = id_list_parse(options->tids, "thread", &reader.tids, err);
	if (!code)
		code = read_all(&reader, recording, err);
	*calls = reader.calls;
	vec_done(&reader.pids);
	vec_done(&reader.tids);
	return code;
}
