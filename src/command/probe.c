/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel probe: what can be probed in a program: source lines and variables. */
#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/option/option.h"
#include "session/probe/debug_info.h"
#include "session/probe/show_source.h"

struct probe_options {
	struct option_list lines, variables;
	const char *binary, *source;
	bool externs;
};

static const struct option_def probe_rows[] = {
	{ "exec", 'x', OPT_STR, "FILE", OPT(probe_options, binary), "the program or library" },
	{ "line", 'L', OPT_LIST, "RANGE", OPT(probe_options, lines),
	  "print source lines, numbers at those that can be probed: FUNCTION, "
	  "FUNCTION:FIRST-LAST, FILE:FIRST-LAST, FILE:FIRST+COUNT" },
	{ "vars", 'V', OPT_LIST, "PLACE", OPT(probe_options, variables),
	  "print the variables at a place: FUNCTION, FUNCTION+OFFSET, FUNCTION:LINE, FILE:LINE" },
	{ "externs", 0, OPT_FLAG, NULL, OPT(probe_options, externs),
	  "with -V: also global variables" },
	{ "source", 's', OPT_STR, "DIRECTORY", OPT(probe_options, source),
	  "look for source files here" },
	{ 0 },
};

static int show(const struct probe_options *o, const struct debug_info *info, struct buf *out,
		struct err *err)
{
	int code = 0;

	for (size_t i = 0; i < o->lines.count && !code; i++)
		code = show_lines(info, o->lines.item[i], o->source, out, err);
	for (size_t i = 0; i < o->variables.count && !code; i++)
		code = show_variables(info, o->variables.item[i], o->externs, out, err);
	return code;
}

static int probe_run(void *options, int argc, char **argv, struct err *err)
{
	const struct probe_options *o = options;
	struct debug_info info;
	struct buf out = { 0 };
	int code;

	(void)argv;
	if (argc)
		return command_usage(err, "unexpected word '%s'", argv[0]);
	if (!o->lines.count && !o->variables.count)
		return command_usage(err, "nothing to do: -L RANGE or -V PLACE");
	if (!o->binary)
		return command_usage(err, "no program: -x FILE");
	code = debug_info_open(o->binary, &info, err);
	if (!code) {
		code = show(o, &info, &out, err);
		debug_info_done(&info);
	}
	return command_end_output(code, NULL, &out, err) ? -1 : EXIT_STATUS_OK;
}

const struct command cmd_probe = {
	.name = "probe",
	.args = "[options]",
	.summary = "show what can be probed in a program",
	.options = probe_rows,
	.options_size = sizeof(struct probe_options),
	.run = probe_run,
};
