/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Option rows of recording commands: perf record's names and meaning. */
#include "command/record/record_options.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "command/option/accepted.h"
#include "command/record/record_options_groups.h"
#include "session/record/recording_options.h"

const struct option_def record_subject_rows[] = {
	{ .type = OPT_INCLUDE, .include = record_event_rows },
	{ .type = OPT_INCLUDE, .include = record_target_rows },
	{ .type = OPT_INCLUDE, .include = record_stack_rows },
	{ .type = OPT_INCLUDE, .include = record_duration_rows },
	{ .type = OPT_END },
};

const struct option_def record_option_rows[] = {
	{ .type = OPT_INCLUDE, .include = record_subject_rows },
	{ .type = OPT_INCLUDE, .include = record_delay_rows },
	{ .type = OPT_INCLUDE, .include = record_content_rows },
	{ .type = OPT_INCLUDE, .include = record_other_rows },
	{ .type = OPT_INCLUDE, .include = record_buffer_rows },
	{ .type = OPT_END },
};

const struct option_def record_output_rows[] = {
	{ .type = OPT_INCLUDE, .include = record_file_rows },
	{ .type = OPT_INCLUDE, .include = accepted_record_rows },
	{ .type = OPT_END },
};

static int contradiction(struct err *err, const char *a, const char *b)
{
	return err_set(err, -EINVAL, "%s and %s cannot be combined", a, b);
}

int recording_options_check(const struct recording_options *options, bool program, struct err *err)
{
	bool tasks = options->source.pids || options->source.tids || options->source.user;
	bool to_stdout = options->output && strcmp(options->output, "-") == 0;
	bool rate = options->source.frequency.hz || options->source.frequency.max;

	if (rate && options->source.period)
		return contradiction(err, "-F", "-c");
	if (options->source.all_user && options->source.all_kernel)
		return contradiction(err, "--all-user", "--all-kernel");
	if (options->source.user_callchains && options->source.kernel_callchains)
		return contradiction(err, "--user-callchains", "--kernel-callchains");
	if (tasks && options->source.system_wide)
		return contradiction(err, "-a", "-p, -t or -u");
	if (options->source.per_thread &&
	    (options->source.system_wide || (options->source.cpus && !tasks)))
		return contradiction(err, "--per-thread", "-a or -C");
	if (options->source.per_thread && !tasks && !program)
		return err_set(err, -EINVAL, "--per-thread requires a program, -p or -t");
	if (options->source.cgroups && !options->source.system_wide)
		return err_set(err, -EINVAL, "-G requires -a");
	if (options->latency && options->source.system_wide)
		return contradiction(err, "--latency", "-a");
	if (to_stdout && options->switch_output.mode != RECORDING_SWITCH_NONE)
		return contradiction(err, "-o -", "--switch-output");
	if (options->switch_max_files && options->switch_output.mode == RECORDING_SWITCH_NONE)
		return err_set(err, -EINVAL, "--switch-max-files requires --switch-output");
	if (options->realtime_priority > 99)
		return err_set(err, -EINVAL, "-r: expected a priority from 1 to 99");
	return 0;
}

void recording_options_done(struct recording_options *options)
{
	vec_done(&options->source.selector);
}
