/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The grammar of expressions, which is C's without side effects, and how values are shown (see
 * fetch_expression.h). */
#include "session/probe/fetch_expression.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "session/probe/fetch_operand.h"

#define MAX_NESTED     32
#define NAME_MAX_BYTES 128

struct parse {
	const struct fetch_scope *scope;
	struct fetch_code *code;
	const char *text, *at;
	unsigned nested;
};

static void parse_binary(struct parse *p, unsigned least, struct fetch_operand *ret);

static void skip_blanks(struct parse *p)
{
	p->at += strspn(p->at, " \t");
}

static bool take(struct parse *p, const char *token)
{
	skip_blanks(p);
	if (strncmp(p->at, token, strlen(token)) != 0)
		return false;
	p->at += strlen(token);
	return true;
}

static void expected(struct parse *p, const char *what)
{
	fetch_fail(p->code, -EINVAL, "expected %s at '%s'", what, p->at);
}

static bool take_name(struct parse *p, char *ret)
{
	size_t len = 0;

	skip_blanks(p);
	if (p->at[0] == '$' || p->at[0] == '%')
		len++;
	while (isalnum((unsigned char)p->at[len]) || p->at[len] == '_')
		len++;
	if (!len || len >= NAME_MAX_BYTES || isdigit((unsigned char)*p->at)) {
		expected(p, "a name");
		return false;
	}
	memcpy(ret, p->at, len);
	ret[len] = '\0';
	p->at += len;
	return true;
}

static void set_number(struct fetch_operand *operand, unsigned size, bool is_signed)
{
	*operand = (struct fetch_operand){ .at = FETCH_NUMBER, .loaded = true };
	fetch_type_number(size, is_signed, &operand->type);
}

static void parse_number(struct parse *p, struct fetch_operand *ret)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(p->at, &end, 0);
	if (errno)
		return fetch_fail(p->code, -ERANGE, "number too large: '%s'", p->at);
	p->at = end + strspn(end, "uUlL");
	fetch_emit_constant(p->code, value);
	set_number(ret, 8, value <= INT64_MAX);
}

static void parse_character(struct parse *p, struct fetch_operand *ret)
{
	static const char escapes[] = "n\nt\tr\r0\0\\\\''";
	char c = p->at[1];
	const char *escape;

	p->at += 2;
	if (c == '\\') {
		escape = *p->at ? memchr(escapes, *p->at, sizeof(escapes) - 1) : NULL;
		c = escape ? escape[1] : *p->at;
		p->at += *p->at != '\0';
	}
	if (!take(p, "'"))
		expected(p, "'");
	fetch_emit_constant(p->code, (uint64_t)c);
	set_number(ret, 8, true);
}

/* A cast's "(type)"; false leaves the text as it is. */
static bool take_cast(struct parse *p, struct fetch_type *ret)
{
	const char *start = p->at;
	size_t len;

	if (!take(p, "("))
		return false;
	len = fetch_type_parse(p->at, ret);
	p->at += len;
	if (len && take(p, ")"))
		return true;
	p->at = start;
	return false;
}

/* As a number to calculate with. */
static void load_number(struct parse *p, struct fetch_operand *operand)
{
	fetch_load(p->scope, p->code, operand);
	if (operand->type.type.kind == DWARF_FLOAT)
		fetch_fail(p->code, -ENOTSUP,
			   "floating-point values can be shown, not calculated with");
}

static void cast(struct parse *p, const struct fetch_type *type, struct fetch_operand *operand)
{
	load_number(p, operand);
	operand->type = *type;
	if (type->type.size && type->type.size < 8)
		fetch_emit_bits(p->code, 0, (unsigned)type->type.size * 8, type->type.is_signed);
}

/* Behind `$entry`: an expression that is compiled for where the call begins. */
static void parse_entry(struct parse *p, struct fetch_operand *ret)
{
	struct fetch_entered *entered = p->scope->entered;
	struct parse inner = { .text = p->text, .nested = p->nested };
	struct fetch_operand operand;

	if (!entered)
		return fetch_fail(p->code, -EINVAL, "only returns of calls have it, in argdist");
	if (!take(p, "("))
		return expected(p, "'('");
	inner.scope = &entered->scope;
	inner.code = &entered->code;
	inner.at = p->at;
	entered->code.err = p->code->err;
	parse_binary(&inner, 0, &operand);
	p->at = inner.at;
	fetch_entry(p->scope, &operand, p->code, ret);
	if (!take(p, ")"))
		expected(p, "')'");
}

/* Behind `args`. */
static void parse_field(struct parse *p, struct fetch_operand *ret)
{
	char name[NAME_MAX_BYTES];

	if (!take(p, "->") && !take(p, "."))
		return expected(p, "'->'");
	if (take_name(p, name))
		fetch_field(p->scope, name, p->code, ret);
}

