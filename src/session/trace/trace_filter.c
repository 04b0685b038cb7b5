/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads and checks conditions on traced calls (see trace_filter.h). */
#include "session/trace/trace_filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "base/strtab.h"
#include "base/suggest.h"
#include "session/trace/trace_filter_node.h"
#include "source/syscall/syscall_choice.h"
#include "source/syscall/syscall_table.h"

#define DEPTH_MAX 64 /* of parentheses and '!' */
#define NAME_SIZE 64

struct parser {
	const char *text, *at;
	unsigned depth;
	struct trace_filter *filter;
	struct err *err;
};

static int refuse(const struct parser *parser, const char *what)
{
	return err_usage(parser->err, "--filter '%s': %s at column %zu", parser->text, what,
			 (size_t)(parser->at - parser->text) + 1);
}

static void skip_blanks(struct parser *parser)
{
	while (isspace((unsigned char)*parser->at))
		parser->at++;
}

static bool take(struct parser *parser, const char *word)
{
	skip_blanks(parser);
	if (strncmp(parser->at, word, strlen(word)) != 0)
		return false;
	parser->at += strlen(word);
	return true;
}

static size_t add(struct parser *parser, struct trace_filter_node node)
{
	vec_push(&parser->filter->node, node);
	return parser->filter->node.count - 1;
}

static char *copy_of(const char *text, size_t len)
{
	char *copy = mem_zalloc(len + 1);

	memcpy(copy, text, len);
	return copy;
}

static int take_op(struct parser *parser, enum trace_filter_op *ret)
{
	/* Longer ones first. */
	static const struct {
		const char *text;
		enum trace_filter_op op;
	} ops[] = {
		{ "==", FILTER_EQUAL },	     { "!=", FILTER_UNEQUAL },	  { "!~", FILTER_NO_GLOB },
		{ "<=", FILTER_LESS_EQUAL }, { ">=", FILTER_MORE_EQUAL }, { "<", FILTER_LESS },
		{ ">", FILTER_MORE },	     { "~", FILTER_GLOB },	  { "&", FILTER_BITS },
	};

	skip_blanks(parser);
	for (size_t i = 0; strncmp(parser->at, "&&", 2) != 0 && i < sizeof(ops) / sizeof(*ops); i++)
		if (take(parser, ops[i].text)) {
			*ret = ops[i].op;
			return 0;
		}
	return refuse(parser, "expected a comparison (== != < <= > >= & ~ !~)");
}

/* Quoted, or up to a blank, ')', "&&" or "||". */
static int take_value(struct parser *parser, struct trace_filter_node *node)
{
	const char *end;
	char quote;

	skip_blanks(parser);
	quote = *parser->at;
	if (quote == '"' || quote == '\'') {
		end = strchr(parser->at + 1, quote);
		if (!end)
			return refuse(parser, "string without end");
		node->quoted = true;
		node->value = copy_of(parser->at + 1, (size_t)(end - parser->at - 1));
		parser->at = end + 1;
		return 0;
	}
	for (end = parser->at; *end && !isspace((unsigned char)*end) && *end != ')'; end++)
		if (strncmp(end, "&&", 2) == 0 || strncmp(end, "||", 2) == 0)
			break;
	if (end == parser->at)
		return refuse(parser, "expected a value");
	node->value = copy_of(parser->at, (size_t)(end - parser->at));
	parser->at = end;
	return 0;
}

static int take_comparison(struct parser *parser, size_t *ret)
{
	struct trace_filter_node node = { 0 };
	const char *end;
	int code;

	skip_blanks(parser);
	for (end = parser->at; isalnum((unsigned char)*end) || *end == '_';)
		end++;
	if (end == parser->at)
		return refuse(parser, "expected a name");
	node.name = copy_of(parser->at, (size_t)(end - parser->at));
	parser->at = end;
	code = take_op(parser, &node.op);
	if (!code)
		code = take_value(parser, &node);
	*ret = add(parser, node); /* in any case, to be freed */
	return code;
}

static int take_or(struct parser *parser, size_t *ret);

static int take_one(struct parser *parser, size_t *ret)
{
	bool negated;
	int code;

	skip_blanks(parser);
	negated = take(parser, "!");
	if (!negated && !take(parser, "("))
		return take_comparison(parser, ret);
	if (++parser->depth > DEPTH_MAX)
		return refuse(parser, "too many parentheses");
	code = negated ? take_one(parser, ret) : take_or(parser, ret);
	parser->depth--;
	if (!code && negated)
		*ret = add(parser, (struct trace_filter_node){ .op = FILTER_NOT, .left = *ret });
	if (!code && !negated && !take(parser, ")"))
		return refuse(parser, "expected ')'");
	return code;
}

static int take_and(struct parser *parser, size_t *ret)
{
	int code = take_one(parser, ret);
	size_t right;

	while (!code && take(parser, "&&")) {
		code = take_one(parser, &right);
		if (!code)
			*ret = add(parser, (struct trace_filter_node){ .op = FILTER_AND,
								       .left = *ret,
								       .right = right });
	}
	return code;
}

