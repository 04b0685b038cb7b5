/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call trees in CSV → profile. VTune: "Function Stack,CPU Time:Self,Module", the depth of a line
 * being the blanks in front of its function, time in seconds. Visual Studio: "Level,Function
 * Name,Number of Calls,…", weights being calls. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "format/format.h"
#include "format/input.h"
#include "format/text/text.h"

#define NS_PER_S 1000000000u

/* Removes a field from the front; "" within quotes is a quote and stays unchanged. */
static struct slice cut_field(struct slice *rest)
{
	size_t at = 1;
	struct slice field;

	if (!rest->len || rest->s[0] != '"')
		return text_cut(rest, ',');
	while (at < rest->len &&
	       (rest->s[at] != '"' || (at + 1 < rest->len && rest->s[at + 1] == '"')))
		at += rest->s[at] == '"' ? 2 : 1;
	if (at > rest->len)
		at = rest->len;
	field = (struct slice){ rest->s + 1, at - 1 };
	*rest = (struct slice){ rest->s + at, rest->len - at };
	(void)text_cut(rest, ',');
	return field;
}

static size_t blanks_of(struct slice s)
{
	size_t n = 0;

	while (n < s.len && s.s[n] == ' ')
		n++;
	return n;
}

/* " main,0.015,prog.exe"; a quoted name has its blanks in front of the quote. */
static bool read_vtune(struct indented *tree, struct slice line)
{
	size_t depth = blanks_of(line);
	struct profile_sample sample = tree->sample;
	struct slice name, time, module;

	line = (struct slice){ line.s + depth, line.len - depth };
	name = cut_field(&line);
	depth += blanks_of(name);
	time = text_trim(cut_field(&line));
	module = tree->no_modules ? (struct slice){ 0 } : text_trim(cut_field(&line));
	if (!text_number(time, NS_PER_S, &sample.weight))
		return false;
	sample.stack = indented_push(tree, depth,
				     text_module_frame(tree->profile, module, text_trim(name)));
	if (sample.weight)
		profile_add(tree->profile, &sample);
	return true;
}

static bool read_visual_studio(struct indented *tree, struct slice line)
{
	struct slice level = cut_field(&line), name = cut_field(&line), calls = cut_field(&line);
	struct profile_sample sample = tree->sample;
	uint64_t depth;

	if (!text_number(level, 1, &depth) || depth > 65536 || !name.len ||
	    memchr(calls.s, '.', calls.len) || !text_number(calls, 1, &sample.weight))
		return false;
	if (depth == 0) { /* the program itself */
		indented_finish(tree);
		return true;
	}
	sample.stack = indented_push(tree, depth, text_frame(tree->profile, name));
	if (sample.weight)
		profile_add(tree->profile, &sample);
	return true;
}

static bool is_vtune(struct slice line)
{
	return text_starts(line, "Function Stack,CPU Time");
}

static bool is_visual_studio(struct slice line)
{
	if (text_starts(line, "\xef\xbb\xbf"))
		line = (struct slice){ line.s + 3, line.len - 3 };
	return text_starts(line, "Level,Function Name,Number of Calls");
}

static int call_csv_read(struct input *input, const struct format_read_options *options,
			 struct profile *profile, struct err *err)
{
	struct indented tree = { .profile = profile, .no_modules = options->no_modules };
	struct slice text, line;
	const uint8_t *data;
	bool vtune = false, found = false;
	int code = input_map(input, &data, &text.len, err);

	if (code)
		return code;
	text.s = (const char *)data;
	while (!found && text_line(&text, &line))
		found = (vtune = is_vtune(line)) || is_visual_studio(line);
	tree.sample = vtune ? text_sample(profile, "cpu-time", "ns")
			    : text_sample(profile, "calls", "calls");
	while (text_line(&text, &line))
		if (text_trim(line).len)
			profile->meta.unknown_records += vtune ? !read_vtune(&tree, line)
							       : !read_visual_studio(&tree, line);
	indented_finish(&tree);
	return found ? 0 : err_set(err, -EINVAL, "no header line with the call tree's columns");
}

static int call_csv_sniff(const uint8_t *head, size_t len)
{
	struct slice text = { (const char *)head, len }, line;

	for (size_t i = 0; i < 20 && text_line(&text, &line); i++)
		if (is_vtune(line) || is_visual_studio(line))
			return 2;
	return 0;
}

const struct format_ops format_call_csv = {
	.name = "call-csv",
	.help = "call trees in CSV: VTune, Visual Studio",
	.sniff = call_csv_sniff,
	.read = call_csv_read,
};
