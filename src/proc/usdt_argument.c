/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operands of static probes (see usdt_argument.h). Format: that of the assemblers; the size in
 * front of @ is SystemTap's: negative for signed, with an f for floating point. */
#include "proc/usdt_argument.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* The names of a register's four sizes, in DWARF's order. */
static const char *const x86_64_names[][4] = {
	{ "al", "ax", "eax", "rax" },	   { "dl", "dx", "edx", "rdx" },
	{ "cl", "cx", "ecx", "rcx" },	   { "bl", "bx", "ebx", "rbx" },
	{ "sil", "si", "esi", "rsi" },	   { "dil", "di", "edi", "rdi" },
	{ "bpl", "bp", "ebp", "rbp" },	   { "spl", "sp", "esp", "rsp" },
	{ "r8b", "r8w", "r8d", "r8" },	   { "r9b", "r9w", "r9d", "r9" },
	{ "r10b", "r10w", "r10d", "r10" }, { "r11b", "r11w", "r11d", "r11" },
	{ "r12b", "r12w", "r12d", "r12" }, { "r13b", "r13w", "r13d", "r13" },
	{ "r14b", "r14w", "r14d", "r14" }, { "r15b", "r15w", "r15d", "r15" },
	{ "rip", "rip", "eip", "rip" },
};

static const char *const x86_64_high[] = { "ah", "dh", "ch", "bh" };

static bool is_name(const char *text, size_t len, const char *name)
{
	return strlen(name) == len && !strncmp(text, name, len);
}

static size_t name_len(const char *text)
{
	size_t len = 0;

	while (isalnum((unsigned char)text[len]) || (text[len] && strchr("_.$@", text[len])))
		len++;
	return len;
}

/* "%rax"; moves the text behind it. */
static bool x86_64_register(const char **text, struct usdt_argument *ret, int *ret_register)
{
	const char *name = *text + 1;
	size_t len;

	if (**text != '%')
		return false;
	len = name_len(name);
	for (int i = 0; i < (int)(sizeof(x86_64_names) / sizeof(*x86_64_names)); i++)
		for (size_t size = 0; size < 4; size++)
			if (is_name(name, len, x86_64_names[i][size])) {
				*ret_register = i;
				*text = name + len;
				return true;
			}
	for (int i = 0; i < 4; i++)
		if (is_name(name, len, x86_64_high[i])) {
			*ret_register = i;
			ret->shift = 8;
			*text = name + len;
			return true;
		}
	return false;
}

/* A number or a symbol with "+number", in front of "(". */
static bool take_displacement(const char **text, struct usdt_argument *ret)
{
	const char *at = *text;
	char *end;

	if (isalpha((unsigned char)*at) || *at == '_' || *at == '.') {
		ret->symbol = at;
		ret->symbol_len = name_len(at);
		at += ret->symbol_len;
		if (*at != '+' && *at != '-') {
			*text = at;
			return true;
		}
	}
	if (!isdigit((unsigned char)at[*at == '-' || *at == '+'])) {
		*text = at;
		return !ret->symbol || *at == '(';
	}
	ret->offset = strtoll(at, &end, 0);
	if (end == at)
		return false;
	at = end;
	if (*at == '+' && !ret->symbol) { /* 8+symbol(%rip) */
		ret->symbol = at + 1;
		ret->symbol_len = name_len(at + 1);
		at += 1 + ret->symbol_len;
	}
	*text = at;
	return true;
}

