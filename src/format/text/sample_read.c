/* SPDX-License-Identifier: GPL-2.0-or-later */
/* macOS sample's call graph → profile. A line's depth is the position of its number, after blanks
 * and the drawing of the tree. The number counts samples of the function and its callees:
 *     +   825 main  (in rg) + 41  [0x10384b549] */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "format/format.h"
#include "format/input.h"
#include "format/text/text.h"

static frame_id make_frame(const struct indented *tree, struct slice text)
{
	struct profile *profile = tree->profile;
	const char *in = memmem(text.s, text.len, "  (in ", 6);
	struct slice function = { text.s, in ? (size_t)(in - text.s) : text.len }, module = { 0 };
	const char *blanks;

	if (in) {
		module = (struct slice){ in + 6, text.len - (size_t)(in + 6 - text.s) };
		module = text_cut(&module, ')');
		if (module.len > 6 && memcmp(module.s + module.len - 6, ".dylib", 6) == 0)
			module.len -= 6;
		if (tree->no_modules)
			module.len = 0;
		return text_module_frame(profile, module, function);
	}
	blanks = memmem(text.s, text.len, "   ", 3); /* "Thread_1   DispatchQueue_1: …" */
	if (blanks && text_starts(text, "Thread_"))
		function.len = (size_t)(blanks - text.s);
	else if ((blanks = memmem(text.s, text.len, "  [0x", 5)))
		function.len = (size_t)(blanks - text.s);
	return text_frame(profile, function);
}

static bool read_line(struct indented *tree, struct slice line)
{
	size_t depth = 0, digits = 0;
	uint64_t count;

	while (depth < line.len && strchr(" +!:|", line.s[depth]) && line.s[depth])
		depth++;
	while (depth + digits < line.len && line.s[depth + digits] >= '0' &&
	       line.s[depth + digits] <= '9')
		digits++;
	if (!text_number((struct slice){ line.s + depth, digits }, 1, &count) ||
	    depth + digits >= line.len || line.s[depth + digits] != ' ')
		return false;
	line = (struct slice){ line.s + depth + digits + 1, line.len - depth - digits - 1 };
	indented_add(tree, depth, make_frame(tree, line), count);
	return true;
}

static int sample_read(struct input *input, const struct format_read_options *options,
		       struct profile *profile, struct err *err)
{
	struct indented tree = { .profile = profile,
				 .counts = true,
				 .no_modules = options->no_modules };
	struct slice text, line;
	const uint8_t *data;
	bool graph = false;
	int code = input_map(input, &data, &text.len, err);

	if (code)
		return code;
	text.s = (const char *)data;
	tree.sample = text_sample(profile, "samples", "samples");
	while (text_line(&text, &line)) {
		if (graph && (!text_trim(line).len || text_starts(line, "Total number")))
			break;
		if (graph)
			profile->meta.unknown_records += !read_line(&tree, line);
		graph |= text_starts(line, "Call graph:");
	}
	indented_finish(&tree);
	return graph ? 0 : err_set(err, -EINVAL, "no call graph in the report");
}

static int sample_sniff(const uint8_t *head, size_t len)
{
	struct slice text = { (const char *)head, len };

	return text_starts(text, "Analysis of sampling ") ||
			       (text_has(text, "\nCall graph:\n") && text_has(text, "  (in "))
		       ? 2
		       : 0;
}

const struct format_ops format_sample = {
	.name = "sample",
	.help = "report of macOS sample",
	.sniff = sample_sniff,
	.read = sample_read,
};
