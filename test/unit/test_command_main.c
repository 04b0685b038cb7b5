/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/main: the table of commands is complete and its option tables are sound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "command/command.h"
#include "command/option/option.h"

static void check_row(const struct command *command, const struct option_def *row, size_t n)
{
	const struct option_def *other;
	bool takes_value = row->type != OPT_FLAG && row->type != OPT_COUNT;
	bool any = row->type == OPT_REFUSE; /* with or without a value */

	if (row->type == OPT_GROUP) {
		assert_non_null(row->name);
		return;
	}
	if (!row->name && !row->letter)
		fail_msg("%s: row %zu has neither name nor letter", command->name, n);
	if (row->type == OPT_CALL ? !row->set : !any && takes_value != (row->arg != NULL))
		fail_msg("%s: --%s: arg or set does not fit the type", command->name, row->name);
	if (row->help && (row->help[0] == '\0' || row->help[strlen(row->help) - 1] == '.'))
		fail_msg("%s: --%s: help is empty or ends with a full stop", command->name,
			 row->name);
	for (size_t m = n + 1; (other = option_row(command->options, m)); m++) {
		if (other->type == OPT_GROUP)
			continue;
		if (row->letter && row->letter == other->letter)
			fail_msg("%s: -%c is there twice", command->name, row->letter);
		if (row->name && other->name && strcmp(row->name, other->name) == 0)
			fail_msg("%s: --%s is there twice", command->name, row->name);
	}
}

/* A row without help is a hidden alias: some visible row must be of its type. */
static bool has_visible_twin(const struct command *command, const struct option_def *row)
{
	const struct option_def *other;

	for (size_t n = 0; (other = option_row(command->options, n)); n++)
		if (other->help && other->type == row->type)
			return true;
	return false;
}

static void check_rows(const struct command *const *list)
{
	const struct option_def *row;

	for (const struct command *const *c = list; *c; c++) {
		for (size_t n = 0; (row = option_row((*c)->options, n)); n++) {
			check_row(*c, row, n);
			if (row->type != OPT_GROUP && !row->help && !has_visible_twin(*c, row))
				fail_msg("%s: --%s has no help", (*c)->name, row->name);
		}
		if ((*c)->sub)
			check_rows((*c)->sub);
	}
}

static void test_command__every_row_has_help(void **state)
{
	(void)state;
	check_rows(command_all());
}

static void check_description(const struct command *command)
{
	assert_non_null(command->name);
	assert_non_null(command->summary);
	assert_int_equal(command->options != NULL, command->options_size > 0);
	/* A command of commands leaves running to them. */
	assert_int_equal(command->run != NULL, command->sub == NULL);
	for (const struct command *const *c = command->sub; c && *c; c++)
		check_description(*c);
}

static void test_command__every_command_is_described(void **state)
{
	(void)state;
	for (const struct command *const *c = command_all(); *c; c++) {
		check_description(*c);
		assert_ptr_equal(*c, command_find((*c)->name));
	}
	assert_null(command_find("nothing"));
}

static void test_command__subcommands_are_found(void **state)
{
	char sched[] = "sched", option[] = "-i", file[] = "x.data", latency[] = "latency";
	char *argv[] = { sched, option, file, latency, NULL };
	struct option_words words = { 4, argv };
	const struct command *command = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(command_choose(&words, &command, &err), 0);
	assert_string_equal(command->name, "sched latency");
	assert_int_equal(words.argc, 3);
	assert_string_equal(words.argv[0], "latency");
	assert_string_equal(words.argv[1], "-i");
	assert_string_equal(words.argv[2], "x.data");
}

/* Parses one word with a command's table; whatever it is, the parser must answer. */
static void try_word(const struct command *command, const char *word)
{
	char *argv[] = { (char *)(uintptr_t)command->name, (char *)(uintptr_t)word, NULL };
	struct option_words words = { 2, argv };
	void *options = calloc(1, command->options_size);
	struct err err = { 0 };

	assert_non_null(options);
	if (command->defaults)
		command->defaults(options);
	if (option_parse(command, &words, options, &err) < 0 && !err.msg[0])
		fail_msg("%s %s: refused without a message", command->name, word);
	option_done(command->options, options);
	if (command->done)
		command->done(options);
	free(options);
}

static void test_command__every_option_answers_every_form(void **state)
{
	static const char *const forms[] = { "--no-%s",	 "--%s",   "--%s=",	  "--%s=-1",
					     "--%s=1,,", "--%s=%", "--%s=x,y=z:", "--%s=99999" };
	const struct option_def *row;
	char word[200];

	(void)state;
	for (const struct command *const *c = command_all(); *c; c++)
		for (size_t n = 0; (row = option_row((*c)->options, n)); n++)
			for (size_t f = 0; f < sizeof(forms) / sizeof(*forms); f++) {
				const char *name = row->name ? row->name : "";
				const char *form = strchr(forms[f], 's');

				if (row->type == OPT_GROUP || !*name)
					continue;
				(void)snprintf(word, sizeof(word), "%.*s%s%s",
					       (int)(form - forms[f] - 1), forms[f], name,
					       form + 1);
				try_word(*c, word);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_command__every_row_has_help),
		cmocka_unit_test(test_command__every_command_is_described),
		cmocka_unit_test(test_command__subcommands_are_found),
		cmocka_unit_test(test_command__every_option_answers_every_form),
	};

	return cmocka_run_group_tests_name("command/main", tests, NULL, NULL);
}
