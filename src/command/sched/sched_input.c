/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening and reading of scheduler recordings (see sched_input.h). */
#include "command/sched/sched_input.h"

#include <errno.h>
#include <unistd.h>

#include "base/err.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option/accepted.h"
#include "format/perf_data/perf_data.h"
#include "session/recording.h"
#include "session/sched/sched_trace.h"

#define PRINT_BYTES ((size_t)1 << 20)

const struct option_def sched_input_rows[] = {
	{ "Input", 0, OPT_GROUP, NULL, 0, NULL },
	{ "input", 'i', OPT_STR, "FILE", OPT(sched_input_options, input),
	  "recording to read (default perf.data, - for stdin)" },
	{ "symfs", 0, OPT_STR, "DIR", OPT(sched_input_options, symfs),
	  "look for files under this directory" },
	{ "kallsyms", 0, OPT_STR, "FILE", OPT(sched_input_options, kallsyms),
	  "kernel symbols (default /proc/kallsyms)" },
	{ "vmlinux", 'k', OPT_STR, "FILE", OPT(sched_input_options, vmlinux),
	  "kernel image with symbols" },
	{ .type = OPT_INCLUDE, .include = trust_option_rows },
	{ .type = OPT_INCLUDE, .include = accepted_sched_rows },
	{ 0 },
};

int sched_input_flush(struct sched_input *input, struct err *err)
{
	if (!input->write_code && input->out.len)
		input->write_code = input->coloured ? command_write_bytes(NULL, &input->out, err)
						    : command_write_output(NULL, &input->out, err);
	buf_clear(&input->out);
	return input->write_code;
}

static void print_some(void *context)
{
	struct sched_input *input = context;

	if (input->out.len >= PRINT_BYTES)
		(void)sched_input_flush(input, input->err);
}

static int open_input(const char *path, struct sched_input *ret, struct err *err)
{
	int code;

	*ret = (struct sched_input){ .err = err };
	code = recording_open(path, &ret->recording, err);
	if (!code)
		code = recording_data(ret->recording, &ret->data, err);
	if (!code)
		ret->trace = sched_trace_new(ret->data);
	return code;
}

int sched_input_read(struct sched_input *input, const struct sched_input_options *options,
		     struct sched_sink *view, uint32_t max_stack, struct err *err)
{
	struct sched_options sched = { .symbol = { .demangle = true,
						   .symfs = options->symfs ? options->symfs : "",
						   .kallsyms_path = options->kallsyms,
						   .vmlinux_path = options->vmlinux },
				       .max_stack = max_stack,
				       .next_names = input->next_names,
				       .steps = input->steps,
				       .locks = input->locks,
				       .progress = !isatty(STDOUT_FILENO),
				       .pause = print_some,
				       .context = input };
	const struct perf_data_stats *stats = perf_data_stats(input->data);
	const char *name = recording_name(input->recording);
	int code = sched_trace_read(input->trace, &sched, view, err);

	if (code || input->write_code)
		return code ? code : input->write_code;
	recording_warn_damage(name, stats);
	if (sched_trace_has_switches(input->trace) || sched_trace_has_steps(input->trace))
		return 0;
	code = err_set(err, -ENODATA, "%s: no context switches in the recording", name);
	if (stats->damage[0])
		return code; /* what is missing may be where they were, or what describes them */
	return err_hint(err, "record them with: cupel sched record -- sleep 1");
}

uint32_t sched_input_cpus(const struct sched_input *input)
{
	uint32_t cpus = perf_data_header(input->data)->cpus_online;

	return cpus ? cpus : 1;
}

static void close_input(struct sched_input *input)
{
	buf_done(&input->out);
	sched_trace_free(input->trace);
	recording_close(input->recording);
}

int sched_input_run(const struct sched_input_options *options, struct option_words words,
		    sched_input_use *use, void *context, struct err *err)
{
	struct sched_input input;
	const char *path;
	int code;

	if (command_take_input(&words, options->input, &path, err))
		return EXIT_STATUS_USAGE;
	code = open_input(path, &input, err);
	if (!code)
		code = use(context, &input, err);
	close_input(&input);
	return code ? -1 : EXIT_STATUS_OK;
}
