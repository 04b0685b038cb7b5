/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel record: sample a program, processes or the machine into perf.data. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/record/record_options.h"
#include "session/record/recorder.h"

static const struct option_def rows[] = {
	{ .type = OPT_INCLUDE, .include = record_option_rows },
	{ .type = OPT_INCLUDE, .include = record_output_rows },
	{ "Waiting", 0, OPT_GROUP, NULL, 0, NULL, NULL, NULL },
	{ "off-cpu", 0, OPT_FLAG, NULL, OPT(recording_options, source.add_off_cpu),
	  "also record where threads wait, as -e off-cpu does", NULL, NULL },
	{ .type = OPT_END },
};

/* 1234567 → "1,234,567". */
static void put_grouped(struct buf *out, uint64_t value)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, value);

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			(void)buf_putc(out, ',');
		(void)buf_putc(out, digits[i]);
	}
}

static void put_loss(struct buf *out, const struct recording_result *result)
{
	for (size_t i = 0; i < result->loss_count; i++) {
		const struct record_loss *loss = &result->loss[i];

		if (loss->cpu < 0)
			(void)buf_puts(out, "[ cupel: rings of threads: ");
		else
			(void)buf_printf(out, "[ cupel: CPU %d: ", loss->cpu);
		put_grouped(out, loss->lost);
		(void)buf_puts(out, " lost, throttled ");
		put_grouped(out, loss->throttled);
		(void)buf_puts(out, loss->throttled == 1 ? " time ]\n" : " times ]\n");
	}
	if (result->lost_records + result->lost_samples)
		(void)buf_printf(out,
				 "[ cupel: to avoid loss, use larger rings (-m 8M), %s, or smaller "
				 "samples ]\n",
				 result->frequency_hz ? "a lower -F" : "fewer events");
}

static void put_empty(struct buf *out, const struct recording_result *result)
{
	char idle[160];

	recording_idle_text(&result->idle, idle, sizeof(idle));
	(void)buf_printf(out, "[ cupel: no samples: recorded for %.1f ms",
			 (double)result->duration_ns / 1e6);
	if (*idle)
		(void)buf_printf(out, ", %s", idle);
	else if (result->launched)
		(void)buf_printf(out, ", the program used %.1f ms of CPU time",
				 (double)result->program_cpu_ns / 1e6);
	if (recording_idle_all(&result->idle))
		(void)buf_puts(out, " ]\n");
	else if (result->frequency_hz)
		(void)buf_printf(out, ", at %" PRIu64 " Hz there is one sample in %.1f ms ]\n",
				 result->frequency_hz, 1e3 / (double)result->frequency_hz);
	else
		(void)buf_puts(out, ", the event did not occur often enough ]\n");
}

/* Scripts of perf look for its last line. */
static bool is_called_perf(void)
{
	const char *slash = strrchr(command_words()->argv[0], '/');

	return strcmp(slash ? slash + 1 : command_words()->argv[0], "perf") == 0;
}

/* What goes into a picture at once is in no file. */
static bool is_kept(const struct recording_options *options)
{
	return options->output || (!options->output_queue && !options->output_fd_plus_one);
}

static void put_written(struct buf *out, const struct recording_options *options,
			const struct recording_result *result)
{
	char name[sizeof(result->output)];

	if (!is_kept(options)) {
		(void)buf_puts(out, "[ cupel: recorded ");
		return;
	}
	(void)buf_printf(out, "[ cupel: wrote %.3f MB to ", (double)result->bytes / 1e6);
	if (result->files > 1)
		(void)buf_printf(out, "%u files, the last is ", result->files);
	(void)snprintf(name, sizeof(name), "%s",
		       strcmp(result->output, "-") == 0 ? "stdout" : result->output);
	text_tidy(name, strlen(name));
	(void)buf_puts(out, name);
	(void)buf_puts(out, ": ");
}

/* The recording ends with the first failure; the program goes on. */
static void put_unwritten(struct buf *out, const struct recording_result *result)
{
	if (!result->write_failed)
		return;
	if (result->came_samples > result->samples) {
		(void)buf_puts(out, ", ");
		put_grouped(out, result->came_samples - result->samples);
		(void)buf_puts(out, " not written");
	}
	(void)buf_printf(out, ", the recording ended after %.2f s",
			 (double)result->duration_ns / 1e9);
	if (result->write_error)
		(void)buf_printf(out, ": %s", strerror(result->write_error));
}

void record_print_summary(const struct recording_options *options,
			  const struct recording_result *result)
{
	struct buf out = { 0 };

	if (options->quiet)
		return;
	command_print_notes(result->notes);
	if (is_called_perf())
		(void)buf_printf(&out,
				 "[ perf record: Woken up %" PRIu64 " times to write data ]\n"
				 "[ perf record: Captured and wrote %.3f MB %s (%" PRIu64
				 " samples) ]\n",
				 result->rounds, (double)result->bytes / 1048576, result->output,
				 result->samples);
	put_written(&out, options, result);
	put_grouped(&out, result->samples);
	(void)buf_puts(&out, result->samples == 1 ? " sample, " : " samples, ");
	put_grouped(&out, result->lost_records + result->lost_samples);
	(void)buf_puts(&out, " lost");
	put_unwritten(&out, result);
	(void)buf_puts(&out, " ]\n");
	put_loss(&out, result);
	if (!result->samples && !options->source.no_samples && !result->write_failed)
		put_empty(&out, result);
	if (options->verbose)
		(void)buf_printf(&out,
				 "[ cupel: own cost %.1f ms of CPU time, %.1f MB; rings of up to "
				 "%zu KiB ]\n",
				 (double)result->self_cpu_ns / 1e6,
				 (double)result->self_peak_rss_bytes / 1e6,
				 result->ring_bytes / 1024);
	text_tidy_lines(out.data, out.len);
	(void)fputs(out.data, stderr); /* nothing is left to do when that fails */
	buf_done(&out);
}

static void say(const char *line)
{
	(void)fprintf(stderr, "[ cupel: %s ]\n", line);
}

static int record_run(void *context, int argc, char **argv, struct err *err)
{
	struct recording_options *options = context;
	struct recording_result result;
	int code, status;

	if (recording_options_check(options, argc > 0, err))
		return EXIT_STATUS_USAGE;
	if (!argc && !options->source.pids && !options->source.tids && !options->source.user &&
	    !options->source.cpus)
		options->source.system_wide = true; /* as in perf */
	if (options->latency && (options->source.system_wide || options->source.cpus))
		return command_usage(err, "--latency needs a program, -p, -t or -u");
	options->source.switch_events |= options->latency;
	options->words = (const char *const *)command_words()->argv;
	options->word_count = (size_t)command_words()->argc;
	options->say = options->quiet ? NULL : say;
	code = session_record(options, argv, &result, err);
	if (result.write_error == ENOSPC || result.write_error == EDQUOT ||
	    result.write_error == EFBIG)
		(void)err_hint(err, "what was written can be read; --max-size SIZE, or "
				    "--switch-output=SIZE with --switch-max-files N, limits it");
	if (result.files) /* else nothing was recorded: --dry-run, or an error */
		record_print_summary(options, &result);
	status = command_program_status(code, result.launched, result.exit_status, err);
	recording_result_done(&result);
	return status;
}

static void record_done(void *options)
{
	recording_options_done(options);
}

const struct command cmd_record = {
	.name = "record",
	.args = "[options] [-- program arguments]",
	.summary = "sample a program, processes or the machine into perf.data",
	.options = rows,
	.options_size = sizeof(struct recording_options),
	.run = record_run,
	.done = record_done,
	.takes_program = true,
};
