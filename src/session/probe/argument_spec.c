/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BCC's syntax of argdist (see argument_spec.h). */
#include "session/probe/argument_spec.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "source/probe/probe_spec.h"

#define MAX_TEXT 4096

/* The first of the characters outside of brackets and not a part of "::"; NULL = none. */
static char *find_outside(char *text, char wanted)
{
	int depth = 0;

	for (char *at = text; *at; at++) {
		if (at[0] == ':' && at[1] == ':' && wanted == ':') {
			at++;
			continue;
		}
		depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
		if (*at == wanted && depth <= 0)
			return at;
	}
	return NULL;
}

/* Cuts the text behind the first colon, or returns NULL. */
static char *cut(char *text, char at)
{
	char *mark = find_outside(text, at);

	if (!mark)
		return NULL;
	*mark = '\0';
	return mark + 1;
}

static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " \t");
	len = strlen(text);
	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	return text;
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* "const char *name", "size_t size", "int" */
static void parse_parameter(char *text, struct arena *arena, struct fetch_parameter *ret)
{
	char *end, *name;
	struct fetch_parameter parameter = { 0 };

	text = trim(text);
	end = text + strlen(text);
	for (name = end; name > text && is_name_char(name[-1]);)
		name--;
	if (name == text || name == end) /* a type alone */
		parameter.type = *text ? text : NULL;
	else {
		parameter.name = name;
		parameter.type = trim(arena_strndup(arena, text, (size_t)(name - text)));
	}
	*ret = parameter;
}

static const char *parse_signature(char *text, struct arena *arena, struct argument_spec *spec)
{
	char *close = strrchr(text, ')');

	if (!close || close[1])
		return "the signature does not end with )";
	*close = '\0';
	for (char *next; *trim(text) && text; text = next) {
		next = cut(text, ',');
		if (spec->parameters == ARGUMENT_PARAMETERS)
			return "too many parameters";
		parse_parameter(text, arena, &spec->parameter[spec->parameters++]);
		if (!next)
			break;
	}
	return NULL;
}

static const char *parse_list(char *text, const char **ret, size_t *ret_count)
{
	for (char *next; text; text = next) {
		next = cut(text, ',');
		if (*ret_count == FETCH_VALUES)
			return "too many expressions";
		text = trim(text);
		if (!*text)
			return "an expression is empty";
		ret[(*ret_count)++] = text;
	}
	return NULL;
}

static const char *parse_values(char *types, struct argument_spec *spec)
{
	char *expressions = cut(types, ':'), *filter;
	const char *wrong;

	if (!expressions)
		return "types without expressions";
	filter = cut(expressions, ':');
	wrong = parse_list(types, spec->type, &spec->types);
	if (!wrong)
		wrong = parse_list(expressions, spec->expression, &spec->expressions);
	if (!wrong && spec->types != spec->expressions)
		wrong = "as many types as expressions are needed";
	if (filter && *trim(filter))
		spec->filter = trim(filter);
	return wrong;
}

/* The parts behind the kind. */
static const char *parse(char *text, struct arena *arena, struct argument_spec *spec)
{
	char *function = probe_spec_binary_end(text), *rest, *signature;
	const char *wrong = NULL;

	if (spec->kind == 't')
		function = strchr(text, ':');
	if (!function)
		return "a function is BINARY:NAME, one of the kernel :NAME";
	*function++ = '\0';
	rest = cut(function, ':');
	if (spec->kind == 'u' && rest && !strchr(function, '(') && strchr(rest, '(')) {
		rest[-1] = ':'; /* provider:name */
		rest = cut(strchr(rest, '('), ':');
	}
	signature = strchr(function, '(');
	if (signature) {
		*signature = '\0';
		wrong = parse_signature(signature + 1, arena, spec);
	}
	if (!*trim(function))
		return "there is no function";
	if (!wrong && rest)
		wrong = parse_values(rest, spec);
	text[strlen(text)] = ':';
	return wrong;
}

int argument_spec_parse(const char *text, struct arena *arena, struct argument_spec *ret,
			struct err *err)
{
	struct argument_spec spec = { .label = text, .kind = 'p' };
	char *copy = arena_strdup(arena, text), *label = strrchr(copy, '#'), *start;
	const char *wrong = NULL;

	if (strlen(text) > MAX_TEXT)
		wrong = "too long";
	if (label) {
		*label = '\0';
		spec.label = label + 1;
	}
	start = copy;
	if (strchr("prut", *copy) && *copy && copy[1] == ':') {
		spec.kind = *copy;
		start = copy + 2;
	} else {
		copy = arena_alloc(arena, strlen(start) + 3);
		memcpy(copy, "p:", 2);
		memcpy(copy + 2, start, strlen(start) + 1);
		start = copy + 2;
	}
	if (!wrong)
		wrong = parse(start, arena, &spec);
	if (!wrong) {
		spec.place = copy;
		*ret = spec;
		return 0;
	}
	(void)err_usage(err, "'%s': %s", text, wrong);
	return err_hint(err,
			"write p:c:malloc(size_t size):size_t:size:size>16, "
			"r:c:read():int:$retval or t:sched:sched_switch():int:args->prev_prio");
}
