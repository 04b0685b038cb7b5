/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Instruments puts on the clipboard for a call tree ("deep copy") → profile: tab-separated
 * columns, the last the function with a blank per level, the first the weight of it and all below
 * as a rounded number with a unit: "2.45 s   0.0%", "96.08 Gc  100.0%", "429.93 MB". */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "format/format.h"
#include "format/input.h"
#include "format/text/text.h"

#define MILLI 1000u /* parts kept of fractions */

struct unit {
	const char *name;
	uint64_t factor;
	const char *event, *unit;
};

static const struct unit units[] = {
	{ "ms", 1000000, "time", "ns" },
	{ "\xc2\xb5s", 1000, "time", "ns" },
	{ "us", 1000, "time", "ns" },
	{ "ns", 1, "time", "ns" },
	{ "min", 60000000000, "time", "ns" },
	{ "s", 1000000000, "time", "ns" },
	{ "KB", 1024, "allocated", "bytes" },
	{ "MB", 1024 * 1024, "allocated", "bytes" },
	{ "GB", 1024 * 1024 * 1024, "allocated", "bytes" },
	{ "Bytes", 1, "allocated", "bytes" },
	{ "Kc", 1000, "cycles", "cycles" },
	{ "Mc", 1000000, "cycles", "cycles" },
	{ "Gc", 1000000000, "cycles", "cycles" },
	{ "c", 1, "cycles", "cycles" },
};

/* "2.45 s   0.0%" or "4273.0ms   99.9%". */
static const struct unit *parse_weight(struct slice cell, uint64_t *ret)
{
	size_t digits = 0;
	struct slice name;

	cell = text_trim(cell);
	while (digits < cell.len && strchr("0123456789.,", cell.s[digits]) && cell.s[digits])
		digits++;
	name = text_trim((struct slice){ cell.s + digits, cell.len - digits });
	name = text_cut(&name, ' ');
	if (!text_number((struct slice){ cell.s, digits }, MILLI, ret))
		return NULL;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (name.len == strlen(units[i].name) && text_starts(name, units[i].name) &&
		    !__builtin_mul_overflow(*ret, units[i].factor, ret)) {
			*ret /= MILLI;
			return &units[i];
		}
	return NULL;
}

static bool read_line(struct indented *tree, struct slice line)
{
	const char *tab = memrchr(line.s, '\t', line.len);
	const struct unit *unit;
	struct slice name, weight;
	uint64_t total;
	size_t depth = 0;

	if (!tab)
		return false;
	name = (struct slice){ tab + 1, (size_t)(line.s + line.len - (tab + 1)) };
	weight = text_cut(&line, '\t');
	while (depth < name.len && name.s[depth] == ' ')
		depth++;
	unit = parse_weight(weight, &total);
	if (!unit)
		return false;
	if (!tree->profile->events.count)
		tree->sample = text_sample(tree->profile, unit->event, unit->unit);
	indented_add(tree, depth, text_frame(tree->profile, text_trim(name)), total);
	return true;
}

static bool is_header(struct slice line)
{
	struct slice rest = line, first = text_cut(&rest, '\t');

	return text_has(rest, "Symbol Name") &&
	       (text_starts(first, "Weight") || text_starts(first, "Running Time") ||
		text_starts(first, "Bytes Used"));
}

/* Returns the text after the header; other lines may precede the header. */
static bool skip_to_tree(struct slice *text)
{
	struct slice line;

	for (size_t i = 0; i < 20 && text_line(text, &line); i++)
		if (is_header(line))
			return true;
	return false;
}

static int instruments_read(struct input *input, const struct format_read_options *options,
			    struct profile *profile, struct err *err)
{
	struct indented tree = { .profile = profile };
	struct slice text, line;
	const uint8_t *data;
	int code = input_map(input, &data, &text.len, err);

	(void)options;
	if (code)
		return code;
	text.s = (const char *)data;
	if (!skip_to_tree(&text))
		return err_set(err, -EINVAL, "no header line of a call tree");
	while (text_line(&text, &line))
		if (text_trim(line).len)
			profile->meta.unknown_records += !read_line(&tree, line);
	indented_finish(&tree);
	return 0;
}

static int instruments_sniff(const uint8_t *head, size_t len)
{
	struct slice text = { (const char *)head, len };

	return skip_to_tree(&text) ? 2 : 0;
}

const struct format_ops format_instruments = {
	.name = "instruments",
	.help = "call tree copied from Instruments",
	.sniff = instruments_sniff,
	.read = instruments_read,
};
