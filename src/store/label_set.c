/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labels (see label_set.h). */
#include "store/label_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool label_name_is_valid(const char *name, size_t len)
{
	if (!len || len > LABEL_NAME_MAX || !is_letter(name[0]))
		return false;
	for (size_t i = 1; i < len; i++)
		if (!is_letter(name[i]) && name[i] != '.' && !(name[i] >= '0' && name[i] <= '9'))
			return false;
	return true;
}

/* Where the name is, or would be. */
static size_t place_of(const struct label_set *set, const char *name, bool *found)
{
	size_t i = 0;
	int order = -1;

	while (i < set->labels.count && (order = strcmp(set->labels.item[i].name, name)) < 0)
		i++;
	*found = i < set->labels.count && order == 0;
	return i;
}

static void remove_at(struct label_set *set, size_t at)
{
	free(set->labels.item[at].name);
	free(set->labels.item[at].value);
	memmove(&set->labels.item[at], &set->labels.item[at + 1],
		(set->labels.count - at - 1) * sizeof(*set->labels.item));
	set->labels.count--;
}

static char *copy_value(const char *value)
{
	size_t len = strnlen(value, LABEL_VALUE_MAX);
	char *copy = mem_zalloc(len + 1);

	memcpy(copy, value, len);
	text_tidy(copy, len);
	return copy;
}

bool label_set_put(struct label_set *set, const char *name, const char *value)
{
	bool found;
	size_t at = place_of(set, name, &found);

	if (!*value) {
		if (found)
			remove_at(set, at);
		return true;
	}
	if (found) {
		free(set->labels.item[at].value);
		set->labels.item[at].value = copy_value(value);
		return true;
	}
	if (set->labels.count >= LABELS_MAX || !label_name_is_valid(name, strlen(name)))
		return false;
	vec_reserve(&set->labels, 1);
	memmove(&set->labels.item[at + 1], &set->labels.item[at],
		(set->labels.count - at) * sizeof(*set->labels.item));
	set->labels.count++;
	set->labels.item[at] = (struct label){ mem_strdup(name), copy_value(value) };
	return true;
}

int label_set_put_text(struct label_set *set, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');
	char name[LABEL_NAME_MAX + 1];
	size_t len = equals ? (size_t)(equals - text) : 0;

	if (!equals)
		return err_usage(err, "%s: expected NAME=VALUE", text);
	if (!label_name_is_valid(text, len))
		return err_usage(err, "%s: invalid name of a label (letters, digits, _ and .)",
				 text);
	memcpy(name, text, len);
	name[len] = '\0';
	if (strcmp(name, "event") == 0)
		return err_usage(err, "%s: the samples' own event is this label", text);
	if (strlen(equals + 1) > LABEL_VALUE_MAX)
		return err_usage(err, "label %s: the value is longer than %d bytes", name,
				 LABEL_VALUE_MAX);
	if (!label_set_put(set, name, equals + 1))
		return err_usage(err, "%s: more than %d labels", text, LABELS_MAX);
	return 0;
}

void label_set_put_all(struct label_set *set, const struct label_set *from)
{
	for (size_t i = 0; i < from->labels.count; i++)
		(void)label_set_put(set, from->labels.item[i].name, from->labels.item[i].value);
}

const char *label_set_get(const struct label_set *set, const char *name)
{
	bool found;
	size_t at = place_of(set, name, &found);

	return found ? set->labels.item[at].value : "";
}

void label_set_text(const struct label_set *set, struct buf *ret)
{
	(void)buf_putc(ret, '{');
	for (size_t i = 0; i < set->labels.count; i++) {
		(void)buf_printf(ret, "%s%s=\"", i ? ", " : "", set->labels.item[i].name);
		for (const char *c = set->labels.item[i].value; *c; c++) {
			if (*c == '"' || *c == '\\')
				(void)buf_putc(ret, '\\');
			(void)buf_putc(ret, *c);
		}
		(void)buf_putc(ret, '"');
	}
	(void)buf_putc(ret, '}');
}

void label_set_clear(struct label_set *set)
{
	while (set->labels.count)
		remove_at(set, set->labels.count - 1);
}

void label_set_done(struct label_set *set)
{
	label_set_clear(set);
	vec_done(&set->labels);
}
