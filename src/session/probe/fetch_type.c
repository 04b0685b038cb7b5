/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types in expressions (see fetch_type.h). */
#include "session/probe/fetch_type.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void fetch_type_number(unsigned size, bool is_signed, struct fetch_type *ret)
{
	*ret = (struct fetch_type){ .type = { .kind = is_signed ? DWARF_SIGNED : DWARF_UNSIGNED,
					      .size = size,
					      .is_signed = is_signed } };
}

static const struct {
	const char *name;
	enum dwarf_kind kind;
	uint8_t size;
	bool is_signed;
} names[] = {
	{ "char", DWARF_CHAR, 1, true },
	{ "signed char", DWARF_CHAR, 1, true },
	{ "unsigned char", DWARF_CHAR, 1, false },
	{ "short", DWARF_SIGNED, 2, true },
	{ "short int", DWARF_SIGNED, 2, true },
	{ "unsigned short", DWARF_UNSIGNED, 2, false },
	{ "int", DWARF_SIGNED, 4, true },
	{ "signed", DWARF_SIGNED, 4, true },
	{ "unsigned", DWARF_UNSIGNED, 4, false },
	{ "unsigned int", DWARF_UNSIGNED, 4, false },
	{ "long", DWARF_SIGNED, 8, true },
	{ "long int", DWARF_SIGNED, 8, true },
	{ "long long", DWARF_SIGNED, 8, true },
	{ "unsigned long", DWARF_UNSIGNED, 8, false },
	{ "unsigned long int", DWARF_UNSIGNED, 8, false },
	{ "unsigned long long", DWARF_UNSIGNED, 8, false },
	{ "bool", DWARF_BOOL, 1, false },
	{ "void", DWARF_VOID, 0, false },
	{ "size_t", DWARF_UNSIGNED, 8, false },
	{ "ssize_t", DWARF_SIGNED, 8, true },
	{ "off_t", DWARF_SIGNED, 8, true },
	{ "time_t", DWARF_SIGNED, 8, true },
	{ "pid_t", DWARF_SIGNED, 4, true },
	{ "uid_t", DWARF_UNSIGNED, 4, false },
	{ "mode_t", DWARF_UNSIGNED, 4, false },
	{ "uintptr_t", DWARF_UNSIGNED, 8, false },
	{ "u8", DWARF_UNSIGNED, 1, false },
	{ "u16", DWARF_UNSIGNED, 2, false },
	{ "u32", DWARF_UNSIGNED, 4, false },
	{ "u64", DWARF_UNSIGNED, 8, false },
	{ "s8", DWARF_SIGNED, 1, true },
	{ "s16", DWARF_SIGNED, 2, true },
	{ "s32", DWARF_SIGNED, 4, true },
	{ "s64", DWARF_SIGNED, 8, true },
	{ "uint8_t", DWARF_UNSIGNED, 1, false },
	{ "uint16_t", DWARF_UNSIGNED, 2, false },
	{ "uint32_t", DWARF_UNSIGNED, 4, false },
	{ "uint64_t", DWARF_UNSIGNED, 8, false },
	{ "int8_t", DWARF_SIGNED, 1, true },
	{ "int16_t", DWARF_SIGNED, 2, true },
	{ "int32_t", DWARF_SIGNED, 4, true },
	{ "int64_t", DWARF_SIGNED, 8, true },
};

static size_t word_len(const char *text)
{
	size_t len = 0;

	while (isalnum((unsigned char)text[len]) || text[len] == '_')
		len++;
	return len;
}

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !strncmp(text, word, len);
}

/* The words of a type one blank apart, without qualifiers; returns the place behind them. */
static const char *join_words(const char *text, char *joined, size_t size)
{
	const char *at = text;
	size_t used = 0, len;

	joined[0] = '\0';
	for (;; at += len) {
		at += strspn(at, " \t");
		len = word_len(at);
		if (!len)
			return at;
		if (is_word(at, len, "const") || is_word(at, len, "volatile"))
			continue;
		if (used + len + 2 > size)
			return at;
		used += (size_t)snprintf(joined + used, size - used, "%s%.*s", used ? " " : "",
					 (int)len, at);
	}
}

