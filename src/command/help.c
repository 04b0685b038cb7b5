/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel help: the list of commands, or the help of one; also the machine-made parts of the man
 * pages and the shell completions. */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/completion.h"
#include "command/help.h"
#include "command/option/option.h"
#include "command/reader.h"

struct help_options {
	const char *man, *completion;
};

static const struct option_def help_rows[] = {
	{ "man", 0, OPT_STR, "COMMAND", OPT(help_options, man),
	  "print the OPTIONS section of a command's man page" },
	{ "completion", 0, OPT_STR, "SHELL", OPT(help_options, completion),
	  "print the completion script for bash or zsh", .choices = "bash zsh" },
	{ 0 },
};

/* A question that people have, and the commands that answer it; NULL = the question above. */
static const struct {
	const char *question, *command, *answer;
} map[] = {
	{ "Why is it slow?", "flamegraph -- PROGRAM", "flame graph of CPU time" },
	{ NULL, "record -- PROGRAM", "keep samples, then:" },
	{ NULL, "report", "functions as a table" },
	{ NULL, "annotate", "hot source and assembly" },
	{ NULL, "stat -- PROGRAM", "counts: cycles, faults" },
	{ "What runs now?", "top", "busy functions, live" },
	{ "What is it waiting for?", "wall -- PROGRAM", "locks, disks, CPU queue" },
	{ NULL, "lock -- PROGRAM", "which lock, its holder" },
	{ NULL, "io -- PROGRAM", "files, disks, sockets" },
	{ "What does it call?", "trace -- PROGRAM", "system calls, timed" },
	{ "Are the CPUs too few?", "runqlat", "how long threads queue" },
	{ "Where does memory go?", "heap -- PROGRAM", "allocations, leaks" },
	{ NULL, "rss -p PID", "resident memory by stack" },
	{ "When did it happen?", "heatmap", "samples over time" },
	{ "Was it the machine?", "context", "load, memory, disks" },
	{ "Did my change help?", "diff BEFORE AFTER", "change or chance?" },
	{ NULL, "stat --compare 'A' 'B'", "which one is faster?" },
	{ "What is in a recording?", "script", "samples as text" },
	{ "What can I profile?", "doctor", "and how to get the rest" },
	{ NULL, "list", "events and their meaning" },
};

void help_map(struct buf *ret)
{
	(void)buf_puts(ret, "usage: cupel COMMAND [options] [-- PROGRAM [ARGUMENTS]]\n\n");
	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++)
		(void)buf_printf(ret, "%-23s cupel %-26s%s\n",
				 map[i].question ? map[i].question : "", map[i].command,
				 map[i].answer);
	(void)buf_puts(ret, "\nAll commands: cupel help    Options: cupel COMMAND --help\n");
}

void help_overview(struct buf *ret)
{
	const struct command *const *all = command_all();

	(void)buf_puts(ret, "usage: cupel COMMAND [options] [-- program args]\n\n"
			    "shows where the time of a running Linux system goes\n\n");
	for (; *all; all++)
		if (!(*all)->hidden)
			(void)buf_printf(ret, "  %-16s%s\n", (*all)->name, (*all)->summary);
	(void)buf_puts(ret, "\nSee 'cupel COMMAND --help' for the options of a command.\n");
}

/* The list of commands in mdoc, for cupel(1). */
static void overview_man(struct buf *ret)
{
	const struct command *const *all = command_all();

	(void)buf_puts(ret, ".Bl -tag -width Ds\n");
	for (; *all; all++)
		if (!(*all)->hidden)
			(void)buf_printf(ret, ".It Cm %s\n%s.\n", (*all)->name, (*all)->summary);
	(void)buf_puts(ret, ".El\n");
}

static int make_completion(const char *shell, struct buf *ret, struct err *err)
{
	if (strcmp(shell, "bash") == 0)
		completion_bash(ret);
	else if (strcmp(shell, "zsh") == 0)
		completion_zsh(ret);
	else
		return command_usage(err, "no completion for '%s'; available: bash, zsh", shell);
	return 0;
}

static int make_text(const struct help_options *o, struct option_words *words, struct buf *ret,
		     struct err *err)
{
	const struct command *command = NULL;

	if (o->completion)
		return make_completion(o->completion, ret, err);
	if (o->man && strcmp(o->man, "cupel") == 0) {
		overview_man(ret);
		return 0;
	}
	if (words->argc && command_choose(words, &command, err))
		return EXIT_STATUS_USAGE;
	if (!command)
		help_overview(ret);
	else if (o->man)
		option_man(command, ret);
	else
		option_help(command, ret);
	return 0;
}

static int help_run(void *options, int argc, char **argv, struct err *err)
{
	const struct help_options *o = options;
	char *man = (char *)(uintptr_t)o->man;
	struct option_words words = { man ? 1 : argc, man ? &man : argv };
	struct buf text = { 0 };
	int status;

	if (argc > 2 || (argc > 0) + (o->man != NULL) + (o->completion != NULL) > 1)
		return command_usage(err, "expected one command or one option");
	status = make_text(o, &words, &text, err);
	if (!status && words.argc > 1)
		status = command_usage(err, "expected one command or one option");
	if (!status) {
		reader_page();
		status = command_write_output(NULL, &text, err) ? -1 : EXIT_STATUS_OK;
	}
	buf_done(&text);
	return status;
}

static void put_commands(const struct command *const *list, struct buf *ret)
{
	for (; *list; list++)
		if (!(*list)->hidden)
			(void)buf_printf(ret, "%s ", command_last_name(*list));
}

static void put_options(const struct option_def *table, struct buf *ret)
{
	const struct option_def *row;

	for (size_t n = 0; table && (row = option_row(table, n)); n++)
		if (row->name && row->help && row->type != OPT_GROUP && row->type != OPT_REFUSE)
			(void)buf_printf(ret, "--%s ", row->name);
}

/* The folder of this program. */
static void put_folder(struct buf *ret)
{
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path));
	const char *end = len < 0 ? NULL : memrchr(path, '/', (size_t)len);

	(void)buf_append(ret, path, end ? (size_t)(end - path) : 0);
}

bool help_answer(const struct command *command, const char *word, struct buf *ret)
{
	bool commands = strcmp(word, "--list-cmds") == 0, folder = strcmp(word, "--exec-path") == 0;

	if (!commands && strcmp(word, "--list-opts") != 0 && (!folder || command))
		return false;
	if (folder)
		put_folder(ret);
	else if (!command && commands)
		put_commands(command_all(), ret);
	else if (!command)
		(void)buf_puts(ret, "--help --version --exec-path --buildid-dir --list-cmds "
				    "--list-opts ");
	else if (!commands)
		put_options(command->options, ret);
	else if (command->sub)
		put_commands(command->sub, ret);
	else
		(void)buf_printf(ret, "%s%s", command->record || command->report ? "record " : "",
				 command->report ? "report " : "");
	(void)buf_putc(ret, '\n');
	return true;
}

const struct command cmd_help = {
	.name = "help",
	.args = "[command]",
	.summary = "list the commands, or show the options of one",
	.options = help_rows,
	.options_size = sizeof(struct help_options),
	.run = help_run,
};
