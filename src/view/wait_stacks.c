/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of waits as text and JSON (see wait_stacks.h). */
#include "view/wait_stacks.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "profile/waits/waits.h"

/* A stack with the innermost function first: the kernel's, then the program's. */
struct frames {
	VEC(frame_id) frame;
	size_t kernel;
};

struct writer {
	const struct profile *profile;
	const struct wait_stacks_options *options;
	struct buf *out;
	struct frames sleeper, waker;
	const char *separator; /* of a folded line: what comes before the next word */
};

static void unroll(const struct profile *profile, stack_id stack, struct frames *ret)
{
	ret->frame.count = ret->kernel = 0;
	for (; stack.v; stack = profile->nodes.item[stack.v].parent) {
		frame_id frame = profile->nodes.item[stack.v].frame;

		vec_push(&ret->frame, frame);
		if (profile->frames.item[frame.v].kind == FRAME_KERNEL)
			ret->kernel = ret->frame.count;
	}
}

static const char *name_of(const struct writer *writer, frame_id frame)
{
	const char *name =
		profile_string(writer->profile, writer->profile->frames.item[frame.v].function);

	return name[0] ? name : "[unknown]";
}

static const char *comm_of(const struct writer *writer, thread_id thread)
{
	if (thread.v == PROFILE_NO_ID)
		return "[unknown]"; /* a wait in progress, or without a recorded end */
	return profile_string(writer->profile, writer->profile->threads.item[thread.v].comm);
}

static uint32_t tid_of(const struct writer *writer, thread_id thread)
{
	uint32_t tid = thread.v == PROFILE_NO_ID ? 0 : writer->profile->threads.item[thread.v].tid;

	return tid == PROFILE_NO_ID ? 0 : tid;
}

/* A word of a folded line, in which semicolons are taken. */
static void put_word(struct writer *writer, const char *word)
{
	size_t at;

	(void)buf_puts(writer->out, writer->separator);
	at = writer->out->len;
	(void)buf_put_tidy(writer->out, word);
	for (; at < writer->out->len; at++)
		if (writer->out->data[at] == ';')
			writer->out->data[at] = ':';
	writer->separator = ";";
}

static bool needs_mark(const struct writer *writer, const struct frames *frames)
{
	return writer->options->delimited && frames->kernel && frames->kernel < frames->frame.count;
}

static void fold_outer_first(struct writer *writer, const struct frames *frames)
{
	for (size_t i = frames->frame.count; i-- > 0;) {
		if (i + 1 == frames->kernel && needs_mark(writer, frames))
			put_word(writer, "-");
		put_word(writer, name_of(writer, frames->frame.item[i]));
	}
}

static void fold_inner_first(struct writer *writer, const struct frames *frames)
{
	for (size_t i = 0; i < frames->frame.count; i++) {
		if (i == frames->kernel && needs_mark(writer, frames))
			put_word(writer, "-");
		put_word(writer, name_of(writer, frames->frame.item[i]));
	}
}

static void fold(struct writer *writer, enum waits_by by, const struct waits_row *row)
{
	writer->separator = "";
	if (by == WAITS_BY_WAKER) {
		put_word(writer, comm_of(writer, row->waker));
		fold_outer_first(writer, &writer->waker);
		put_word(writer, comm_of(writer, row->thread));
	} else {
		put_word(writer, comm_of(writer, row->thread));
		fold_outer_first(writer, &writer->sleeper);
	}
	if (by == WAITS_BY_BOTH) {
		put_word(writer, "--");
		fold_inner_first(writer, &writer->waker);
		put_word(writer, comm_of(writer, row->waker));
	}
	(void)buf_printf(writer->out, " %" PRIu64 "\n", row->ns / 1000);
}

static void put_line(struct writer *writer, const char *text)
{
	(void)buf_puts(writer->out, "    ");
	(void)buf_put_tidy(writer->out, text);
	(void)buf_putc(writer->out, '\n');
}

static void list_inner_first(struct writer *writer, const struct frames *frames, const char *mark)
{
	for (size_t i = 0; i < frames->frame.count; i++) {
		if (i == frames->kernel && needs_mark(writer, frames))
			put_line(writer, mark);
		put_line(writer, name_of(writer, frames->frame.item[i]));
	}
}

static void list_outer_first(struct writer *writer, const struct frames *frames)
{
	for (size_t i = frames->frame.count; i-- > 0;) {
		if (i + 1 == frames->kernel && needs_mark(writer, frames))
			put_line(writer, "-");
		put_line(writer, name_of(writer, frames->frame.item[i]));
	}
}

/* "    target:          NAME", with what follows the name. */
static void put_label(struct writer *writer, const char *label, const char *name)
{
	(void)buf_printf(writer->out, "    %-16s ", label);
	(void)buf_put_tidy(writer->out, name);
}

