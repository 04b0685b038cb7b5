/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Valgrind's massif → profile: the heap at its peak, else at the last snapshot in detail. A
 * snapshot is a tree from the allocator outwards, each line with the bytes of all below it: n1: 120
 * (heap allocation functions) malloc/new/new[], --alloc-fns, etc. n1: 120 0x4005BB: f (a.c:12) n0:
 * 120 0x4005CC: main (a.c:20) What is below massif's threshold is weight of the frame above. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "format/format.h"
#include "format/input.h"
#include "format/text/text.h"

#define MAX_DEPTH 65536

struct massif_node {
	size_t depth;
	uint64_t bytes, below; /* all; of the listed callers */
	frame_id frame;
};

struct massif_reader {
	struct profile *profile;
	struct profile_sample sample;
	VEC(struct massif_node) open;
};

/* "0x4005BB: f (a.c:12)", or "(in /bin/a)" for what has no lines. */
static frame_id make_frame(struct profile *profile, struct slice text)
{
	const char *paren = text.len ? memrchr(text.s, '(', text.len) : NULL;
	struct slice place = { 0 }, file;
	struct frame frame = { 0 };
	uint64_t line = 0;

	if (text_starts(text, "0x")) {
		(void)text_cut(&text, ':');
		text = text_trim(text);
	}
	if (paren && paren > text.s && text.s[text.len - 1] == ')') {
		place = (struct slice){ paren + 1, (size_t)(text.s + text.len - paren) - 2 };
		text.len = (size_t)(paren - text.s);
	}
	text = text_trim(text);
	frame.function = strtab_intern(profile->strings, text.s ? text.s : "", text.len);
	if (text_starts(place, "in ")) {
		string_id path = strtab_intern(profile->strings, place.s + 3, place.len - 3);

		frame.module = profile_module(profile, strtab_get(profile->strings, path), "");
	} else if (place.len) {
		file = text_cut(&place, ':');
		frame.file = strtab_intern(profile->strings, file.s, file.len);
		frame.line = text_number(place, 1, &line) && line < UINT32_MAX ? (uint32_t)line : 0;
	}
	return profile_frame(profile, &frame);
}

/* The outermost caller that is known is the innermost line. */
static void close_nodes(struct massif_reader *r, size_t depth)
{
	while (r->open.count && vec_last(&r->open)->depth >= depth) {
		struct massif_node node = *vec_last(&r->open);

		r->sample.stack = STACK_EMPTY;
		for (size_t i = r->open.count; i-- > 0;)
			r->sample.stack = profile_stack_push(r->profile, r->sample.stack,
							     r->open.item[i].frame);
		r->sample.weight = node.bytes > node.below ? node.bytes - node.below : 0;
		r->sample.count = 1;
		if (r->sample.weight)
			profile_add(r->profile, &r->sample);
		r->open.count--;
	}
}

/* Blanks, "nN: BYTES ", and what it is. */
static bool take_node(struct massif_reader *r, struct slice line)
{
	struct massif_node node = { 0 };
	struct slice word;

	while (node.depth < line.len && line.s[node.depth] == ' ')
		node.depth++;
	line = text_trim(line);
	if (!text_starts(line, "n"))
		return false;
	(void)text_cut(&line, ':');
	line = text_trim(line);
	word = text_cut(&line, ' ');
	if (!text_number(word, 1, &node.bytes) || node.depth > MAX_DEPTH)
		return false;
	close_nodes(r, node.depth);
	if (text_has(line, "below massif's threshold"))
		return true;
	if (text_starts(line, "(heap allocation"))
		line = (struct slice){ "malloc", 6 };
	node.frame = make_frame(r->profile, line);
	if (r->open.count)
		vec_last(&r->open)->below += node.bytes;
	vec_push(&r->open, node);
	return true;
}

/* The tree to read: behind "heap_tree=peak", else the last "heap_tree=detailed". */
static struct slice find_tree(struct slice text)
{
	static const char peak[] = "heap_tree=peak\n", detailed[] = "heap_tree=detailed\n";
	const char *at = memmem(text.s, text.len, peak, strlen(peak)), *next;
	struct slice rest = text;

	if (at) {
		at += strlen(peak);
		return (struct slice){ at, (size_t)(text.s + text.len - at) };
	}
	while ((next = rest.len ? memmem(rest.s, rest.len, detailed, strlen(detailed)) : NULL)) {
		at = next + strlen(detailed);
		rest = (struct slice){ at, (size_t)(text.s + text.len - at) };
	}
	return at ? rest : (struct slice){ text.s, 0 };
}

static int massif_read(struct input *input, const struct format_read_options *options,
		       struct profile *profile, struct err *err)
{
	struct massif_reader r = { .profile = profile };
	struct slice text, line;
	const uint8_t *data;
	int code = input_map(input, &data, &text.len, err);

	(void)options;
	if (code)
		return code;
	text.s = (const char *)data;
	text = find_tree(text);
	if (!text.len)
		return err_set(err, -ENODATA, "no snapshot has a tree of the heap");
	r.sample = text_sample(profile, "heap", "bytes");
	while (text_line(&text, &line) && !text_starts(line, "#"))
		if (text_trim(line).len)
			profile->meta.unknown_records += !take_node(&r, line);
	close_nodes(&r, 0);
	vec_done(&r.open);
	return 0;
}

static int massif_sniff(const uint8_t *head, size_t len)
{
	struct slice text = { (const char *)head, len };

	return text_starts(text, "desc: ") && text_has(text, "\ntime_unit: ") &&
			       text_has(text, "\nsnapshot=")
		       ? 3
		       : 0;
}

const struct format_ops format_massif = {
	.name = "massif",
	.help = "heap at its peak, of Valgrind's massif",
	.sniff = massif_sniff,
	.read = massif_read,
};
