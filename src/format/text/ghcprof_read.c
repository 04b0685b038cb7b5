/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GHC's time and allocation report (.prof) → profile. The second table is the call tree: one blank
 * of indentation per level; its last columns are ticks and bytes with +RTS -P, else there are only
 * percentages. Functions are "MODULE.COST-CENTRE". */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "format/format.h"
#include "format/input.h"
#include "format/text/text.h"

#define MAX_WORDS 64

struct ghc_reader {
	struct profile *profile;
	struct indented tree;
	uint16_t ticks, alloc, time; /* events; no ticks without exact */
	bool exact;		     /* ticks and bytes beside the percentages */
};

static size_t split(struct slice line, struct slice *word)
{
	size_t count = 0;

	for (line = text_trim(line); line.len && count < MAX_WORDS; line = text_trim(line))
		word[count++] = text_cut(&line, ' ');
	return count;
}

static frame_id make_frame(struct profile *profile, struct slice module, struct slice name)
{
	struct buf text = { 0 };
	frame_id ret;

	(void)buf_append(&text, module.s, module.len);
	(void)buf_putc(&text, '.');
	(void)buf_append(&text, name.s, name.len);
	ret = text_frame(profile, (struct slice){ text.data, text.len });
	buf_done(&text);
	return ret;
}

static void add(struct ghc_reader *r, stack_id stack, uint16_t event, uint64_t weight)
{
	struct profile_sample sample = r->tree.sample;

	sample.stack = stack;
	sample.event = event;
	sample.weight = weight;
	sample.count = r->exact && event == r->ticks ? weight : 1;
	if (weight)
		profile_add(r->profile, &sample);
}

/* COST-CENTRE MODULE SRC no. entries %time %alloc %time %alloc [ticks bytes] */
static bool read_line(struct ghc_reader *r, struct slice line)
{
	struct slice word[MAX_WORDS];
	size_t depth = 0, count = split(line, word), numbers = r->exact ? 8 : 6;
	struct slice *percent;
	uint64_t time, ticks, alloc;
	stack_id stack;

	if (count < numbers + 2)
		return false;
	percent = word + count - numbers + 2;
	if (!text_number(percent[0], 10, &time) || !text_number(percent[1], 10, &alloc))
		return false;
	if (r->exact &&
	    (!text_number(percent[4], 1, &ticks) || !text_number(percent[5], 1, &alloc)))
		return false;
	while (depth < line.len && line.s[depth] == ' ')
		depth++;
	stack = indented_push(&r->tree, depth, make_frame(r->profile, word[1], word[0]));
	if (r->exact)
		add(r, stack, r->ticks, ticks);
	add(r, stack, r->time, time);
	add(r, stack, r->alloc, alloc);
	return true;
}

/* The header of the second table; its last word determines the columns. */
static bool is_header(struct slice line)
{
	return text_starts(line, "COST CENTRE ") && text_has(line, " entries ");
}

static int ghcprof_read(struct input *input, const struct format_read_options *options,
			struct profile *profile, struct err *err)
{
	struct ghc_reader r = { .profile = profile, .tree = { .profile = profile } };
	struct slice text, line;
	const uint8_t *data;
	bool table = false;
	int code = input_map(input, &data, &text.len, err);

	(void)options;
	if (code)
		return code;
	text.s = (const char *)data;
	while (text_line(&text, &line)) {
		if (table && text_trim(line).len) {
			profile->meta.unknown_records += !read_line(&r, line);
		} else if (!table && is_header(line)) {
			table = true;
			r.exact = text_has(line, " ticks");
			r.tree.sample = r.exact ? text_sample(profile, "ticks", "samples")
						: text_sample(profile, "time", "0.1 %");
			r.ticks = r.tree.sample.event;
			r.alloc = profile_event(profile, "alloc", r.exact ? "bytes" : "0.1 %");
			r.time = profile_event(profile, "time", "0.1 %");
		}
	}
	indented_finish(&r.tree);
	return table ? 0 : err_set(err, -EINVAL, "no call tree in the report");
}

static int ghcprof_sniff(const uint8_t *head, size_t len)
{
	struct slice text = { (const char *)head, len };

	return text_has(text, "Time and Allocation Profiling Report") &&
			       text_has(text, "\nCOST CENTRE ")
		       ? 2
		       : 0;
}

const struct format_ops format_ghcprof = {
	.name = "ghcprof",
	.help = "GHC's .prof",
	.sniff = ghcprof_sniff,
	.read = ghcprof_read,
};