static bool find_name(const char *name, struct fetch_type *ret)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i].name, name)) {
			*ret = (struct fetch_type){ .type = { .kind = names[i].kind,
							      .size = names[i].size,
							      .is_signed = names[i].is_signed } };
			return true;
		}
	return false;
}

size_t fetch_type_parse(const char *text, struct fetch_type *ret)
{
	char joined[64];
	const char *end = join_words(text, joined, sizeof(joined));
	struct fetch_type type = { .type = { .kind = DWARF_VOID } };
	bool known = find_name(joined, &type), pointer = false;

	for (; *end == '*' || *end == ' '; end++) {
		struct fetch_type at = type;

		if (*end == ' ')
			continue;
		type = (struct fetch_type){ .type = { .kind = DWARF_POINTER, .size = 8 },
					    .target = at.type.kind,
					    .target_size = (unsigned)at.type.size,
					    .target_signed = at.type.is_signed };
		pointer = true;
	}
	if (!known && !(pointer && *joined)) /* a pointer to anything is a number */
		return 0;
	*ret = type;
	return (size_t)(end - text);
}

bool fetch_type_is_float(const char *text)
{
	char joined[64];
	const char *end = join_words(text, joined, sizeof(joined));

	return !*end && (!strcmp(joined, "float") || !strcmp(joined, "double") ||
			 !strcmp(joined, "long double"));
}

bool fetch_type_is_large(const char *text)
{
	char joined[64];
	const char *end = join_words(text, joined, sizeof(joined));
	const char *last = strrchr(joined, ' ');

	return !*end && (is_word(joined, strcspn(joined, " "), "struct") ||
			 is_word(joined, strcspn(joined, " "), "union") ||
			 strcmp(last ? last + 1 : joined, "__int128") == 0);
}

bool fetch_type_perf(const char *text, size_t len, struct fetch_type *ret, bool *ret_hex,
		     bool *ret_string)
{
	char number[8];
	unsigned bits = 0;

	*ret_hex = *ret_string = false;
	if (is_word(text, len, "string") || is_word(text, len, "ustring")) {
		*ret_string = true;
		return true;
	}
	if (len < 2 || len > sizeof(number) || !strchr("usx", *text))
		return false;
	(void)snprintf(number, sizeof(number), "%.*s", (int)(len - 1), text + 1);
	for (unsigned try = 8; try <= 64; try *= 2) {
		char name[8];

		(void)snprintf(name, sizeof(name), "%u", try);
		if (!strcmp(name, number))
			bits = try;
	}
	if (!bits)
		return false;
	*ret_hex = *text == 'x';
	fetch_type_number(bits / 8, *text == 's', ret);
	return true;
}

/* An array of arrays is one type: what an index leaves is its inner part. */
static bool inner_array(const struct fetch_type *array, struct fetch_type *ret)
{
	uint64_t dimension[DWARF_MAX_DIMENSIONS];
	size_t count = dwarf_type_dimensions(&array->type, dimension, DWARF_MAX_DIMENSIONS);
	struct dwarf_type element;

	if (array->indexed + 1 >= count || !dwarf_type_target(&array->type, &element))
		return false;
	*ret = *array;
	ret->indexed++;
	ret->type.size = element.size;
	for (size_t i = ret->indexed; i < count; i++)
		ret->type.size *= dimension[i];
	return true;
}

bool fetch_type_target(const struct fetch_type *type, struct fetch_type *ret)
{
	struct fetch_type target = { .type = { .kind = type->target,
					       .size = type->target_size,
					       .is_signed = type->target_signed } };

	if (inner_array(type, ret))
		return true;
	if (type->type.die.tag) {
		if (!dwarf_type_target(&type->type, &target.type))
			return false;
	} else if (type->type.kind != DWARF_POINTER) {
		return false;
	}
	*ret = target;
	return true;
}

bool fetch_type_is_text(const struct fetch_type *type)
{
	struct fetch_type target;

	return (type->type.kind == DWARF_POINTER || type->type.kind == DWARF_ARRAY) &&
	       fetch_type_target(type, &target) && target.type.kind == DWARF_CHAR &&
	       target.type.size == 1;
}
