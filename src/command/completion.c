/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes completion functions for bash and zsh (see bash(1), "Programmable Completion", and
 * zshcompsys(1)). All words are in the script, so completing does not start the program. */
#include "command/completion.h"

#include <string.h>

#include "base/buf.h"
#include "command/command.h"
#include "command/option/option.h"

/* A buf of a script never reaches its limit, so results of appending are ignored here. */

static bool is_shown(const struct option_def *row)
{
	return row->type != OPT_GROUP && row->help;
}

static bool needs_value(const struct option_def *row)
{
	return row->arg && row->arg[0] != '[';
}

static void put_command_names(struct buf *buf)
{
	const char *blank = "";

	for (const struct command *const *c = command_all(); *c; c++) {
		if ((*c)->hidden)
			continue;
		(void)buf_printf(buf, "%s%s", blank, (*c)->name);
		blank = " ";
	}
}

/* The words that may follow a command: its options or its subcommands, and theirs. */
static void put_bash_options(struct buf *buf, const struct command *command)
{
	const struct option_def *row;

	for (const struct command *const *sub = command->sub; sub && *sub; sub++) {
		(void)buf_printf(buf, "%s ", command_last_name(*sub));
		put_bash_options(buf, *sub);
		(void)buf_putc(buf, ' ');
	}
	if (command->sub)
		return;
	(void)buf_puts(buf, "--help");
	for (size_t n = 0; (row = option_row(command->options, n)); n++) {
		if (!is_shown(row))
			continue;
		if (row->letter)
			(void)buf_printf(buf, " -%c", row->letter);
		if (row->name)
			(void)buf_printf(buf, " --%s", row->name);
	}
}

/* The values of an option, blanks between them; nothing where completion knows none. */
static void put_values(struct buf *buf, const struct option_def *row)
{
	struct buf list = { 0 };
	char *state, *word;
	const char *blank = "";

	if (row->choices)
		(void)buf_puts(buf, row->choices);
	if (row->choices || !row->words)
		return;
	row->words(&list); /* "pprof, folded or svg" */
	for (word = strtok_r(list.data, ", ", &state); word; word = strtok_r(NULL, ", ", &state)) {
		if (strcmp(word, "or") == 0)
			continue;
		(void)buf_printf(buf, "%s%s", blank, word);
		blank = " ";
	}
	buf_done(&list);
}

static bool has_values(const struct option_def *row)
{
	return is_shown(row) && (row->choices || row->words);
}

/* Patterns of what was typed before a value, such as "convert --format", and the values: of all
 * subcommands that have such an option. */
static void put_bash_values(struct buf *buf, const char *name, const struct command *command)
{
	const struct option_def *row;

	for (const struct command *const *sub = command->sub; sub && *sub; sub++)
		put_bash_values(buf, name, *sub);
	for (size_t n = 0; (row = option_row(command->options, n)); n++) {
		if (!has_values(row))
			continue;
		(void)buf_puts(buf, "\t");
		if (row->letter)
			(void)buf_printf(buf, "'%s -%c'%s", name, row->letter,
					 row->name ? " | " : "");
		if (row->name)
			(void)buf_printf(buf, "'%s --%s'", name, row->name);
		(void)buf_puts(buf, ") values+=' ");
		put_values(buf, row);
		(void)buf_puts(buf, "' ;;&\n");
	}
}

void completion_bash(struct buf *ret)
{
	(void)buf_puts(ret,
		       "# bash completion for cupel; made by: cupel help --completion bash\n"
		       "_cupel()\n"
		       "{\n"
		       "\tlocal current=${COMP_WORDS[COMP_CWORD]} options='' values='' word i\n"
		       "\tlocal commands='");
	put_command_names(ret);
	(void)buf_puts(ret, "'\n"
			    "\tCOMPREPLY=()\n"
			    "\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
			    "\t\tword=${COMP_WORDS[i]}\n"
			    "\t\t[[ $word != -- ]] || { COMPREPLY=($(compgen -c -- \"$current\"));"
			    " return; }\n"
			    "\tdone\n"
			    "\tif ((COMP_CWORD == 1)) || [[ ${COMP_WORDS[1]} == help &&"
			    " $current != -* ]]; then\n"
			    "\t\tCOMPREPLY=($(compgen -W \"$commands\" -- \"$current\"))\n"
			    "\t\treturn\n"
			    "\tfi\n"
			    "\tcase ${COMP_WORDS[1]} in\n");
	for (const struct command *const *c = command_all(); *c; c++) {
		if ((*c)->hidden)
			continue;
		(void)buf_printf(ret, "\t%s) options='", (*c)->name);
		put_bash_options(ret, *c);
		(void)buf_puts(ret, "' ;;\n");
	}
	(void)buf_puts(ret,
		       "\tesac\n"
		       "\tword=${COMP_WORDS[COMP_CWORD - 1]}\n" /* bash splits --NAME=VALUE at = */
		       "\t[[ $current != = ]] || current=''\n"
		       "\t[[ $word != = ]] || word=${COMP_WORDS[COMP_CWORD - 2]}\n"
		       "\tcase \"${COMP_WORDS[1]} $word\" in\n");
	for (const struct command *const *c = command_all(); *c; c++)
		if (!(*c)->hidden)
			put_bash_values(ret, (*c)->name, *c);
	(void)buf_puts(ret, "\tesac\n"
			    "\tif [[ -n $values ]]; then\n"
			    "\t\tword=''\n" /* of a list, the values that are already there */
			    "\t\t[[ $current != *,* ]] || word=${current%,*},\n"
			    "\t\tCOMPREPLY=($(compgen -P \"$word\" -W \"$values\" --"
			    " \"${current##*,}\"))\n"
			    "\t\treturn\n"
			    "\tfi\n"
			    "\t[[ $current == -* || $options != -* ]] || return\n"
			    "\tCOMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
			    "}\n"
			    "complete -o default -F _cupel cupel\n");
}

