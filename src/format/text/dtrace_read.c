/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DTrace's aggregated stacks → profile: frames leaf first, one per indented line, then a line with
 * only the count. stack() and ustack() in one key are two blocks with a blank line between.
 * Everything above the first frame is a header. Offsets are included on request. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/vec.h"
#include "format/format.h"
#include "format/input.h"
#include "format/text/text.h"

#define MAX_FRAMES 65536

struct dtrace_reader {
	struct profile *profile;
	struct profile_sample sample;
	bool offsets;
	VEC(struct slice) frames; /* leaf first */
};

static bool is_count(struct slice line, uint64_t *ret)
{
	line = text_trim(line);
	return line.len && !memchr(line.s, ',', line.len) && !memchr(line.s, '.', line.len) &&
	       text_number(line, 1, ret);
}

/* Without "+0x1f". */
static struct slice cut_offset(struct slice name)
{
	size_t at = name.len;

	while (at && strchr("0123456789abcdef", name.s[at - 1]) && name.s[at - 1])
		at--;
	if (at < name.len && at > 3 && memcmp(name.s + at - 3, "+0x", 3) == 0)
		name.len = at - 3;
	return name;
}

/* "a->b" of the JVM's ustack helper: b is inlined into a. */
static stack_id push_frame(struct profile *profile, stack_id stack, struct slice name)
{
	bool inlined = false;

	while (name.s && name.len) {
		const char *arrow = memmem(name.s, name.len, "->", 2);
		size_t len = arrow && !memchr(name.s, '(', name.len) ? (size_t)(arrow - name.s)
								     : name.len;
		struct frame frame = { .inlined = inlined };

		frame.function = text_name(profile, (struct slice){ name.s, len });
		if (len)
			stack = profile_stack_push(profile, stack, profile_frame(profile, &frame));
		inlined = true;
		len += len < name.len ? 2 : 0;
		name = (struct slice){ name.s + len, name.len - len };
	}
	return stack;
}

static void end_stack(struct dtrace_reader *r, uint64_t count)
{
	stack_id stack = STACK_EMPTY;

	for (size_t i = r->frames.count; i-- > 0;) /* the offset of a leaf is not that of a call */
		stack = push_frame(r->profile, stack,
				   r->offsets && i ? r->frames.item[i]
						   : cut_offset(r->frames.item[i]));
	r->sample.stack = stack;
	r->sample.weight = r->sample.count = count;
	if (count && r->frames.count)
		profile_add(r->profile, &r->sample);
	r->frames.count = 0;
}

static int dtrace_read(struct input *input, const struct format_read_options *options,
		       struct profile *profile, struct err *err)
{
	struct dtrace_reader r = { .profile = profile, .offsets = options->offsets };
	struct slice text, line;
	const uint8_t *data;
	uint64_t count;
	int code = input_map(input, &data, &text.len, err);

	if (code)
		return code;
	text.s = (const char *)data;
	r.sample = text_sample(profile, "samples", "samples");
	while (text_line(&text, &line)) {
		struct slice name = text_trim(line);

		if (!name.len)
			continue;
		if (is_count(line, &count))
			end_stack(&r, count);
		else if ((line.s[0] == ' ' || line.s[0] == '\t') && r.frames.count < MAX_FRAMES &&
			 (r.frames.count || memchr(name.s, '`', name.len) ||
			  text_starts(name, "0x")))
			vec_push(&r.frames, name);
		else if (r.frames.count)
			profile->meta.unknown_records++;
	}
	if (r.frames.count) /* cut off in front of its count */
		profile->meta.unknown_records++;
	vec_done(&r.frames);
	return 0;
}

static int dtrace_sniff(const uint8_t *head, size_t len)
{
	struct slice text = { (const char *)head, len }, line;
	size_t frames = 0, counts = 0;
	uint64_t count;

	for (size_t i = 0; i < 2000 && text_line(&text, &line); i++) {
		if (!line.len || (line.s[0] != ' ' && line.s[0] != '\t'))
			continue;
		if (is_count(line, &count))
			counts += frames > 0;
		else if (memchr(line.s, '`', line.len))
			frames++;
	}
	return frames && counts ? 2 : 0;
}

const struct format_ops format_dtrace = {
	.name = "dtrace",
	.help = "stacks aggregated by DTrace",
	.sniff = dtrace_sniff,
	.read = dtrace_read,
};