static void parse_name(struct parse *p, const char *name, struct fetch_operand *ret)
{
	bool failed = p->code->failed;

	if (!strcmp(name, "$entry"))
		parse_entry(p, ret);
	else if (p->scope->fields && !strcmp(name, "args"))
		parse_field(p, ret);
	else
		fetch_name(p->scope, name, p->code, ret);
	if (p->code->failed && !failed)
		(void)err_wrap(p->code->err, "'%s'", name);
}

static void parse_primary(struct parse *p, struct fetch_operand *ret)
{
	char name[NAME_MAX_BYTES];

	skip_blanks(p);
	*ret = (struct fetch_operand){ 0 };
	if (isdigit((unsigned char)*p->at)) {
		parse_number(p, ret);
	} else if (*p->at == '\'' && p->at[1]) {
		parse_character(p, ret);
	} else if (take(p, "(")) {
		parse_binary(p, 0, ret);
		if (!take(p, ")"))
			expected(p, "')'");
	} else if (take_name(p, name)) {
		parse_name(p, name, ret);
	}
}

static void parse_index(struct parse *p, struct fetch_operand *operand)
{
	struct fetch_type target;
	struct fetch_operand index;

	fetch_load(p->scope, p->code, operand);
	if (p->code->failed)
		return;
	if (!fetch_type_target(&operand->type, &target) || !target.type.size)
		return fetch_fail(p->code, -EINVAL, "'[': neither an array nor a pointer");
	skip_blanks(p);
	parse_binary(p, 0, &index);
	load_number(p, &index);
	fetch_emit_constant(p->code, target.type.size);
	fetch_emit_binary(p->code, FETCH_MULTIPLY);
	fetch_emit_binary(p->code, FETCH_PLUS);
	if (!take(p, "]"))
		expected(p, "']'");
	*operand = (struct fetch_operand){ .at = FETCH_MEMORY, .type = target };
}

static void parse_postfix(struct parse *p, struct fetch_operand *ret)
{
	char name[NAME_MAX_BYTES];

	parse_primary(p, ret);
	while (!p->code->failed) {
		const char *start = p->at;

		if (take(p, "[")) {
			parse_index(p, ret);
		} else if (take(p, "->") || take(p, ".")) {
			if (!take_name(p, name))
				return;
			fetch_member(p->scope, name, p->code, ret);
			if (p->code->failed)
				(void)err_wrap(p->code->err, "'%.*s'", (int)(start - p->text),
					       p->text);
		} else {
			return;
		}
	}
}

static void negate(struct parse *p, enum fetch_binary op, struct fetch_operand *operand)
{
	load_number(p, operand);
	fetch_emit_constant(p->code, op == FETCH_EQUAL ? 0 : UINT64_MAX);
	fetch_emit_binary(p->code, op);
	set_number(operand, 8, true);
}

static void parse_address(struct parse *p, struct fetch_operand *operand)
{
	if (p->code->failed)
		return;
	if (operand->at != FETCH_MEMORY || operand->bit_size)
		return fetch_fail(p->code, -EINVAL, "'&': it has no address");
	set_number(operand, 8, false);
}

static void parse_unary(struct parse *p, struct fetch_operand *ret)
{
	struct fetch_type type;

	skip_blanks(p);
	if (p->nested++ > MAX_NESTED) {
		*ret = (struct fetch_operand){ 0 };
		fetch_fail(p->code, -EINVAL, "nested too deep");
	} else if (take(p, "*")) {
		parse_unary(p, ret);
		fetch_dereference(p->scope, p->code, ret);
	} else if (take(p, "-")) {
		parse_unary(p, ret);
		negate(p, FETCH_MULTIPLY, ret);
	} else if (take(p, "~")) {
		parse_unary(p, ret);
		negate(p, FETCH_XOR, ret);
	} else if (take(p, "!")) {
		parse_unary(p, ret);
		negate(p, FETCH_EQUAL, ret);
	} else if (take(p, "&")) {
		parse_unary(p, ret);
		parse_address(p, ret);
	} else if (take_cast(p, &type)) {
		parse_unary(p, ret);
		cast(p, &type, ret);
	} else {
		parse_postfix(p, ret);
	}
	p->nested--;
}

enum meaning { PLAIN, SWAPPED, LOGICAL };

