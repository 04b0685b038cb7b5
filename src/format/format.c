/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registry of formats (see format.h), made of formats.def. */
#include "format/format.h"

#include <string.h>

#include "base/buf.h"

#define FORMAT(name) &format_##name,
static const struct format_ops *const formats[] = {
#include "format/formats.def"
	NULL,
};

const struct format_ops *const *format_all(void)
{
	return formats;
}

/* Pictures and pages contain style sheets and scripts with lines of any form. */
static bool is_markup(const uint8_t *head, size_t len)
{
	return len >= 2 && head[0] == '<' && memchr("?!hs", head[1], 4);
}

const struct format_ops *format_sniff(const uint8_t *head, size_t len)
{
	const struct format_ops *best = NULL;
	int best_sure =
		is_markup(head, len); /* then only a format that recognises it with certainty */

	for (const struct format_ops *const *f = formats; *f; f++) {
		int sure = (*f)->sniff ? (*f)->sniff(head, len) : 0;

		if (sure > best_sure) {
			best_sure = sure;
			best = *f;
		}
	}
	return best;
}

static bool has_suffix(const char *path, const char *suffix)
{
	size_t len = strlen(path), n = suffix ? strlen(suffix) : 0;

	return n && len > n && strcmp(path + len - n, suffix) == 0;
}

const struct format_ops *format_find(const char *name_or_path)
{
	for (const struct format_ops *const *f = formats; *f; f++)
		if (strcmp((*f)->name, name_or_path) == 0)
			return *f;
	for (const struct format_ops *const *f = formats; *f; f++)
		if (has_suffix(name_or_path, (*f)->suffix))
			return *f;
	return NULL;
}

int format_read(const struct format_ops *format, struct input *input,
		const struct format_read_options *options, struct profile *profile, struct err *err)
{
	static const struct format_read_options usual;

	return format->read(input, options ? options : &usual, profile, err);
}

void format_put_writable(struct buf *ret)
{
	const char *last = NULL, *between = "";

	for (const struct format_ops *const *f = formats; *f; f++) {
		if (!(*f)->write)
			continue;
		if (last) {
			(void)buf_printf(ret, "%s%s", between, last);
			between = ", ";
		}
		last = (*f)->name;
	}
	(void)buf_printf(ret, " or %s", last);
}
