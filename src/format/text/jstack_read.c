/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Thread dumps of the JVM (jstack, jcmd Thread.print, kill -3) → profile: a sample per thread and
 * dump, by what the thread did as events "runnable", "blocked", "waiting" and so on. A thread is
 *     "main" #1 prio=5 tid=0x1 nid=0x2 runnable [0x3]
 *        java.lang.Thread.State: RUNNABLE
 *     	at a.B.f(B.java:12)
 * with lines on locks among its frames. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/vec.h"
#include "format/format.h"
#include "format/input.h"
#include "format/text/text.h"

#define MAX_FRAMES 65536

struct jstack_reader {
	struct profile *profile;
	struct profile_sample sample;
	bool open;
	VEC(struct slice) frames; /* leaf first: "a.B.f(B.java:12)" */
};

static const struct {
	const char *state, *event;
} states[] = {
	{ "RUNNABLE", "runnable" }, { "BLOCKED", "blocked" },
	{ "WAITING", "waiting" },   { "TIMED_WAITING", "timed-waiting" },
	{ "NEW", "new" },	    { "TERMINATED", "terminated" },
};

static frame_id make_frame(struct profile *profile, struct slice at)
{
	struct slice rest = at, name = text_cut(&rest, '('), file;
	struct frame frame = { 0 };
	uint64_t line = 0;

	file = text_cut(&rest, ')');
	rest = file;
	file = text_cut(&rest, ':');
	if (rest.len && !text_number(rest, 1, &line))
		line = 0;
	frame.function = strtab_intern(profile->strings, name.s ? name.s : "", name.len);
	frame.file = strtab_intern(profile->strings, file.s ? file.s : "", file.len);
	frame.line = line < UINT32_MAX ? (uint32_t)line : 0;
	return profile_frame(profile, &frame);
}

static void end_thread(struct jstack_reader *r)
{
	stack_id stack = STACK_EMPTY;

	for (size_t i = r->frames.count; i-- > 0;)
		stack = profile_stack_push(r->profile, stack,
					   make_frame(r->profile, r->frames.item[i]));
	r->sample.stack = stack;
	if (r->open && stack.v)
		profile_add(r->profile, &r->sample);
	r->frames.count = 0;
	r->open = false;
}

static void begin_thread(struct jstack_reader *r, struct slice line)
{
	struct strtab *strings = r->profile->strings;
	struct slice name;

	(void)text_cut(&line, '"');
	name = text_cut(&line, '"');
	r->sample.thread = profile_thread(
		r->profile, PROFILE_NO_ID, PROFILE_NO_ID,
		strtab_get(strings, strtab_intern(strings, name.s ? name.s : "", name.len)));
}

/* Threads of the VM itself have no state, and no frames. */
static bool take_state(struct jstack_reader *r, struct slice line)
{
	static const char start[] = "java.lang.Thread.State: ";
	struct slice word;

	if (!text_starts(line, start))
		return false;
	line = (struct slice){ line.s + strlen(start), line.len - strlen(start) };
	word = text_cut(&line, ' ');
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (word.len == strlen(states[i].state) &&
		    memcmp(word.s, states[i].state, word.len) == 0) {
			r->sample.event = profile_event(r->profile, states[i].event, "samples");
			r->open = true;
		}
	return true;
}

static int jstack_read(struct input *input, const struct format_read_options *options,
		       struct profile *profile, struct err *err)
{
	struct jstack_reader r = { .profile = profile };
	struct slice text, line;
	const uint8_t *data;
	int code = input_map(input, &data, &text.len, err);

	(void)options;
	if (code)
		return code;
	text.s = (const char *)data;
	r.sample = text_sample(profile, "runnable", "samples"); /* always the first event */
	while (text_line(&text, &line)) {
		struct slice trimmed = text_trim(line);

		if (text_starts(line, "\"")) {
			end_thread(&r);
			begin_thread(&r, line);
		} else if (!take_state(&r, trimmed) && text_starts(trimmed, "at ") &&
			   r.frames.count < MAX_FRAMES) {
			vec_push(&r.frames, ((struct slice){ trimmed.s + 3, trimmed.len - 3 }));
		}
	}
	end_thread(&r);
	vec_done(&r.frames);
	return 0;
}

static int jstack_sniff(const uint8_t *head, size_t len)
{
	struct slice text = { (const char *)head, len };

	return text_has(text, "\n   java.lang.Thread.State: ") ? 3 : 0;
}

const struct format_ops format_jstack = {
	.name = "jstack",
	.help = "thread dumps of the JVM",
	.sniff = jstack_sniff,
	.read = jstack_read,
};
