/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/doctor_text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "command/command.h"
#include "command/option/option.h"
#include "session/doctor/doctor.h"

#define WIDTH  79
#define INDENT 9 /* behind "missing  " */

static void put_finding(struct buf *buf, const struct doctor_finding *finding)
{
	size_t at = INDENT + strlen(finding->name) + 2;

	(void)buf_printf(buf, "%-*s%s: ", INDENT, doctor_level_name(finding->level), finding->name);
	(void)buf_put_wrapped(buf, finding->found, at, INDENT, WIDTH);
	if (!finding->consequence)
		return;
	(void)buf_pad(buf, ' ', INDENT);
	(void)buf_put_wrapped(buf, finding->consequence, INDENT, INDENT, WIDTH);
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_fix(const struct doctor_finding *a, const struct doctor_finding *b)
{
	return same(a->fix, b->fix) && same(a->command, b->command);
}

static bool has_fix(const struct doctor_finding *finding)
{
	return finding->fix || finding->command;
}

static void put_fix(struct buf *buf, const struct doctor_finding *finding)
{
	if (finding->fix) {
		(void)buf_pad(buf, ' ', INDENT - 5);
		(void)buf_puts(buf, "fix: ");
		(void)buf_put_wrapped(buf, finding->fix, INDENT, INDENT, WIDTH);
	}
	if (finding->command)
		(void)buf_printf(buf, "  $ %s\n", finding->command); /* whole, to be copied */
}

static bool is_problem(const struct doctor_finding *finding)
{
	return finding->level >= DOCTOR_LIMITED;
}

/* Problems that have one fix in common stand together, with the fix after the last. */
static void put_problems(const struct doctor_report *report, struct buf *buf)
{
	bool *done = mem_zalloc(report->count * sizeof(*done));

	for (size_t i = 0; i < report->count; i++) {
		const struct doctor_finding *first = &report->finding[i];

		if (done[i] || !is_problem(first))
			continue;
		put_finding(buf, first);
		for (size_t k = i + 1; k < report->count && has_fix(first); k++) {
			if (!is_problem(&report->finding[k]) ||
			    !same_fix(first, &report->finding[k]))
				continue;
			put_finding(buf, &report->finding[k]);
			done[k] = true;
		}
		put_fix(buf, first);
		(void)buf_putc(buf, '\n');
	}
	free(done);
}

static void put_names(const struct doctor_report *report, enum doctor_level level, struct buf *buf)
{
	struct buf names = { 0 };

	for (size_t i = 0; i < report->count; i++)
		if (report->finding[i].level == level)
			(void)buf_printf(&names, "%s%s", names.len ? ", " : "",
					 report->finding[i].name);
	if (names.len) {
		(void)buf_printf(buf, "%-*s", INDENT, doctor_level_name(level));
		(void)buf_put_wrapped(buf, names.data, INDENT, INDENT, WIDTH);
	}
	buf_done(&names);
}

static void put_groups(const struct doctor_report *report, struct buf *buf)
{
	for (enum doctor_group group = 0; group < DOCTOR_GROUPS; group++) {
		(void)buf_printf(buf, "%s\n", doctor_group_name(group));
		for (size_t i = 0; i < report->count; i++) {
			if (report->finding[i].group != group)
				continue;
			put_finding(buf, &report->finding[i]);
			if (is_problem(&report->finding[i]))
				put_fix(buf, &report->finding[i]);
		}
		(void)buf_putc(buf, '\n');
	}
}

void doctor_put_text(const struct doctor_report *report, bool all, struct buf *ret)
{
	struct utsname machine = { 0 };

	(void)uname(&machine); /* on failure the names are empty */
	(void)buf_printf(ret, "cupel %s, Linux %s, %s, %ld CPUs, %s\n\n", CUPEL_VERSION,
			 machine.release, machine.machine, sysconf(_SC_NPROCESSORS_ONLN),
			 geteuid() ? "not root" : "root");
	if (all) {
		put_groups(report, ret);
	} else {
		put_problems(report, ret);
		put_names(report, DOCTOR_OK, ret);
		put_names(report, DOCTOR_SKIPPED, ret);
	}
	(void)buf_printf(ret, "%zu checks in %.0f ms", report->count,
			 (double)report->elapsed_ns / 1e6);
	(void)buf_puts(ret, all ? "\n" : "; all of them: cupel doctor -v\n");
}

static void put_member(struct buf *buf, const char *name, const char *value)
{
	(void)buf_printf(buf, ", \"%s\": ", name);
	if (value)
		(void)buf_put_json(buf, value);
	else
		(void)buf_puts(buf, "null");
}

void doctor_put_json(const struct doctor_report *report, struct buf *ret)
{
	const struct option_words *words = command_words();
	struct utsname machine = { 0 };

	(void)uname(&machine); /* on failure the names are empty */
	(void)buf_puts(ret, "{ \"cupel\": 1, \"command\": [");
	for (int i = 0; i < words->argc; i++) {
		(void)buf_puts(ret, i ? ", " : "");
		(void)buf_put_json(ret, words->argv[i]);
	}
	(void)buf_puts(ret, "],\n  \"host\": { \"version\": ");
	(void)buf_put_json(ret, CUPEL_VERSION);
	put_member(ret, "kernel", machine.release);
	put_member(ret, "machine", machine.machine);
	(void)buf_printf(ret, ", \"cpus\": %ld, \"root\": %s },\n  \"elapsed_ns\": %llu,\n",
			 sysconf(_SC_NPROCESSORS_ONLN), geteuid() ? "false" : "true",
			 (unsigned long long)report->elapsed_ns);
	(void)buf_puts(ret, "  \"checks\": [");
	for (size_t i = 0; i < report->count; i++) {
		const struct doctor_finding *finding = &report->finding[i];

		(void)buf_printf(ret,
				 "%s\n    { \"name\": \"%s\", \"group\": \"%s\", \"level\": \"%s\"",
				 i ? "," : "", finding->name, doctor_group_name(finding->group),
				 doctor_level_name(finding->level));
		put_member(ret, "found", finding->found);
		put_member(ret, "consequence", finding->consequence);
		put_member(ret, "fix", finding->fix);
		put_member(ret, "command", finding->command);
		(void)buf_puts(ret, " }");
	}
	(void)buf_puts(ret, "\n  ]\n}\n");
}