/* Longer tokens before those that they begin with. */
static const struct operator
{
	const char *token;
	unsigned level; /* binds closer when higher */
	enum fetch_binary op, of_unsigned;
	enum meaning meaning;
}
operators[] = {
	{ "||", 1, FETCH_OR, FETCH_OR, LOGICAL },
	{ "&&", 2, FETCH_AND, FETCH_AND, LOGICAL },
	{ "==", 6, FETCH_EQUAL, FETCH_EQUAL, PLAIN },
	{ "!=", 6, FETCH_UNEQUAL, FETCH_UNEQUAL, PLAIN },
	{ "<<", 8, FETCH_LEFT, FETCH_LEFT, PLAIN },
	{ ">>", 8, FETCH_RIGHT_SIGNED, FETCH_RIGHT, PLAIN },
	{ "<=", 7, FETCH_LESS_EQUAL, FETCH_BELOW_EQUAL, PLAIN },
	{ ">=", 7, FETCH_LESS, FETCH_BELOW, SWAPPED },
	{ "<", 7, FETCH_LESS, FETCH_BELOW, PLAIN },
	{ ">", 7, FETCH_LESS_EQUAL, FETCH_BELOW_EQUAL, SWAPPED },
	{ "|", 3, FETCH_OR, FETCH_OR, PLAIN },
	{ "^", 4, FETCH_XOR, FETCH_XOR, PLAIN },
	{ "&", 5, FETCH_AND, FETCH_AND, PLAIN },
	{ "+", 9, FETCH_PLUS, FETCH_PLUS, PLAIN },
	{ "-", 9, FETCH_MINUS, FETCH_MINUS, PLAIN },
	{ "*", 10, FETCH_MULTIPLY, FETCH_MULTIPLY, PLAIN },
	{ "/", 10, FETCH_DIVIDE, FETCH_DIVIDE, PLAIN },
	{ "%", 10, FETCH_MODULO, FETCH_MODULO, PLAIN },
};

static const struct operator* take_operator(struct parse *p, unsigned least)
{
	skip_blanks(p);
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		if (strncmp(p->at, operators[i].token, strlen(operators[i].token)) != 0)
			continue;
		if (operators[i].level < least)
			return NULL;
		p->at += strlen(operators[i].token);
		return &operators[i];
	}
	return NULL;
}

static bool is_unsigned(const struct fetch_operand *operand)
{
	return operand->type.type.size == 8 && !operand->type.type.is_signed;
}

static void emit_truth(struct parse *p)
{
	fetch_emit_constant(p->code, 0);
	fetch_emit_binary(p->code, FETCH_UNEQUAL);
}

static void parse_binary(struct parse *p, unsigned least, struct fetch_operand *ret)
{
	const struct operator* operator;
	struct fetch_operand right;

	parse_unary(p, ret);
	while (!p->code->failed && (operator= take_operator(p, least))) {
		bool of_unsigned;

		load_number(p, ret);
		if (operator->meaning == LOGICAL)
			emit_truth(p);
		parse_binary(p, operator->level + 1, &right);
		load_number(p, &right);
		if (operator->meaning == LOGICAL)
			emit_truth(p);
		of_unsigned = is_unsigned(ret) || is_unsigned(&right);
		fetch_emit_binary(p->code, of_unsigned ? operator->of_unsigned : operator->op);
		if (operator->meaning == SWAPPED) { /* a > b is not a <= b */
			fetch_emit_constant(p->code, 0);
			fetch_emit_binary(p->code, FETCH_EQUAL);
		}
		set_number(ret, 8, !of_unsigned || operator->op >= FETCH_EQUAL);
	}
}

/* ":type" at the end. */
static void parse_suffix(struct parse *p, struct fetch_operand *operand, bool *ret_hex,
			 bool *ret_string)
{
	struct fetch_type type;
	size_t len;

	if (!take(p, ":"))
		return;
	len = strcspn(p->at, " \t");
	if (!fetch_type_perf(p->at, len, &type, ret_hex, ret_string))
		return fetch_fail(p->code, -EINVAL,
				  "unknown type '%s': u8 to u64, s8 to s64, x8 to x64 or string",
				  p->at);
	p->at += len;
	if (!*ret_string)
		cast(p, &type, operand);
}

static enum fetch_as shown_as(const struct fetch_operand *operand)
{
	switch (operand->type.type.kind) {
	case DWARF_POINTER:
	case DWARF_ARRAY:
	case DWARF_FUNCTION:
		return FETCH_AS_HEX;
	case DWARF_FLOAT:
		return operand->type.type.size == sizeof(float) ? FETCH_AS_FLOAT : FETCH_AS_DOUBLE;
	case DWARF_CHAR:
		return operand->type.type.size == 1 ? FETCH_AS_CHAR : FETCH_AS_UNSIGNED;
	default:
		return operand->type.type.is_signed ? FETCH_AS_SIGNED : FETCH_AS_UNSIGNED;
	}
}

