/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel doctor: what this machine, kernel, user and build permit, problems first. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/doctor_text.h"
#include "command/option/accepted.h"
#include "command/option/option.h"
#include "command/output.h"
#include "command/reader.h"
#include "session/doctor/doctor.h"

struct doctor_command_options {
	struct output_options output;
	uint64_t pid;
	const char *require;
	bool verbose;
};

static const struct option_def doctor_rows[] = {
	{ "pid", 'p', OPT_UINT, "PID", OPT(doctor_command_options, pid),
	  "look at the binaries and compiled code of a process" },
	{ "require", 0, OPT_STR, "CHECK,...", OPT(doctor_command_options, require),
	  "exit with 1 unless these checks are ok; see --verbose for their names" },
	{ "verbose", 'v', OPT_FLAG, NULL, OPT(doctor_command_options, verbose),
	  "show all checks, by group" },
	{ .type = OPT_INCLUDE,
	  .include = output_option_rows,
	  .offset = OPT(doctor_command_options, output) },
	{ .type = OPT_INCLUDE, .include = pager_rows },
	{ 0 },
};

/* Returns 0, 1 if one of them is not ok, or command_usage(). */
static int check_required(const struct doctor_report *report, const char *list, struct err *err)
{
	int status = EXIT_STATUS_OK;

	while (*list) {
		size_t len = strcspn(list, ",");
		char name[64];
		const struct doctor_finding *finding;

		(void)snprintf(name, sizeof(name), "%.*s", (int)len, list); /* else not found */
		finding = doctor_find(report, name);
		if (!finding) {
			(void)command_usage(err, "--require: no check '%s'", name);
			(void)err_hint(err, "names of checks: cupel doctor -v");
			return EXIT_STATUS_USAGE;
		}
		if (finding->level != DOCTOR_OK)
			status = EXIT_STATUS_FAILED;
		list += len + (list[len] == ',');
	}
	return status;
}

static int doctor_run(void *options, int argc, char **argv, struct err *err)
{
	const struct doctor_command_options *o = options;
	struct doctor_options what = { .root = "", .pid = (pid_t)o->pid };
	struct doctor_report report;
	struct buf text = { 0 };
	int status;

	if (argc > 1 || (argc && o->pid))
		return command_usage(err, "expected one program or -p PID");
	if (o->pid > INT32_MAX)
		return command_usage(err, "no process can have the PID %llu",
				     (unsigned long long)o->pid);
	what.program = argc ? argv[0] : NULL;
	if (doctor_find_subject(&what, err))
		return -1;
	doctor_examine(&what, &report);
	status = check_required(&report, o->require ? o->require : "own-programs", err);
	if (status != EXIT_STATUS_USAGE) {
		if (o->output.json)
			doctor_put_json(&report, &text);
		else
			doctor_put_text(&report, o->verbose, &text);
		if (!o->output.path)
			reader_page();
		if (command_write_output(o->output.path, &text, err))
			status = -1;
	}
	buf_done(&text);
	doctor_report_done(&report);
	return status;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.args = "[options] [program]",
	.summary = "show what can be profiled here, and how to get the rest",
	.options = doctor_rows,
	.options_size = sizeof(struct doctor_command_options),
	.run = doctor_run,
};
