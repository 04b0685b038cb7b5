/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel probe: what can be probed in a program, and definitions of probes under a name. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/option/accepted.h"
#include "command/option/option.h"
#include "command/reader.h"
#include "session/probe/debug_info.h"
#include "session/probe/probe_define.h"
#include "session/probe/probe_definitions.h"
#include "session/probe/probe_hold.h"
#include "session/probe/show_probes.h"
#include "session/probe/show_source.h"

#define MAX_DOUBLES 1024 /* of a name, with -f */

/* An option with a value that may be missing. */
struct optional {
	bool given;
	const char *value;
};

struct probe_options {
	struct option_list lines, variables, add, remove;
	struct optional list, functions;
	const char *binary, *source, *filter;
	bool externs, force, dry_run, quiet, tracefs;
	unsigned verbose;
};

static int set_optional(void *field, const char *value, bool negated, struct err *err)
{
	(void)err;
	*(struct optional *)field = (struct optional){ !negated, value };
	return 0;
}

#define FIELD(name) OPT(probe_options, name)

static const struct option_def probe_rows[] = {
	{ "exec", 'x', OPT_STR, "FILE", FIELD(binary),
	  "the program or library; without it functions of the kernel" },
	{ "add", 'a', OPT_LIST, "DEFINITION", FIELD(add),
	  "check a definition and keep it under its name, for -e GROUP:EVENT: "
	  "[[GROUP:]EVENT=]PLACE [[NAME=]ARGUMENT ...]; the words without an option are one, too" },
	{ "del", 'd', OPT_LIST, "GROUP:EVENT", FIELD(remove),
	  "remove definitions, and probes that others left in the kernel; globs are allowed" },
	{ "list", 'l', OPT_CALL, "[[GROUP:]EVENT]", FIELD(list),
	  "list both; definitions are marked [cupel]", set_optional },
	{ "funcs", 'F', OPT_CALL, "[FILTER]", FIELD(functions),
	  "list functions that can be probed; see --filter", set_optional },
	{ "filter", 0, OPT_STR, "FILTER", FIELD(filter),
	  "with -F: those that match: globs, with !, & and | (default '!_* & !*@plt')" },
	{ "line", 'L', OPT_LIST, "RANGE", FIELD(lines),
	  "print source lines, numbers at those that can be probed: FUNCTION, "
	  "FUNCTION:FIRST-LAST, FILE:FIRST-LAST, FILE:FIRST+COUNT" },
	{ "vars", 'V', OPT_LIST, "PLACE", FIELD(variables),
	  "print the variables at a place: FUNCTION, FUNCTION+OFFSET, FUNCTION:LINE, FILE:LINE, "
	  "FILE;PATTERN" },
	{ "externs", 0, OPT_FLAG, NULL, FIELD(externs), "with -V: also global variables" },
	{ "source", 's', OPT_STR, "DIRECTORY", FIELD(source), "look for source files here" },
	{ "tracefs", 0, OPT_FLAG, NULL, FIELD(tracefs),
	  "make the probes in the kernel, for all programs to see, while the command behind -- "
	  "runs, or until Ctrl-C" },
	{ "dry-run", 'n', OPT_FLAG, NULL, FIELD(dry_run), "check definitions, and keep none" },
	{ "force", 'f', OPT_FLAG, NULL, FIELD(force),
	  "if the name is in use, keep the definition as NAME_1, NAME_2 and so on" },
	{ "verbose", 'v', OPT_COUNT, NULL, FIELD(verbose),
	  "print where the probe will be, and what the instruction there costs" },
	{ "quiet", 'q', OPT_FLAG, NULL, FIELD(quiet), "print errors alone" },
	{ .type = OPT_INCLUDE, .include = accepted_probe_rows },
	{ 0 },
};

static int show_places(const struct probe_options *o, struct buf *out, struct err *err)
{
	struct debug_info info;
	int code;

	if (!o->lines.count && !o->variables.count)
		return 0;
	code = debug_info_open(o->binary, &info, err);
	if (code)
		return code;
	info.sources = o->source;
	for (size_t i = 0; i < o->lines.count && !code; i++)
		code = show_lines(&info, o->lines.item[i], o->source, out, err);
	for (size_t i = 0; i < o->variables.count && !code; i++)
		code = show_variables(&info, o->variables.item[i], o->externs, out, err);
	debug_info_done(&info);
	return code;
}

static int show(const struct probe_options *o, struct buf *out, struct err *err)
{
	const char *filter = o->functions.value ? o->functions.value : o->filter;
	int code = 0;

	if (o->list.given || o->functions.given || o->lines.count || o->variables.count)
		reader_begin(command_words(), false);
	if (o->list.given)
		code = show_probes(o->list.value, "", out, err);
	if (!code && o->functions.given)
		code = show_functions(o->binary, filter, out, err);
	return code ? code : show_places(o, out, err);
}

/* What definitions become. */
struct probing {
	struct buf log;
	struct probe_hold hold; /* --tracefs */
	bool quiet;
};

/* If it may, under the first free name of NAME, NAME_1, ... */
static int keep(bool renames, struct probe_defined *defined, struct err *err)
{
	size_t len = defined->name.len;
	int code = probe_definition_add(defined->name.data, defined->spec.data, err);

	for (unsigned i = 1; code == -EEXIST && renames && i < MAX_DOUBLES; i++) {
		defined->name.len = len;
		(void)buf_printf(&defined->name, "_%u", i);
		*err = (struct err){ 0 };
		code = probe_definition_add(defined->name.data, defined->spec.data, err);
	}
	return code;
}