static int take_or(struct parser *parser, size_t *ret)
{
	int code = take_and(parser, ret);
	size_t right;

	while (!code && take(parser, "||")) {
		code = take_and(parser, &right);
		if (!code)
			*ret = add(parser, (struct trace_filter_node){
						   .op = FILTER_OR, .left = *ret, .right = right });
	}
	return code;
}

int trace_filter_parse(const char *text, struct trace_filter **ret, struct err *err)
{
	struct trace_filter *filter = mem_zalloc(sizeof(*filter));
	struct parser parser = { .text = text, .at = text, .filter = filter, .err = err };
	int code = take_or(&parser, &filter->root);

	skip_blanks(&parser);
	if (!code && *parser.at)
		code = refuse(&parser, "expected && or ||");
	if (code)
		trace_filter_free(filter);
	else
		*ret = filter;
	return code;
}

void trace_filter_free(struct trace_filter *filter)
{
	for (size_t i = 0; filter && i < filter->node.count; i++) {
		free(filter->node.item[i].name);
		free(filter->node.item[i].value);
	}
	if (filter)
		vec_done(&filter->node);
	free(filter);
}

/* What the wanted calls have, for one comparison. */
struct found {
	const struct trace_filter_node *node;
	bool name, value;
};

static bool means_value(const struct trace_filter_node *node, enum syscall_arg kind)
{
	int64_t unused;

	return node->quoted || node->op == FILTER_GLOB || node->op == FILTER_NO_GLOB ||
	       trace_filter_value(node->value, kind, &unused);
}

static void look_at_call(struct found *found, const char *call)
{
	const struct syscall_signature *row = syscall_signature(call);
	const char *name;
	size_t len;

	for (size_t i = 0; i < SYSCALL_ARGS; i++) {
		len = syscall_arg_name(call, i, &name);
		if (!len)
			return;
		if (strlen(found->node->name) != len || memcmp(found->node->name, name, len) != 0)
			continue;
		found->name = true;
		found->value |=
			means_value(found->node, row ? row->arg[i] & ~ARG_WRITTEN : ARG_HEX);
	}
}

static void look(struct found *found, const struct syscall_choice *choice)
{
	const struct syscall_numbers *native = &syscall_numbers[SYSCALL_NATIVE];
	int64_t unused;

	for (size_t i = 0; i < native->count; i++)
		if (native->name[i] && choice->wanted[SYSCALL_NATIVE][i])
			look_at_call(found, native->name[i]);
	if (!found->name && trace_filter_is_common(found->node->name)) {
		found->name = true;
		found->value = strcmp(found->node->name, "comm") == 0
				       ? found->node->op == FILTER_EQUAL ||
						 found->node->op == FILTER_UNEQUAL ||
						 found->node->op >= FILTER_GLOB
			       : strcmp(found->node->name, "errno") == 0
				       ? trace_filter_error(found->node->value, &unused)
				       : trace_filter_value(found->node->value, ARG_INT, &unused);
	}
}

static void offer_names(struct strtab *names, const char *call)
{
	const char *name;
	size_t len;

	for (size_t nr = 0; (len = syscall_arg_name(call, nr, &name)); nr++)
		(void)strtab_intern(names, name, len);
}

static int refuse_name(const struct trace_filter_node *node, const struct syscall_choice *choice,
		       struct err *err)
{
	const struct syscall_numbers *native = &syscall_numbers[SYSCALL_NATIVE];
	struct suggest suggest = { .word = node->name };
	struct strtab *names = strtab_new();
	char text[SUGGEST_MAX * NAME_SIZE];

	for (size_t i = 0; i < native->count; i++)
		if (native->name[i] && choice->wanted[SYSCALL_NATIVE][i])
			offer_names(names, native->name[i]);
	for (uint32_t i = 1; i < strtab_count(names); i++)
		suggest_offer(&suggest, strtab_get(names, (string_id){ i }));
	(void)err_usage(err, "--filter: no traced call has an argument '%s'", node->name);
	if (*suggest_text(&suggest, text, sizeof(text)))
		(void)err_hint(err, "did you mean %s?", text);
	strtab_free(names);
	return err->code;
}

int trace_filter_check(const struct trace_filter *filter, const struct syscall_choice *choice,
		       struct err *err)
{
	for (size_t i = 0; i < filter->node.count; i++) {
		struct found found = { .node = &filter->node.item[i] };

		if (found.node->op < FILTER_EQUAL)
			continue;
		look(&found, choice);
		if (!found.name)
			return refuse_name(found.node, choice, err);
		if (!found.value) {
			(void)err_usage(err, "--filter: '%s' is no value of '%s'",
					found.node->value, found.node->name);
			return err_hint(err, "strings are in quotes: %s == \"%s\"",
					found.node->name, found.node->value);
		}
	}
	return 0;
}
