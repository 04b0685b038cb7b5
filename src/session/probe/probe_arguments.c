/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See probe_arguments.h. */
#include "session/probe/probe_arguments.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "session/probe/debug_info.h"
#include "session/probe/fetch_expression.h"
#include "symbol/dwarf/dwarf_variable.h"

struct list {
	const struct fetch_scope *scope;
	struct arena *arena;
	struct probe_arguments *arguments;
	bool locals; /* $vars, not $params */
};

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool has(const struct probe_arguments *all, const char *name)
{
	for (size_t i = 0; i < all->item.count; i++)
		if (strcmp(all->item.item[i].name, name) == 0)
			return true;
	return false;
}

static int compile(const struct fetch_scope *scope, const char *expression, struct fetch_code *code,
		   struct err *err)
{
	struct fetch_output output;
	int result;

	code->err = err;
	result = fetch_compile(scope, expression, code, &output, err);
	return !result && output.as >= FETCH_AS_FLOAT
		       ? probe_arguments_refuse_float(expression, err)
		       : result;
}

int probe_arguments_refuse_float(const char *expression, struct err *err)
{
	(void)err_set(err, -ENOTSUP, "%s: events have no floating-point values", expression);
	return err_hint(err, "cupel argdist -C shows those that are in memory");
}

/* A variable that has a place there, and is a number or a text. */
static bool take_variable(void *context, const struct dwarf_variable *variable)
{
	struct list *list = context;
	struct fetch_code code = { 0 };
	struct err err = { 0 };
	const char *name;

	if ((!variable->parameter && !list->locals) || variable->external ||
	    has(list->arguments, variable->name))
		return true;
	if (list->arguments->item.count == FETCH_VALUES)
		(void)err_set(&err, -E2BIG, "%s: there are more than %u", variable->name,
			      FETCH_VALUES);
	if (err.code || compile(list->scope, variable->name, &code, &err)) {
		(void)buf_printf(&list->arguments->left_out, "not among the values: %s\n", err.msg);
		return true;
	}
	name = arena_strdup(list->arena, variable->name);
	vec_push(&list->arguments->item, ((struct probe_argument){ name, name }));
	return true;
}

static int add_variables(struct list *list, const char *word, struct err *err)
{
	const struct fetch_place *place = &list->scope->place;

	if (!place->info || !place->function)
		return err_set(err, -ENODATA, "%s: there is no debug info for this place", word);
	if (place->at_return)
		return err_usage(err, "%s: a return probe has only $retval", word);
	dwarf_variable_each(place->function, place->address - place->info->bias, false,
			    take_variable, list);
	return 0;
}

/* What perf calls it: the last name of the expression. */
static const char *name_of(const char *expression, struct arena *arena)
{
	size_t end = strcspn(expression, ":"), start;

	while (end && !is_name_char(expression[end - 1]))
		end--;
	for (start = end; start && is_name_char(expression[start - 1]);)
		start--;
	if (start == end || isdigit((unsigned char)expression[start]))
		return "value";
	return arena_strndup(arena, expression + start, end - start);
}

static int add_word(struct list *list, const char *word, struct err *err)
{
	size_t len = 0;
	struct probe_argument argument = { .expression = word };

	if (!strcmp(word, "$params") || !strcmp(word, "$vars") || !strcmp(word, "$locals")) {
		list->locals = word[1] != 'p';
		return add_variables(list, word, err);
	}
	while (is_name_char(word[len]))
		len++;
	if (len && word[len] == '=' && word[len + 1] != '=') {
		argument.name = arena_strndup(list->arena, word, len);
		argument.expression = word + len + 1;
	} else {
		argument.name = name_of(word, list->arena);
	}
	if (has(list->arguments, argument.name)) {
		(void)err_usage(err, "'%s': there are two arguments %s", word, argument.name);
		return err_hint(err, "give it a name: NAME=%s", argument.expression);
	}
	vec_push(&list->arguments->item, argument);
	return 0;
}

/* Blanks in brackets do not end a word. */
static size_t word_length(const char *text)
{
	int depth = 0;
	size_t len;

	for (len = 0; text[len] && (depth > 0 || !strchr(" \t", text[len])); len++)
		depth += (text[len] == '(' || text[len] == '[') -
			 (text[len] == ')' || text[len] == ']');
	return len;
}

int probe_arguments_parse(const char *text, const struct fetch_scope *scope, struct arena *arena,
			  struct probe_arguments *ret, struct err *err)
{
	struct list list = { scope, arena, ret, false };
	int code = 0;

	for (text += strspn(text, " \t"); !code && *text; text += strspn(text, " \t")) {
		size_t len = word_length(text);

		code = add_word(&list, arena_strndup(arena, text, len), err);
		text += len;
	}
	if (!code && ret->item.count > FETCH_VALUES)
		code = err_set(err, -E2BIG, "more than %u arguments", FETCH_VALUES);
	return code;
}

int probe_arguments_check(const struct probe_arguments *arguments, const struct fetch_scope *scope,
			  struct err *err)
{
	struct fetch_code program = { 0 };
	int code = 0;

	for (size_t i = 0; !code && i < arguments->item.count; i++)
		code = compile(scope, arguments->item.item[i].expression, &program, err);
	return code;
}

void probe_arguments_done(struct probe_arguments *arguments)
{
	vec_done(&arguments->item);
	buf_done(&arguments->left_out);
}
