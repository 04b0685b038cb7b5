/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Label selectors (see selector.h). */
#include "store/selector.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "store/label_set.h"

#define BARE "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@*+%-"

/* The C library's regular expressions take memory and time by their repetitions and nesting. */
#define REGEX_MAX_BYTES	   512
#define REGEX_MAX_BRACKETS 8

static const char *const operators[] = { "=", "!=", "=~", "!~" };

struct reader {
	const char *text, *at;
	struct err *err;
};

static int fail(const struct reader *reader, const char *what)
{
	return err_usage(reader->err, "selector '%.200s': %s at character %zu", reader->text, what,
			 (size_t)(reader->at - reader->text) + 1);
}

static void skip_blanks(struct reader *reader)
{
	reader->at += strspn(reader->at, " \t\n");
}

static int take_name(struct reader *reader, char **ret)
{
	size_t len = 0;

	while (len <= LABEL_NAME_MAX && label_name_is_valid(reader->at, len + 1))
		len++;
	if (!len || len > LABEL_NAME_MAX)
		return fail(reader, "expected the name of a label");
	*ret = mem_zalloc(len + 1);
	memcpy(*ret, reader->at, len);
	reader->at += len;
	return 0;
}

static int take_operator(struct reader *reader, enum selector_operator *ret)
{
	skip_blanks(reader);
	for (size_t i = sizeof(operators) / sizeof(operators[0]); i-- > 0;)
		if (strncmp(reader->at, operators[i], strlen(operators[i])) == 0) {
			*ret = (enum selector_operator)i;
			reader->at += strlen(operators[i]);
			skip_blanks(reader);
			return 0;
		}
	return fail(reader, "expected =, !=, =~ or !~");
}

static int take_quoted(struct reader *reader, char **ret)
{
	struct buf value = { .limit = LABEL_VALUE_MAX + 1 };
	char quote = *reader->at++;
	int code = buf_puts(&value, "");

	while (*reader->at && *reader->at != quote && !code) {
		char c = *reader->at++;

		if (c == '\\' && (*reader->at == quote || *reader->at == '\\'))
			c = *reader->at++;
		else if (c == '\\' && *reader->at == 'n' && reader->at++)
			c = '\n';
		code = buf_putc(&value, c);
	}
	*ret = mem_strdup(value.data ? value.data : "");
	buf_done(&value);
	if (code)
		return fail(reader, "a value is too long");
	if (*reader->at != quote)
		return fail(reader, "a quote is not closed");
	reader->at++;
	return 0;
}

static int take_value(struct reader *reader, char **ret)
{
	size_t len = strspn(reader->at, BARE);

	if (*reader->at == '"' || *reader->at == '\'')
		return take_quoted(reader, ret);
	if (!len || len > LABEL_VALUE_MAX)
		return fail(reader, "expected a value in quotes");
	*ret = mem_zalloc(len + 1);
	memcpy(*ret, reader->at, len);
	reader->at += len;
	return 0;
}

/* Repetitions with numbers make programs that grow with them, and each "+" of "a+++" copies what
 * the ones before it made. */
static bool is_modest(const char *regex)
{
	size_t brackets = 0;

	for (const char *c = regex; *c; c++) {
		brackets += *c == '(';
		if (c[0] && strchr("*+?", c[0]) && c[1] && strchr("*+?", c[1]))
			return false;
		if (*c == '{' || (*c == '\\' && c[1] >= '0' && c[1] <= '9'))
			return false; /* also what was matched before, which takes any time */
		if (*c == '\\' && c[1])
			c++;
	}
	return strlen(regex) <= REGEX_MAX_BYTES && brackets <= REGEX_MAX_BRACKETS;
}

static int compile(struct reader *reader, struct selector_condition *condition)
{
	struct buf whole = { 0 };
	char why[128];
	int code;

	if (!is_modest(condition->value))
		return fail(reader, "the regular expression is too large, or has {}, a digit after "
				    "a backslash, or one repetition of another, before the text");
	(void)buf_printf(&whole, "^(%s)$", condition->value);
	code = regcomp(&condition->regex, whole.data, REG_EXTENDED | REG_NOSUB);
	buf_done(&whole);
	if (!code)
		return 0;
	(void)regerror(code, &condition->regex, why, sizeof(why));
	return err_usage(reader->err, "selector '%.200s': %s: %s", reader->text, condition->value,
			 why);
}

static void condition_done(struct selector_condition *condition, bool compiled)
{
	free(condition->name);
	free(condition->value);
	if (compiled)
		regfree(&condition->regex);
}

static bool is_regex(const struct selector_condition *condition)
{
	return condition->op == SELECTOR_MATCHES || condition->op == SELECTOR_NOT_MATCHES;
}

static int take_condition(struct reader *reader, struct selector *selector)
{
	struct selector_condition *condition = &selector->condition[selector->count];
	int code;

	if (selector->count == SELECTOR_MAX_CONDITIONS)
		return fail(reader, "too many conditions");
	code = take_name(reader, &condition->name);
	if (!code)
		code = take_operator(reader, &condition->op);
	if (!code)
		code = take_value(reader, &condition->value);
	if (!code && is_regex(condition))
		code = compile(reader, condition);
	if (code)
		condition_done(condition, false);
	else
		selector->count++;
	return code;
}

static int take_all(struct reader *reader, struct selector *selector)
{
	bool braces;

	skip_blanks(reader);
	braces = *reader->at == '{';
	reader->at += braces;
	skip_blanks(reader);
	while (*reader->at && *reader->at != '}') {
		if (take_condition(reader, selector))
			return reader->err->code;
		skip_blanks(reader);
		if (*reader->at != ',')
			break;
		reader->at++;
		skip_blanks(reader);
	}
	if (braces && *reader->at != '}')
		return fail(reader, "expected , or }");
	reader->at += braces;
	skip_blanks(reader);
	return *reader->at ? fail(reader, "expected , or the end") : 0;
}

size_t selector_len(const char *text)
{
	char quote = 0;

	for (const char *at = text; *at; at++) {
		if (quote && *at == '\\' && at[1])
			at++;
		else if (quote)
			quote = *at == quote ? 0 : quote;
		else if (*at == '"' || *at == '\'')
			quote = *at;
		else if (*at == '}')
			return (size_t)(at + 1 - text);
	}
	return 0;
}

int selector_parse(const char *text, struct selector **ret, struct err *err)
{
	struct selector *selector = mem_zalloc(sizeof(*selector));
	struct reader reader = { text, text, err };

	if (take_all(&reader, selector)) {
		selector_free(selector);
		return err->code;
	}
	*ret = selector;
	return 0;
}

static bool holds(const struct selector_condition *condition, const char *value)
{
	bool same = is_regex(condition) ? regexec(&condition->regex, value, 0, NULL, 0) == 0
					: strcmp(condition->value, value) == 0;

	return same == (condition->op == SELECTOR_EQUAL || condition->op == SELECTOR_MATCHES);
}

bool selector_match(const struct selector *selector, const struct label_set *labels)
{
	for (size_t i = 0; selector && i < selector->count; i++)
		if (!holds(&selector->condition[i],
			   label_set_get(labels, selector->condition[i].name)))
			return false;
	return true;
}

void selector_free(struct selector *selector)
{
	if (!selector)
		return;
	for (size_t i = 0; i < selector->count; i++)
		condition_done(&selector->condition[i], is_regex(&selector->condition[i]));
	free(selector);
}
