/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel sched replay: repeats the scheduling behaviour of recorded threads several times and
 * measures the duration. */
#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/sched/sched_input.h"
#include "profile/sched/sched_workload.h"
#include "session/sched/workload_run.h"

#define DEFAULT_REPEAT 10

struct replay_command {
	struct sched_input_options input;
	uint64_t repeat;
	bool json;
};

static const struct option_def replay_rows[] = {
	{ "repeat", 'r', OPT_UINT, "N", OPT(replay_command, repeat),
	  "number of repetitions, 0 = until Ctrl-C (default 10)" },
	{ "json", 0, OPT_FLAG, NULL, OPT(replay_command, json), "print JSON, a line each time" },
	{ .type = OPT_INCLUDE, .include = sched_input_rows, .offset = OPT(replay_command, input) },
	{ 0 },
};

/* Averages of the runs so far. */
struct replay_average {
	uint64_t runs;
	double wall_ms, cpu_ms;
};

static void replay_defaults(void *options)
{
	((struct replay_command *)options)->repeat = DEFAULT_REPEAT;
}

static void put_workload(const struct sched_workload *workload, struct buf *out)
{
	(void)buf_printf(out,
			 "nr_run_events:        %" PRIu64 "\nnr_sleep_events:      %" PRIu64
			 "\nnr_wakeup_events:     %" PRIu64 "\ntarget-less wakeups:  %" PRIu64 "\n",
			 workload->runs, workload->sleeps + workload->pauses, workload->wakeups,
			 workload->targetless);
	for (size_t i = 0; i < workload->actor.count; i++) {
		const struct sched_actor *actor = &workload->actor.item[i];

		if (!actor->task || !actor->atom.count)
			continue;
		(void)buf_printf(out, "task %6zu (%20s:%10" PRIu32 "), nr_events: %zu\n", i,
				 actor->task->comm ? actor->task->comm : "?", actor->task->tid,
				 actor->atom.count);
	}
	(void)buf_puts(out, "------------------------------------------------------------\n");
}

static void put_run(const struct replay_average *average, const struct workload_time *time,
		    bool json, struct buf *out)
{
	if (json)
		(void)buf_printf(out,
				 "{\"cupel\":1,\"run\":%" PRIu64 ",\"wall_ns\":%" PRIu64
				 ",\"cpu_ns\":%" PRIu64 "}\n",
				 average->runs, time->wall_ns, time->cpu_ns);
	else
		(void)buf_printf(out, "#%-3" PRIu64 ": %0.3f, ravg: %0.2f, cpu: %0.2f / %0.2f\n",
				 average->runs, (double)time->wall_ns / 1e6, average->wall_ms,
				 (double)time->cpu_ns / 1e6, average->cpu_ms);
}

static int run(const struct replay_command *o, const struct sched_workload *workload,
	       struct sched_input *input, struct err *err)
{
	struct replay_average average = { 0 };
	struct workload_time time;
	int code = 0;

	if (!o->json)
		put_workload(workload, &input->out);
	while (!code && (!o->repeat || average.runs < o->repeat)) {
		code = sched_input_flush(input, err);
		(void)fflush(stdout); /* a failure shows at the end */
		if (!code)
			code = workload_run(workload, &time, err);
		if (code)
			break;
		average.runs++;
		average.wall_ms +=
			((double)time.wall_ns / 1e6 - average.wall_ms) / (double)average.runs;
		average.cpu_ms +=
			((double)time.cpu_ns / 1e6 - average.cpu_ms) / (double)average.runs;
		put_run(&average, &time, o->json, &input->out);
	}
	return code ? code : sched_input_flush(input, err);
}

static int replay(void *context, struct sched_input *input, struct err *err)
{
	const struct replay_command *o = context;
	struct sched_workload workload;
	int code;

	sched_workload_init(&workload);
	code = sched_input_read(input, &o->input, &workload.sink, 0, err);
	if (!code) {
		sched_workload_finish(&workload);
		code = run(o, &workload, input, err);
	}
	sched_workload_done(&workload);
	return code;
}

static int replay_run(void *options, int argc, char **argv, struct err *err)
{
	const struct replay_command *o = options;

	return sched_input_run(&o->input, (struct option_words){ argc, argv }, replay, options,
			       err);
}

const struct command cmd_sched_replay = {
	.name = "sched replay",
	.args = "[options] [FILE]",
	.summary = "replay the scheduler activity of a recording",
	.options = replay_rows,
	.options_size = sizeof(struct replay_command),
	.defaults = replay_defaults,
	.run = replay_run,
};
