/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel wall: where the wall-clock time of threads goes, to the nanosecond. */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/option.h"
#include "session/wall.h"
#include "view/ledger/ledger_view.h"

struct wall_command {
	struct wall_options wall;
	const char *output, *by;
	uint64_t rows;
	bool json;
};

static const struct option_def wall_rows[] = {
	{ "pid", 'p', OPT_STR, "LIST", OPT(wall_command, wall.pids),
	  "watch these processes and what they fork" },
	{ "all", 'a', OPT_FLAG, NULL, OPT(wall_command, wall.everybody), "watch all threads" },
	{ "duration", 'd', OPT_DURATION, "TIME", OPT(wall_command, wall.duration_ns),
	  "watch for so long (10s, 500ms)" },
	{ "by", 0, OPT_STR, "WHAT", OPT(wall_command, by),
	  "a row per thread, process or name (default thread)" },
	{ "rows", 0, OPT_UINT, "N", OPT(wall_command, rows),
	  "rows of each table, 0 = all (default 20)" },
	{ "json", 0, OPT_FLAG, NULL, OPT(wall_command, json), "print JSON" },
	{ "output", 'o', OPT_STR, "FILE", OPT(wall_command, output),
	  "write there instead of standard output" },
	{ 0 },
};

static void wall_defaults(void *options)
{
	struct wall_command *o = options;

	o->rows = 20;
}

static bool parse_by(const char *word, enum ledger_rows *ret)
{
	static const char *const names[] = { "thread", "process", "name" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(word, names[i]) != 0)
			continue;
		*ret = (enum ledger_rows)i;
		return true;
	}
	return false;
}

static int print(const struct wall_command *o, const struct ledger_view_options *view,
		 const struct wall_result *result, struct err *err)
{
	struct buf out = { 0 };
	int code;

	if (!result->ledger.thread.count)
		return err_set(err, -ENODATA, "no thread was seen");
	if (o->json)
		ledger_json(&result->ledger, &out);
	else
		ledger_text(&result->ledger, view, &out);
	code = command_write_output(o->output, &out, err);
	buf_done(&out);
	return code;
}

static int wall_run(void *options, int argc, char **argv, struct err *err)
{
	const struct wall_command *o = options;
	struct ledger_view_options view = { .max_rows = o->rows };
	struct wall_result result;
	int code, status;

	if (o->by && !parse_by(o->by, &view.rows))
		return command_usage(err, "--by: %s: not thread, process or name", o->by);
	if (!argc && !o->wall.pids && !o->wall.everybody)
		return command_usage(err, "watch what? -p LIST, -a, or -- program arguments");
	code = session_wall(&o->wall, argc ? argv : NULL, &result, err);
	if (!code)
		code = print(o, &view, &result, err);
	status = result.launched ? result.exit_status : EXIT_STATUS_OK;
	if (code && result.exit_status && !result.launched) {
		command_print_error(err); /* as a shell: 127 not found, 126 not executable */
		status = result.exit_status;
	} else if (code) {
		status = -1;
	}
	wall_result_done(&result);
	return status;
}

const struct command cmd_wall = {
	.name = "wall",
	.args = "[options] [-- program arguments]",
	.summary = "show where the wall-clock time of threads goes",
	.options = wall_rows,
	.options_size = sizeof(struct wall_command),
	.defaults = wall_defaults,
	.run = wall_run,
	.takes_program = true,
};
