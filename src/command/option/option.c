/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The option parser: finds the row of a word, takes its value, stores it (see option.h). Help texts
 * are made in option_help.c, values are read in option_value.c. */
#include "command/option/option.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/suggest.h"
#include "command/command.h"

/* A row as the user wrote it. */
struct match {
	const struct option_def *row;
	size_t base; /* of the included table's struct within the command's */
	bool negated;
};

struct parser {
	const struct command *command;
	char **argv;
	int argc, next;
	char *options;
	struct err *err;
};

/* The nth row of the table, or NULL with *n lowered by the rows that were there. */
static const struct option_def *row_at(const struct option_def *table, size_t *n, size_t base,
				       size_t *ret_base)
{
	for (; table && table->type != OPT_END; table++) {
		const struct option_def *row;

		if (table->type == OPT_INCLUDE) {
			row = row_at(table->include, n, base + table->offset, ret_base);
			if (row)
				return row;
		} else if ((*n)-- == 0) {
			*ret_base = base;
			return table;
		}
	}
	return NULL;
}

const struct option_def *option_row(const struct option_def *table, size_t n)
{
	size_t base;

	return row_at(table, &n, 0, &base);
}

static bool next_row(const struct parser *parser, size_t *n, struct match *ret)
{
	size_t skip = (*n)++;

	ret->row = row_at(parser->command->options, &skip, 0, &ret->base);
	ret->negated = false;
	return ret->row;
}

static bool is_optional(const struct option_def *row)
{
	return row->arg && row->arg[0] == '[';
}

static bool needs_value(const struct option_def *row)
{
	return row->arg && !is_optional(row);
}

static bool can_negate(const struct option_def *row)
{
	return row->type == OPT_FLAG || row->type == OPT_COUNT || row->type == OPT_STR ||
	       row->type == OPT_OUTPUT || row->type == OPT_LIST || row->type == OPT_WORDS ||
	       row->type == OPT_CALL;
}

/* Whether name (len bytes) is, or begins, the row's name as given or negated. 2 = all of it. */
static int name_fits(const char *full, const char *name, size_t len)
{
	if (strncmp(full, name, len) != 0)
		return 0;
	return full[len] ? 1 : 2;
}

static int row_fits(struct match *match, const char *name, size_t len)
{
	const struct option_def *row = match->row;
	int fit;

	if (row->type == OPT_GROUP || !row->name)
		return 0;
	match->negated = false;
	fit = name_fits(row->name, name, len);
	if (fit || !can_negate(row))
		return fit;
	match->negated = true;
	if (strncmp(row->name, "no-", 3) == 0)
		return name_fits(row->name + 3, name, len);
	return len > 3 && strncmp(name, "no-", 3) == 0 ? name_fits(row->name, name + 3, len - 3)
						       : 0;
}

static bool same_meaning(const struct match *a, const struct match *b)
{
	return a->row->type == b->row->type && a->row->set == b->row->set &&
	       a->base + a->row->offset == b->base + b->row->offset && a->negated == b->negated;
}

static int unknown_name(const struct parser *parser, const char *name, size_t len)
{
	char typed[64] = "";
	struct suggest suggest = { .word = typed };
	struct match match;

	memcpy(typed, name, len < sizeof(typed) ? len : sizeof(typed) - 1);
	for (size_t n = 0; next_row(parser, &n, &match);)
		if (match.row->type != OPT_GROUP && match.row->name && match.row->help)
			suggest_offer(&suggest, match.row->name);
	(void)err_set(parser->err, -EINVAL, "unknown option --%s", typed);
	if (suggest.count)
		return err_hint(parser->err, "did you mean --%s?", suggest.best[0].name);
	return -EINVAL;
}