static void list(struct writer *writer, enum waits_by by, const struct waits_row *row)
{
	const char *comm = comm_of(writer, row->thread), *waker = comm_of(writer, row->waker);
	uint32_t tid = tid_of(writer, row->thread);

	if (by == WAITS_BY_SLEEPER) {
		list_inner_first(writer, &writer->sleeper, "--");
		put_label(writer, "-", comm);
		(void)buf_printf(writer->out, " (%" PRIu32 ")\n", tid);
	} else if (by == WAITS_BY_WAKER) {
		put_label(writer, "target:", comm);
		(void)buf_putc(writer->out, '\n');
		list_inner_first(writer, &writer->waker, "-");
		put_label(writer, "waker:", waker);
		(void)buf_putc(writer->out, '\n');
	} else {
		put_label(writer, "waker:", waker);
		if (row->waker.v != PROFILE_NO_ID)
			(void)buf_printf(writer->out, " %" PRIu32, tid_of(writer, row->waker));
		(void)buf_putc(writer->out, '\n');
		list_outer_first(writer, &writer->waker);
		put_label(writer, "--", "--");
		(void)buf_putc(writer->out, '\n');
		list_inner_first(writer, &writer->sleeper, "-");
		put_label(writer, "target:", comm);
		(void)buf_printf(writer->out, " %" PRIu32 "\n", tid);
	}
	(void)buf_printf(writer->out, "        %" PRIu64 "\n\n", row->ns / 1000);
}

static void writer_done(struct writer *writer)
{
	vec_done(&writer->sleeper.frame);
	vec_done(&writer->waker.frame);
}

void wait_stacks_text(const struct profile *profile, const struct waits *waits,
		      const struct wait_stacks_options *options, struct buf *ret)
{
	struct writer writer = { .profile = profile, .options = options, .out = ret };

	for (size_t i = 0; i < waits->row.count; i++) {
		const struct waits_row *row = &waits->row.item[i];

		unroll(profile, row->stack, &writer.sleeper);
		unroll(profile, row->waker_stack, &writer.waker);
		if (options->folded)
			fold(&writer, waits->by, row);
		else
			list(&writer, waits->by, row);
	}
	writer_done(&writer);
}

static void put_names(struct writer *writer, const char *key, const struct frames *frames,
		      size_t first, size_t end)
{
	(void)buf_printf(writer->out, ",\"%s\":[", key);
	for (size_t i = first; i < end; i++) {
		if (i > first)
			(void)buf_putc(writer->out, ',');
		(void)buf_put_json(writer->out, name_of(writer, frames->frame.item[i]));
	}
	(void)buf_putc(writer->out, ']');
}

static void put_side(struct writer *writer, thread_id thread, const struct frames *frames,
		     bool with_ids)
{
	(void)buf_puts(writer->out, "\"comm\":");
	(void)buf_put_json(writer->out, comm_of(writer, thread));
	if (with_ids)
		(void)buf_printf(writer->out, ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32,
				 writer->profile->threads.item[thread.v].pid,
				 tid_of(writer, thread));
	if (!frames)
		return;
	put_names(writer, "kernel", frames, 0, frames->kernel);
	put_names(writer, "user", frames, frames->kernel, frames->frame.count);
}

static void put_row(struct writer *writer, enum waits_by by, const struct waits_row *row)
{
	bool by_name = by == WAITS_BY_WAKER;

	unroll(writer->profile, row->stack, &writer->sleeper);
	unroll(writer->profile, row->waker_stack, &writer->waker);
	(void)buf_putc(writer->out, '{');
	put_side(writer, row->thread, by_name ? NULL : &writer->sleeper, !by_name);
	(void)buf_printf(writer->out, ",\"ns\":%" PRIu64, row->ns);
	if (by != WAITS_BY_SLEEPER && row->waker.v == PROFILE_NO_ID) {
		(void)buf_puts(writer->out, ",\"waker\":null");
	} else if (by != WAITS_BY_SLEEPER) {
		(void)buf_puts(writer->out, ",\"waker\":{");
		put_side(writer, row->waker, &writer->waker, !by_name);
		(void)buf_putc(writer->out, '}');
	}
	(void)buf_putc(writer->out, '}');
}

void wait_stacks_json(const struct profile *profile, const struct waits *waits,
		      const struct wait_stacks_options *options, struct buf *ret)
{
	struct writer writer = { .profile = profile, .options = options, .out = ret };

	(void)buf_puts(ret, "{\"cupel\":1,\"what\":");
	(void)buf_put_json(ret, options->what);
	(void)buf_printf(ret, ",\"total_ns\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"stacks\":[",
			 waits->ns, profile->meta.lost_events + profile->meta.lost_samples);
	for (size_t i = 0; i < waits->row.count; i++) {
		(void)buf_puts(ret, i ? ",\n" : "\n");
		put_row(&writer, waits->by, &waits->row.item[i]);
	}
	(void)buf_puts(ret, "]}\n");
	writer_done(&writer);
}