static void store(struct parse *p, struct fetch_operand *operand, struct fetch_output *ret)
{
	bool hex = false, string = false;

	string = fetch_type_is_text(&operand->type);
	fetch_load(p->scope, p->code, operand);
	skip_blanks(p);
	if (*p->at == ':')
		parse_suffix(p, operand, &hex, &string);
	skip_blanks(p);
	if (*p->at)
		expected(p, "the end");
	if (p->code->values == FETCH_VALUES)
		fetch_fail(p->code, -E2BIG, "more than %u values", FETCH_VALUES);
	*ret = (struct fetch_output){ .value = p->code->values, .as = shown_as(operand) };
	if (hex)
		ret->as = FETCH_AS_HEX;
	if (string)
		ret->as = FETCH_AS_STRING;
	if (operand->type.type.kind == DWARF_ENUM && !hex)
		ret->type = operand->type.type;
	fetch_emit(p->code, (struct fetch_step){ .op = string ? FETCH_STRING : FETCH_STORE,
						 .arg = (uint8_t)p->code->values });
}

static int finish(struct parse *p, struct err *err)
{
	if (!p->code->failed)
		return 0;
	if (strncmp(err->msg + (err->msg[0] == '\''), p->text, strlen(p->text)) != 0)
		(void)err_wrap(err, "%s", p->text);
	return err->code;
}

int fetch_compile(const struct fetch_scope *scope, const char *text, struct fetch_code *code,
		  struct fetch_output *ret, struct err *err)
{
	struct parse p = { scope, code, text, text, 0 };
	struct fetch_operand operand;

	code->err = err;
	parse_binary(&p, 0, &operand);
	if (!code->failed)
		store(&p, &operand, ret);
	return finish(&p, err);
}

int fetch_compile_condition(const struct fetch_scope *scope, const char *text,
			    struct fetch_code *code, struct err *err)
{
	struct parse p = { scope, code, text, text, 0 };
	struct fetch_operand operand;

	code->err = err;
	parse_binary(&p, 0, &operand);
	load_number(&p, &operand);
	skip_blanks(&p);
	if (*p.at)
		expected(&p, "the end");
	fetch_emit(code, (struct fetch_step){ .op = FETCH_WHEN });
	return finish(&p, err);
}

static void put_string(const struct fetch_result *result, uint64_t value, struct buf *out)
{
	uint32_t at = FETCH_STRING_AT(value), len = FETCH_STRING_LEN(value);
	char text[FETCH_STRING_MAX];

	if (at > FETCH_TEXT || len > FETCH_TEXT - at || len >= sizeof(text))
		len = 0;
	memcpy(text, result->text + (len ? at : 0), len);
	text[len] = '\0';
	(void)buf_putc(out, '"');
	(void)buf_put_tidy(out, text);
	(void)buf_putc(out, '"');
}

static void put_float(uint64_t bits, bool is_double, struct buf *out)
{
	uint32_t low = (uint32_t)bits;
	double value;
	float single;

	memcpy(&value, &bits, sizeof(value));
	memcpy(&single, &low, sizeof(single));
	(void)buf_printf(out, "%.*g", is_double ? 15 : 6, is_double ? value : (double)single);
}

static const char *name_of(const struct fetch_output *output, uint64_t value)
{
	if (output->type.die.tag)
		return dwarf_type_enumerator(&output->type, value);
	for (size_t i = 0; i < output->names; i++)
		if (((output->name[i].value ^ value) & output->mask) == 0)
			return output->name[i].name;
	return NULL;
}

void fetch_put(const struct fetch_output *output, const struct fetch_result *result,
	       struct buf *out)
{
	uint64_t value = result->value[output->value % FETCH_VALUES];
	const char *name;

	if (result->faults >> output->value & 1) {
		(void)buf_puts(out, "(unreadable)");
		return;
	}
	name = name_of(output, value);
	if (name)
		(void)buf_puts(out, name);
	else if (output->as == FETCH_AS_STRING)
		put_string(result, value, out);
	else if (output->as == FETCH_AS_CHAR && value >= ' ' && value < 127)
		(void)buf_printf(out, "'%c'", (char)value);
	else if (output->as == FETCH_AS_HEX)
		(void)buf_printf(out, "0x%llx", (unsigned long long)value);
	else if (output->as == FETCH_AS_FLOAT || output->as == FETCH_AS_DOUBLE)
		put_float(value, output->as == FETCH_AS_DOUBLE, out);
	else if (output->as == FETCH_AS_UNSIGNED)
		(void)buf_put_u64(out, value);
	else
		(void)buf_printf(out, "%lld", (long long)value);
}