static int find_name(const struct parser *parser, const char *name, size_t len, struct match *ret)
{
	struct match match, found = { 0 }, other = { 0 };

	for (size_t n = 0; next_row(parser, &n, &match);) {
		int fit = row_fits(&match, name, len);

		if (fit == 2) {
			*ret = match;
			return 0;
		}
		if (!fit)
			continue;
		if (!found.row)
			found = match;
		else if (!same_meaning(&found, &match))
			other = match;
	}
	if (!found.row)
		return unknown_name(parser, name, len);
	if (other.row)
		return err_set(parser->err, -EINVAL, "option --%.*s is ambiguous: --%s or --%s",
			       (int)len, name, found.row->name, other.row->name);
	*ret = found;
	return 0;
}

static int clear_value(const struct option_def *row, void *field)
{
	switch (row->type) {
	case OPT_COUNT:
		*(unsigned int *)field = 0;
		return 0;
	case OPT_STR:
	case OPT_OUTPUT:
		*(const char **)field = NULL;
		return 0;
	default: /* OPT_LIST and OPT_WORDS, the last of those that can_negate() */
		free(((struct option_list *)field)->item);
		*(struct option_list *)field = (struct option_list){ 0 };
		return 0;
	}
}

static int store(const struct parser *parser, const struct match *match, const char *value)
{
	const struct option_def *row = match->row;
	void *field = parser->options + match->base + row->offset;

	switch (row->type) {
	case OPT_FLAG:
		*(bool *)field = !match->negated;
		return 0;
	case OPT_CALL:
		return row->set(field, value, match->negated, parser->err);
	case OPT_REFUSE:
		(void)err_set(parser->err, -EINVAL, "not available");
		return err_hint(parser->err, "%s", row->help);
	default:
		break;
	}
	if (match->negated)
		return clear_value(row, field);
	if (!value && row->type != OPT_COUNT)
		return 0; /* the value was optional: the default stays */
	switch (row->type) {
	case OPT_COUNT:
		++*(unsigned int *)field;
		return 0;
	case OPT_STR:
	case OPT_OUTPUT:
		if (!*value && strcmp(row->arg, "FILE") == 0)
			return err_set(parser->err, -EINVAL, "the file name is empty");
		*(const char **)field = value;
		return 0;
	case OPT_LIST:
	case OPT_WORDS:
		option_list_add(field, value);
		return 0;
	case OPT_CHOICE:
		return option_set_word(field, value, row->choices, parser->err);
	default:
		return option_parse_number(row->type, value, field, parser->err);
	}
}

/* Names the option in front of the error that storing its value gave. */
static int store_named(const struct parser *parser, const struct match *match, const char *value)
{
	int ret = store(parser, match, value);

	if (ret >= 0)
		return 0;
	if (match->row->name)
		(void)err_wrap(parser->err, "option --%s", match->row->name);
	else
		(void)err_wrap(parser->err, "option -%c", match->row->letter);
	return ret;
}

/* The end of the options is no value, and a further option is no file: such a value is glued to its
 * option. */
static bool is_value(const struct option_def *row, const char *word)
{
	if (row->type == OPT_OUTPUT && word[0] == '-' && word[1])
		return false;
	return strcmp(word, "--") != 0;
}

static int missing_value(const struct parser *parser, const struct option_def *row)
{
	char letter[2] = { row->letter, '\0' };

	return err_set(parser->err, -EINVAL, "option %s%s requires a value: %s",
		       row->name ? "--" : "-", row->name ? row->name : letter, row->arg);
}

/* Takes the value of a row that has one: what is glued to it, else the next word. */
static int take_value(struct parser *parser, const struct option_def *row, const char *glued,
		      const char **ret)
{
	const char *next = parser->next < parser->argc ? parser->argv[parser->next] : NULL;
	bool only_glued = is_optional(row) && row->arg[1] == '=';

	*ret = glued;
	if (glued || only_glued)
		return 0;
	if (is_optional(row) && (!next || next[0] == '-'))
		return 0;
	if (!next || !is_value(row, next))
		return missing_value(parser, row);
	*ret = next;
	parser->next++;
	return 0;
}

