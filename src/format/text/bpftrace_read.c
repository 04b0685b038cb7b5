/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpftrace's maps that have stacks as keys → profile:
 *     @name[
 *         leaf+12
 *         root+3
 *     , bash, 12]: 34
 * Kernel and user stacks are read as if the kernel's came first, as in @[kstack, ustack]. A key
 * that is a word names the thread. Maps without stacks and histograms are passed over. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/vec.h"
#include "format/format.h"
#include "format/input.h"
#include "format/text/text.h"
#include "profile/sample_weight.h"

#define MAX_FRAMES 65536

struct bpftrace_reader {
	struct profile *profile;
	struct profile_sample sample;
	VEC(struct slice) frames; /* leaf first */
};

static struct slice cut_offset(struct slice name)
{
	size_t at = name.len;

	while (at && name.s[at - 1] >= '0' && name.s[at - 1] <= '9')
		at--;
	if (at > 1 && at < name.len && name.s[at - 1] == '+')
		name.len = at - 1;
	return name;
}

/* The word among the keys that follow the stacks: ", bash, 12". */
static struct slice comm_of(struct slice keys)
{
	struct slice comm = { 0 };

	while (keys.len && !comm.len) {
		struct slice word = text_trim(text_cut(&keys, ','));
		uint64_t number;

		if (word.len && !text_number(word, 1, &number))
			comm = word;
	}
	return comm;
}

/* ", bash]: 34". False if that is not a number. */
static bool end_entry(struct bpftrace_reader *r, struct slice line)
{
	const char *end = memmem(line.s, line.len, "]: ", 3);
	struct slice keys = { line.s, (size_t)(end - line.s) }, comm = comm_of(keys);
	struct slice value = { end + 3, line.len - keys.len - 3 };
	struct strtab *strings = r->profile->strings;
	stack_id stack = STACK_EMPTY;
	uint64_t number;

	if (!text_number(text_trim(value), 1, &number))
		return false;
	for (size_t i = r->frames.count; i-- > 0;)
		stack = profile_stack_push(r->profile, stack,
					   text_frame(r->profile, cut_offset(r->frames.item[i])));
	r->sample.thread = profile_thread(
		r->profile, PROFILE_NO_ID, PROFILE_NO_ID,
		strtab_get(strings, strtab_intern(strings, comm.s ? comm.s : "", comm.len)));
	r->sample.stack = profile_stack_or_unknown(r->profile, stack);
	r->sample.weight = r->sample.count = number;
	if (number && r->frames.count)
		profile_add(r->profile, &r->sample);
	return true;
}

static void begin_entry(struct bpftrace_reader *r, struct slice line)
{
	struct slice name = { line.s + 1, line.len - 2 };
	struct strtab *strings = r->profile->strings;

	r->frames.count = 0;
	r->sample.event = profile_event(
		r->profile,
		name.len ? strtab_get(strings, strtab_intern(strings, name.s, name.len))
			 : "samples",
		"");
}

static bool begins(struct slice line)
{
	return line.len > 1 && line.s[0] == '@' && line.s[line.len - 1] == '[';
}

static int bpftrace_read(struct input *input, const struct format_read_options *options,
			 struct profile *profile, struct err *err)
{
	struct bpftrace_reader r = { .profile = profile };
	struct slice text, line;
	const uint8_t *data;
	bool open = false;
	int code = input_map(input, &data, &text.len, err);

	(void)options;
	if (code)
		return code;
	text.s = (const char *)data;
	r.sample = (struct profile_sample){ .cpu = PROFILE_NO_CPU };
	while (text_line(&text, &line)) {
		struct slice trimmed = text_trim(line);

		if (begins(line)) {
			begin_entry(&r, line);
			open = true;
		} else if (open && text_has(line, "]: ")) {
			profile->meta.unknown_records += !end_entry(&r, line);
			open = false;
		} else if (open && trimmed.len && trimmed.s[0] != ',' &&
			   r.frames.count < MAX_FRAMES) {
			vec_push(&r.frames, trimmed);
		}
	}
	for (uint16_t i = 0; i < profile->events.count; i++)
		profile_find_sample_weight(profile, i, NULL);
	vec_done(&r.frames);
	return 0;
}

static int bpftrace_sniff(const uint8_t *head, size_t len)
{
	struct slice text = { (const char *)head, len }, line;
	bool open = false;

	for (size_t i = 0; i < 2000 && text_line(&text, &line); i++) {
		if (open && text_has(line, "]: "))
			return 2;
		open = begins(line) || (open && line.len && strchr(" \t,", line.s[0]));
	}
	return 0;
}

const struct format_ops format_bpftrace = {
	.name = "bpftrace",
	.help = "bpftrace's maps with stacks as keys",
	.sniff = bpftrace_sniff,
	.read = bpftrace_read,
};