static bool x86_64_operand(const char *text, struct usdt_argument *ret)
{
	char *end;

	if (*text == '$') {
		ret->offset = strtoll(text + 1, &end, 0);
		return end != text + 1 && (!*end || *end == ' ');
	}
	if (*text == '%')
		return x86_64_register(&text, ret, &ret->base) && (!*text || *text == ' ');
	ret->memory = true;
	if (!take_displacement(&text, ret))
		return false;
	if (*text != '(')
		return (ret->symbol || ret->offset) && (!*text || *text == ' ');
	text++;
	if (*text == '%' && !x86_64_register(&text, ret, &ret->base))
		return false;
	if (*text == ',') {
		text++;
		if (!x86_64_register(&text, ret, &ret->index))
			return false;
		ret->scale = 1;
		if (*text == ',') {
			ret->scale = (uint8_t)strtoul(text + 1, &end, 10);
			text = end;
		}
	}
	return *text == ')' && (!text[1] || text[1] == ' ') && ret->scale <= 8;
}

/* x0 … x30, w0 … w30, sp */
static bool aarch64_register(const char **text, int *ret)
{
	size_t len = name_len(*text);
	char *end;
	unsigned long number;

	if (is_name(*text, len, "sp") || is_name(*text, len, "wsp")) {
		*ret = 31;
	} else if ((**text == 'x' || **text == 'w') && isdigit((unsigned char)(*text)[1])) {
		number = strtoul(*text + 1, &end, 10);
		if (number > 30 || end != *text + len)
			return false;
		*ret = (int)number;
	} else {
		return false;
	}
	*text += len;
	return true;
}

static bool aarch64_operand(const char *text, struct usdt_argument *ret)
{
	char *end;

	if (*text != '[') {
		if (isdigit((unsigned char)*text) || *text == '-') {
			ret->offset = strtoll(text, &end, 0);
			return !*end || *end == ' ';
		}
		return aarch64_register(&text, &ret->base) && (!*text || *text == ' ');
	}
	ret->memory = true;
	text++;
	if (!aarch64_register(&text, &ret->base))
		return false;
	if (*text == ',') {
		text += 1 + strspn(text + 1, " #");
		if (isdigit((unsigned char)*text) || *text == '-') {
			ret->offset = strtoll(text, &end, 0);
			text = end;
		} else {
			ret->scale = 1;
			if (!aarch64_register(&text, &ret->index))
				return false;
		}
	}
	return *text == ']' && (!text[1] || text[1] == ' ');
}

/* The place behind the argument at the text: blanks inside of brackets do not end it. */
static const char *skip_argument(const char *text)
{
	int depth = 0;

	for (; *text && (depth || *text != ' '); text++)
		depth += (*text == '[' || *text == '(') - (*text == ']' || *text == ')');
	return text;
}

static const char *find_argument(const char *arguments, unsigned number)
{
	const char *at = arguments + strspn(arguments, " ");

	for (unsigned i = 0; i < number && *at; i++) {
		at = skip_argument(at);
		at += strspn(at, " ");
	}
	return *at ? at : NULL;
}

unsigned usdt_argument_count(const char *arguments)
{
	unsigned count = 0;

	while (count < USDT_MAX_ARGUMENTS && find_argument(arguments, count))
		count++;
	return count;
}

bool usdt_argument_parse(uint16_t machine, const char *arguments, unsigned number,
			 struct usdt_argument *ret)
{
	struct usdt_argument argument = { .size = 8,
					  .base = USDT_NO_REGISTER,
					  .index = USDT_NO_REGISTER };
	const char *text = find_argument(arguments, number), *at;
	char *end;
	long size;
	bool known;

	if (!text)
		return false;
	at = memchr(text, '@', (size_t)(skip_argument(text) - text));
	if (at && (isdigit((unsigned char)*text) || *text == '-')) {
		size = strtol(text, &end, 10);
		argument.is_float = *end == 'f';
		if (end + argument.is_float != at || !size || size < -8 || size > 8)
			return false;
		argument.is_signed = size < 0;
		argument.size = (uint8_t)labs(size);
		text = at + 1;
	}
	if (machine == EM_X86_64)
		known = x86_64_operand(text, &argument);
	else
		known = machine == EM_AARCH64 && aarch64_operand(text, &argument);
	if (known)
		*ret = argument;
	return known;
}