/* The further words of a row that takes all up to the next option. */
static int take_words(struct parser *parser, const struct match *match)
{
	int ret = 0;

	while (match->row->type == OPT_WORDS && ret == 0 && parser->next < parser->argc) {
		const char *word = parser->argv[parser->next];

		if (word[0] == '-' && word[1])
			break;
		parser->next++;
		ret = store_named(parser, match, word);
	}
	return ret;
}

static int parse_long(struct parser *parser, const char *word)
{
	const char *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : strlen(word);
	const char *value = NULL;
	struct match match = { 0 };
	int ret;

	if (len == 4 && strncmp(word, "help", 4) == 0)
		return 1;
	ret = find_name(parser, word, len, &match);
	if (ret)
		return ret;
	if (match.negated || !match.row->arg) {
		if (equals && match.row->type != OPT_REFUSE)
			return err_set(parser->err, -EINVAL, "option --%.*s takes no value",
				       (int)len, word);
		/* A set() that counts on a value gets one. */
		return store_named(parser, &match, needs_value(match.row) ? "" : NULL);
	}
	ret = take_value(parser, match.row, equals ? equals + 1 : NULL, &value);
	ret = ret ? ret : store_named(parser, &match, value);
	return ret || equals ? ret : take_words(parser, &match);
}

/* One word of one or more letters, "-vvF99". */
static int parse_letters(struct parser *parser, const char *word)
{
	while (*word) {
		const char *value = NULL;
		struct match match;
		size_t n = 0;
		int ret;

		while (next_row(parser, &n, &match) &&
		       (match.row->type == OPT_GROUP || match.row->letter != *word))
			;
		if (!match.row && *word == 'h')
			return 1;
		if (!match.row)
			return err_set(parser->err, -EINVAL, "unknown option -%c", *word);
		word++;
		if (match.row->arg) {
			ret = take_value(parser, match.row, *word ? word : NULL, &value);
			if (ret)
				return ret;
			word = "";
		}
		ret = store_named(parser, &match, value);
		ret = ret ? ret : take_words(parser, &match);
		if (ret)
			return ret;
	}
	return 0;
}

int option_parse(const struct command *command, struct option_words *words, void *options,
		 struct err *err)
{
	struct parser parser = { command, words->argv, words->argc, 1, options, err };
	char **argv = words->argv;
	int passed = 0; /* words that are not options, kept at the front from index 1 on */
	int ret;

	while (parser.next < words->argc) {
		char *word = argv[parser.next];

		if (strcmp(word, "--") == 0) {
			parser.next += !command->keeps_dashes;
			break;
		}
		if (word[0] != '-' || !word[1]) {
			if (command->takes_program)
				break;
			argv[1 + passed++] = word;
			parser.next++;
			continue;
		}
		parser.next++;
		ret = word[1] == '-' ? parse_long(&parser, word + 2)
				     : parse_letters(&parser, word + 1);
		if (ret)
			return ret;
	}
	words->argc -= parser.next - passed;
	words->argv += parser.next - passed;
	memmove(words->argv, &argv[1], (size_t)passed * sizeof(*argv));
	return 0;
}

int option_check_outputs(const struct option_def *table, const void *options,
			 int (*check)(const char *path, struct err *err), struct err *err)
{
	int code = 0;

	for (; !code && table && table->type != OPT_END; table++) {
		const void *field = (const char *)options + table->offset;

		if (table->type == OPT_INCLUDE)
			code = option_check_outputs(table->include, field, check, err);
		else if (table->type == OPT_OUTPUT)
			code = check(*(const char *const *)field, err);
	}
	return code;
}

void option_done(const struct option_def *table, void *options)
{
	for (; table && table->type != OPT_END; table++) {
		void *field = (char *)options + table->offset;

		if (table->type == OPT_INCLUDE)
			option_done(table->include, field);
		else if (table->type == OPT_LIST || table->type == OPT_WORDS)
			(void)clear_value(table, field);
	}
}