static void log_one(const struct probe_options *o, const struct probe_defined *defined,
		    struct buf *log)
{
	(void)buf_printf(log, "  %-20s", defined->name.data);
	probe_spec_put(defined->spec.data, log);
	(void)buf_putc(log, '\n');
	if (o->verbose)
		(void)buf_append(log, defined->placed.data, defined->placed.len);
}

static const char *heading(bool dry_run, bool several)
{
	if (dry_run)
		return several ? "These events can be defined:\n" : "This event can be defined:\n";
	return several ? "Added new events:\n" : "Added new event:\n";
}

/* One, or those of a glob: a given name is that of the first, and the others have a number. */
static int add(const struct probe_options *o, const char *text, struct probing *probing,
	       struct err *err)
{
	struct probe_defined_list list = { 0 };
	struct buf *log = &probing->log;
	int code = probe_define(o->binary, text, o->source, &list, err);

	for (size_t i = 0; !code && i < list.item.count; i++) {
		struct probe_defined *defined = &list.item.item[i];

		if (!i && !o->quiet)
			(void)buf_puts(log, heading(o->dry_run, list.item.count > 1));
		if (o->tracefs && !o->dry_run)
			probe_hold_add(&probing->hold, defined);
		else if (!o->dry_run)
			code = keep(o->force || i, defined, err);
		if (!code && defined->notes.len && !o->quiet)
			command_print_notes(defined->notes.data);
		if (!code && !o->quiet)
			log_one(o, defined, log);
	}
	if (!code && !o->quiet && !o->dry_run && !o->tracefs)
		(void)buf_printf(log,
				 "\nYou can now use it in all commands, such as:\n\n"
				 "\tcupel record -e %s -a sleep 1\n\n",
				 vec_last(&list.item)->name.data);
	probe_defined_list_done(&list);
	return code;
}

/* As in perf, the words without an option are one definition. */
static int add_all(const struct probe_options *o, struct option_words words,
		   struct probing *probing, struct err *err)
{
	struct buf typed = { 0 };
	int code = 0;

	(void)buf_puts(&typed, "");
	for (int i = 0; i < words.argc; i++)
		(void)buf_printf(&typed, "%s%s", i ? " " : "", words.argv[i]);
	if (words.argc)
		code = add(o, typed.data, probing, err);
	for (size_t i = 0; !code && i < o->add.count; i++)
		code = add(o, o->add.item[i], probing, err);
	buf_done(&typed);
	return code;
}

static int check(const struct probe_options *o, bool adds, struct err *err)
{
	bool shows = o->lines.count || o->variables.count;

	if (!shows && !o->functions.given && !adds && !o->list.given && !o->remove.count)
		return command_usage(err, "nothing to do: name a function to define a probe, or "
					  "-F, -l, -d, -L or -V");
	if (o->tracefs && !adds)
		return command_usage(err, "--tracefs: no probe is defined; the program to run is "
					  "behind --");
	if (shows && !o->binary)
		return command_usage(err, "no program: -x FILE; the kernel's file has no debug "
					  "information that is read here");
	return 0;
}

static void print_log(struct probing *probing)
{
	if (probing->log.len && !probing->quiet)
		(void)fputs(probing->log.data, stderr);
	buf_clear(&probing->log);
}

static void say_made(void *context, const char *notes)
{
	struct probing *probing = context;

	if (notes && *notes && !probing->quiet)
		command_print_notes(notes);
	print_log(probing);
}

/* The exit status. */
static int hold(struct probing *probing, char **argv, struct err *err)
{
	struct probe_hold *hold = &probing->hold;
	int code;

	if (!*argv)
		(void)buf_puts(&probing->log, "\nThe kernel has it until this ends: Ctrl-C\n");
	hold->made = say_made;
	hold->context = probing;
	code = probe_hold_run(hold, argv, err);
	if (hold->in_use)
		command_warn("another program uses the probe: it is removed when that ends");
	return command_program_status(code, hold->launched, hold->exit_status, err);
}

/* Definitions are in front of "--", the program is behind it. */
static char **take_program(const struct probe_options *o, struct option_words *words)
{
	int dashes = 0;

	while (dashes < words->argc && strcmp(words->argv[dashes], "--") != 0)
		dashes++;
	if (dashes == words->argc)
		return words->argv + words->argc;
	if (!o->tracefs) {
		memmove(&words->argv[dashes], &words->argv[dashes + 1],
			(size_t)(words->argc - dashes) * sizeof(*words->argv));
		words->argc--;
		return words->argv + words->argc;
	}
	words->argc = dashes;
	return words->argv + dashes + 1;
}

static int probe_run(void *options, int argc, char **argv, struct err *err)
{
	const struct probe_options *o = options;
	struct probing probing = { .quiet = o->quiet };
	struct option_words words = { argc, argv };
	char **program = take_program(o, &words);
	struct buf out = { 0 };
	int status = EXIT_STATUS_OK, code = check(o, words.argc || o->add.count, err);

	if (code)
		return code;
	for (size_t i = 0; !code && i < o->remove.count; i++)
		code = remove_probes(o->remove.item[i], "", &probing.log, err);
	if (!code)
		code = add_all(o, words, &probing, err);
	if (!code && probing.hold.text.count)
		status = hold(&probing, program, err);
	print_log(&probing);
	buf_done(&probing.log);
	probe_hold_done(&probing.hold);
	if (status)
		return status;
	if (!code)
		code = show(o, &out, err);
	return command_end_output(code, NULL, &out, err) ? -1 : EXIT_STATUS_OK;
}

const struct command cmd_probe = {
	.name = "probe",
	.args = "[options] [DEFINITION]",
	.summary = "show what can be probed in a program, and define probes",
	.options = probe_rows,
	.options_size = sizeof(struct probe_options),
	.run = probe_run,
	.keeps_dashes = true,
};
