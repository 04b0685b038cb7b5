/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which kind of flame graph it is (see picture.h). */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "format/format.h"
#include "format/input.h"
#include "format/picture/picture.h"
#include "format/text/text.h"
#include "profile/profile.h"

static int picture_sniff(const uint8_t *head, size_t len)
{
	struct slice text = { (const char *)head, len };

	if (!text_starts(text, "<?xml") && !text_starts(text, "<svg") &&
	    !text_starts(text, "<!DOCTYPE html>"))
		return 0;
	return text_has(text, "Flame graph stack visualization") || /* FlameGraph, inferno */
			       text_has(text, "http://github.com/jonhoo/inferno") ||
			       text_has(text, "<meta name=\"generator\" content=\"cupel ")
		       ? 2
		       : 0;
}

/* The element's text; empty when there is none. */
static struct slice find_data(struct slice text)
{
	static const char start[] = "id=\"flame-data\">";
	const char *at = memmem(text.s, text.len, start, sizeof(start) - 1), *end;

	if (!at)
		return (struct slice){ text.s, 0 };
	at += sizeof(start) - 1;
	end = memchr(at, '<', (size_t)(text.s + text.len - at));
	return (struct slice){ at, end ? (size_t)(end - at) : 0 };
}

static int picture_read(struct input *input, const struct format_read_options *options,
			struct profile *profile, struct err *err)
{
	struct slice text, packed;
	const uint8_t *data;
	int r = input_map(input, &data, &text.len, err);

	(void)options;
	if (r)
		return r;
	text.s = (const char *)data;
	packed = find_data(text);
	return packed.len ? flame_data_read(packed, profile, err)
			  : flame_boxes_read(text, profile, err);
}

const struct format_ops format_picture = {
	.name = "picture",
	.help = "flame graphs: SVG from cupel, FlameGraph or inferno, HTML from cupel",
	.sniff = picture_sniff,
	.read = picture_read,
};
