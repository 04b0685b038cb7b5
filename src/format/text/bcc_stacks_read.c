/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What BCC's tools with stacks print when they do not fold, and cupel's of the same names:
 * offcputime, wakeuptime, offwaketime, profile. A block has frames, names of threads with labels,
 * and last a number on its own, µs of waits or samples: schedule main
 *     -                bash (12)
 *         345
 * Stacks become what the tools' -f prints, thread names the root frame. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/vec.h"
#include "format/format.h"
#include "format/input.h"
#include "format/text/text.h"

#define MAX_LINES 65536 /* of a block */

struct label {
	struct slice name;
	size_t at; /* frames before it */
};

struct bcc_reader {
	struct profile *profile;
	struct profile_sample sample;
	uint64_t unit; /* of a number: ns, or 1 for samples */
	VEC(struct slice) frames;
	struct label sleeper, target, waker; /* name.s NULL = not in this block */
	size_t divider;			     /* frames before "--"; SIZE_MAX = none */
};

static bool is_number(struct slice line, uint64_t *ret)
{
	line = text_trim(line);
	for (size_t i = 0; i < line.len; i++)
		if (line.s[i] < '0' || line.s[i] > '9')
			return false;
	return text_number(line, 1, ret);
}

/* "LABEL            NAME", the name without a thread id behind it. */
static bool take_label(struct bcc_reader *r, struct slice line, const char *word, struct label *ret)
{
	size_t len = strlen(word), end;

	if (!text_starts(line, word) || line.len <= len || line.s[len] != ' ')
		return false;
	line = text_trim((struct slice){ line.s + len, line.len - len });
	end = line.len;
	while (end && strchr("0123456789()", line.s[end - 1]) && line.s[end - 1])
		end--;
	if (end > 1 && end < line.len && line.s[end - 1] == ' ')
		line.len = end - 1;
	*ret = (struct label){ text_trim(line), r->frames.count };
	return true;
}

static void take_line(struct bcc_reader *r, struct slice line)
{
	struct label divider;

	line = text_trim(line);
	if (!line.len || take_label(r, line, "-", &r->sleeper) ||
	    take_label(r, line, "target:", &r->target) || take_label(r, line, "waker:", &r->waker))
		return;
	if (take_label(r, line, "--", &divider))
		r->divider = r->frames.count;
	else if (r->frames.count < MAX_LINES && !text_starts(line, "--") &&
		 !(line.len == 1 && line.s[0] == '-')) /* user and kernel part */
		vec_push(&r->frames, line);
}

/* Frames of the block from one to another, in that order. */
static stack_id push(struct bcc_reader *r, stack_id stack, size_t from, size_t to)
{
	for (size_t i = from; i != to; i += from < to ? 1 : (size_t)-1)
		stack = profile_stack_push(
			r->profile, stack,
			text_frame(r->profile, r->frames.item[from < to ? i : i - 1]));
	return stack;
}

static stack_id push_word(struct bcc_reader *r, stack_id stack, struct slice word)
{
	return profile_stack_push(r->profile, stack, text_frame(r->profile, word));
}

static void end_block(struct bcc_reader *r, uint64_t number)
{
	struct slice thread = r->sleeper.name;
	stack_id stack = STACK_EMPTY;
	size_t count = r->frames.count;

	if (r->divider != SIZE_MAX && r->target.name.s) { /* offwaketime: the waker comes first */
		thread = r->target.name;
		stack = push(r, stack, count, r->divider);
		stack = push_word(r, stack, (struct slice){ "--", 2 });
		stack = push(r, stack, r->divider, 0);
		stack = push_word(r, stack, r->waker.name);
	} else if (r->target.name.s) { /* wakeuptime */
		thread = r->waker.name;
		stack = push_word(r, push(r, stack, count, 0), r->target.name);
	} else {
		stack = push(r, stack, count, 0);
	}
	r->sample.thread =
		profile_thread(r->profile, PROFILE_NO_ID, PROFILE_NO_ID,
			       strtab_get(r->profile->strings,
					  strtab_intern(r->profile->strings,
							thread.s ? thread.s : "", thread.len)));
	r->sample.stack = profile_stack_or_unknown(r->profile, stack);
	r->sample.weight = number * r->unit;
	r->sample.count = r->unit == 1 ? number : 1;
	if (number && (!r->unit || number < UINT64_MAX / r->unit))
		profile_add(r->profile, &r->sample);
}

static int bcc_stacks_read(struct input *input, const struct format_read_options *options,
			   struct profile *profile, struct err *err)
{
	struct bcc_reader r = { .profile = profile, .divider = SIZE_MAX };
	struct slice text, line;
	const uint8_t *data;
	uint64_t number;
	int code = input_map(input, &data, &text.len, err);

	(void)options;
	if (code)
		return code;
	text.s = (const char *)data;
	r.unit = text_has(text, "Sampling at ") ? 1 : 1000;
	r.sample = text_sample(profile, r.unit == 1 ? "samples" : "off-cpu",
			       r.unit == 1 ? "samples" : "ns");
	while (text_line(&text, &line)) {
		bool block = r.sleeper.name.s || r.target.name.s;

		if (block && is_number(line, &number))
			end_block(&r, number);
		else if (line.len && line.s[0] == ' ') {
			take_line(&r, line);
			continue;
		}
		r.sleeper = r.target = r.waker = (struct label){ 0 };
		r.divider = SIZE_MAX;
		r.frames.count = 0;
	}
	vec_done(&r.frames);
	return 0;
}

/* A line with a label in front of a number on its own. */
static int bcc_stacks_sniff(const uint8_t *head, size_t len)
{
	struct slice text = { (const char *)head, len }, line;
	struct bcc_reader r = { 0 };
	struct label label = { 0 };
	uint64_t number;
	bool last = false;

	for (size_t i = 0; i < 2000 && text_line(&text, &line); i++) {
		bool indented = text_starts(line, "    ");

		if (last && text_starts(line, "        ") && is_number(line, &number))
			return 2;
		line = text_trim(line);
		last = indented && (take_label(&r, line, "-", &label) ||
				    take_label(&r, line, "target:", &label) ||
				    take_label(&r, line, "waker:", &label));
	}
	return 0;
}

const struct format_ops format_bcc_stacks = {
	.name = "bcc-stacks",
	.help = "stacks that offcputime, wakeuptime, offwaketime and BCC's profile print unfolded",
	.sniff = bcc_stacks_sniff,
	.read = bcc_stacks_read,
};