/* Text inside single quotes, with what _arguments and _describe take as syntax escaped. */
static void put_zsh_text(struct buf *buf, const char *text)
{
	for (; *text; text++)
		if (*text == '\'')
			(void)buf_puts(buf, "'\\''");
		else if (strchr("[]:\\", *text))
			(void)buf_printf(buf, "\\%c", *text);
		else
			(void)buf_putc(buf, *text);
}

/* The part after an option's name: how its value follows, help, and what the value is. */
static void put_zsh_spec(struct buf *buf, const struct option_def *row, const char *value_mark)
{
	struct buf help = { 0 };

	if (row->arg)
		(void)buf_puts(buf, value_mark);
	(void)buf_putc(buf, '[');
	option_put_help(row, &help);
	put_zsh_text(buf, help.data);
	buf_done(&help);
	(void)buf_putc(buf, ']');
	if (!row->arg)
		return;
	(void)buf_puts(buf, needs_value(row) ? ":" : "::");
	put_zsh_text(buf, row->arg + strspn(row->arg, "[="));
	if (!has_values(row)) {
		(void)buf_puts(buf, strstr(row->arg, "FILE") ? ":_files" : ":");
		return;
	}
	(void)buf_puts(buf, ":_values -s , value ");
	put_values(buf, row);
}

static void put_zsh_row(struct buf *buf, const struct option_def *row)
{
	if (row->letter) {
		(void)buf_printf(buf, " \\\n\t\t\t'*-%c", row->letter);
		put_zsh_spec(buf, row, needs_value(row) ? "+" : "-");
		(void)buf_putc(buf, '\'');
	}
	if (row->name) {
		(void)buf_printf(buf, " \\\n\t\t\t'*--%s", row->name);
		put_zsh_spec(buf, row, needs_value(row) ? "=" : "=-");
		(void)buf_putc(buf, '\'');
	}
}

static void put_zsh_command(struct buf *buf, const struct command *command)
{
	const struct option_def *row;

	(void)buf_printf(buf, "\t%s)\n\t\t_arguments -s -S : \\\n\t\t\t'--help[show this help]'",
			 command->name);
	for (size_t n = 0; (row = option_row(command->options, n)); n++)
		if (is_shown(row))
			put_zsh_row(buf, row);
	for (const struct command *const *sub = command->sub; sub && *sub; sub++)
		(void)buf_printf(buf, "%s%s", sub == command->sub ? " \\\n\t\t\t'1:command:(" : " ",
				 command_last_name(*sub));
	if (command->sub)
		(void)buf_puts(buf, ")'");
	if (strcmp(command->name, "help") == 0)
		(void)buf_puts(buf, " \\\n\t\t\t'1:command:_cupel_commands'");
	else if (command->takes_program)
		(void)buf_puts(buf, " \\\n\t\t\t'*::program:_normal'");
	else
		(void)buf_puts(buf, " \\\n\t\t\t'*:file:_files'");
	(void)buf_puts(buf, "\n\t\t;;\n");
}

void completion_zsh(struct buf *ret)
{
	(void)buf_puts(ret, "#compdef cupel\n"
			    "# zsh completion for cupel; made by: cupel help --completion zsh\n"
			    "_cupel_commands()\n"
			    "{\n"
			    "\tlocal -a commands\n"
			    "\tcommands=(\n");
	for (const struct command *const *c = command_all(); *c; c++) {
		if ((*c)->hidden)
			continue;
		(void)buf_printf(ret, "\t\t'%s:", (*c)->name);
		put_zsh_text(ret, (*c)->summary);
		(void)buf_puts(ret, "'\n");
	}
	(void)buf_puts(ret, "\t)\n"
			    "\t_describe -t commands command commands\n"
			    "}\n\n"
			    "_cupel()\n"
			    "{\n"
			    "\tif ((CURRENT == 2)); then\n"
			    "\t\t_cupel_commands\n"
			    "\t\treturn\n"
			    "\tfi\n"
			    "\tlocal command=$words[2]\n"
			    "\tshift words\n"
			    "\t((CURRENT--))\n"
			    "\tcase $command in\n");
	for (const struct command *const *c = command_all(); *c; c++)
		if (!(*c)->hidden)
			put_zsh_command(ret, *c);
	(void)buf_puts(ret, "\tesac\n"
			    "}\n\n"
			    "_cupel \"$@\"\n");
}
