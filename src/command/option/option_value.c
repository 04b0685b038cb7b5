/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of option values: counts, sizes, durations, plain numbers (see option.h). */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "command/option/option.h"

struct unit {
	const char *name;
	double factor;
};

static const struct unit count_units[] = { { "", 1 },	 { "k", 1e3 }, { "K", 1e3 }, { "m", 1e6 },
					   { "M", 1e6 }, { "g", 1e9 }, { "G", 1e9 }, { NULL, 0 } };

static const struct unit size_units[] = { { "", 1 },	   { "B", 1 },	    { "K", 0x1p10 },
					  { "M", 0x1p20 }, { "G", 0x1p30 }, { "T", 0x1p40 },
					  { NULL, 0 } };

static const struct unit duration_units[] = { { "", 1e9 },     { "ns", 1 },	{ "us", 1e3 },
					      { "ms", 1e6 },   { "s", 1e9 },	{ "m", 60e9 },
					      { "min", 60e9 }, { "h", 3600e9 }, { NULL, 0 } };

static const struct unit *unit_find(const struct unit *units, const char *name)
{
	for (; units->name; units++)
		if (strcmp(units->name, name) == 0)
			return units;
	return NULL;
}

/* Size units are taken in either case and with B or iB behind: k, K, KB and KiB are the same. */
static const struct unit *size_unit_find(const char *name)
{
	char letter[2] = { (char)toupper((unsigned char)name[0]), '\0' };

	if (name[0] && name[1] && strcmp(name + 1, "B") != 0 && strcmp(name + 1, "iB") != 0)
		return NULL;
	return unit_find(size_units, letter);
}

static int parse_whole(enum option_type type, const char *text, uint64_t *ret)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const struct unit *unit;
	uint64_t value;
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, hex ? 16 : 10);
	if (errno || (hex && end == text + 1))
		return -ERANGE;
	unit = type == OPT_SIZE ? size_unit_find(end) : unit_find(count_units, end);
	if (!unit)
		return -EINVAL;
	if (__builtin_mul_overflow(value, (uint64_t)unit->factor, &value))
		return -ERANGE;
	*ret = value;
	return 0;
}

static int parse_real(const char *text, const struct unit *units, double *ret)
{
	const struct unit *unit;
	double value;
	char *end;

	if (!isdigit((unsigned char)text[0]) && text[0] != '.' && (units || text[0] != '-'))
		return -EINVAL;
	value = strtod(text, &end);
	if (end == text || !isfinite(value))
		return -EINVAL;
	if (!units) {
		*ret = value;
		return *end ? -EINVAL : 0;
	}
	unit = unit_find(units, end);
	if (!unit)
		return -EINVAL;
	if (value * unit->factor >= 0x1p63)
		return -ERANGE;
	*ret = value * unit->factor;
	return 0;
}

static int parse_duration(const char *text, uint64_t *ret)
{
	double ns = 0;
	int code = parse_real(text, duration_units, &ns);

	if (!code)
		*ret = (uint64_t)(ns + 0.5);
	return code;
}

int option_parse_number(enum option_type type, const char *text, void *ret, struct err *err)
{
	const char *expected = "a number";
	int code;

	switch (type) {
	case OPT_UINT:
	case OPT_SIZE:
		expected = type == OPT_SIZE ? "a size such as 512, 64K or 1M" : "a whole number";
		code = parse_whole(type, text, ret);
		break;
	case OPT_DURATION:
		expected = "a time such as 30s, 500ms or 2m";
		code = parse_duration(text, ret);
		break;
	default:
		code = parse_real(text, NULL, ret);
		break;
	}
	if (!code && type == OPT_DURATION && !*(uint64_t *)ret) {
		code = -EINVAL;
		expected = "a time above 0";
	}
	if (code == -ERANGE)
		return err_set(err, -EINVAL, "invalid value '%.60s': too large", text);
	if (code)
		return err_set(err, -EINVAL, "invalid value '%.60s': expected %s", text, expected);
	return 0;
}

void option_list_add(struct option_list *list, const char *item)
{
	if ((list->count & (list->count - 1)) == 0) /* full at every power of two */
		list->item = mem_realloc(list->item,
					 (list->count ? list->count * 2 : 1) * sizeof(*list->item));
	list->item[list->count++] = item;
}

bool option_parse_plain(const char *text, uint64_t *ret)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*ret = strtoull(text, &end, 0);
	return !*end && !errno;
}

int option_bad_value(struct err *err, const char *value, const char *expected)
{
	return err_set(err, -EINVAL, "invalid value '%s': expected %s", value, expected);
}

int option_set_once(void *field, const char *value, bool negated, struct err *err)
{
	const char **text = field;

	if (*text && !negated)
		return err_set(err, -EINVAL, "given twice: give one list, as in %s,%s", *text,
			       value);
	*text = negated ? NULL : value;
	return 0;
}

int option_set_word(void *field, const char *value, const char *words, struct err *err)
{
	size_t len = strlen(value);
	struct buf list = { 0 };
	int position = 0;

	for (const char *w = words; *w; position++) {
		size_t word_len = strcspn(w, " ");

		if (word_len == len && memcmp(w, value, len) == 0) {
			*(int *)field = position;
			return 0;
		}
		w += word_len;
		w += *w == ' ';
	}
	for (const char *w = words; *w; w++)
		if (*w == ' ')
			(void)buf_puts(&list, ", ");
		else
			(void)buf_putc(&list, *w);
	(void)err_set(err, -EINVAL, "invalid value '%s': expected one of %s", value, list.data);
	buf_done(&list);
	return -EINVAL;
}
