/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profile → speedscope: one sampled profile per event and thread. Members named "cupel", which
 * speedscope ignores, hold facts that its format lacks. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "format/format.h"
#include "format/json/json_read.h"
#include "format/json/json_write.h"
#include "format/json/sample_groups.h"
#include "profile/profile.h"

struct speedscope_writer {
	const struct profile *profile;
	struct buf *out;
	struct sample_groups samples;
	VEC(frame_id) stack;
	bool written; /* a profile, so that the next needs a comma */
};

void json_put_frame_name(const struct profile *profile, const struct frame *frame, struct buf *ret)
{
	struct buf name = { 0 };

	if (frame->function.v) {
		(void)buf_put_json(ret, profile_string(profile, frame->function));
		return;
	}
	(void)buf_printf(
		&name, "[%s]",
		frame->module ? profile_string(profile, profile->modules.item[frame->module].name)
			      : "unknown");
	(void)buf_put_json(ret, name.data);
	buf_done(&name);
}

static void put_frame(struct speedscope_writer *w, const struct frame *frame)
{
	static const char *const kinds[] = { "user",  "kernel",	    "jit",	"interpreter",
					     "guest", "hypervisor", "separator" };
	const struct profile *p = w->profile;

	(void)buf_puts(w->out, "{\"name\":");
	json_put_frame_name(p, frame, w->out);
	if (frame->file.v) {
		(void)buf_puts(w->out, ",\"file\":");
		(void)buf_put_json(w->out, profile_string(p, frame->file));
	}
	if (frame->line)
		(void)buf_printf(w->out, ",\"line\":%u", frame->line);
	(void)buf_printf(w->out, ",\"cupel\":{\"kind\":\"%s\"", kinds[frame->kind]);
	if (frame->module) {
		(void)buf_puts(w->out, ",\"module\":");
		(void)buf_put_json(w->out, profile_string(p, p->modules.item[frame->module].path));
	}
	if (frame->inlined)
		(void)buf_puts(w->out, ",\"inlined\":true");
	if (!frame->function.v)
		(void)buf_puts(w->out, ",\"unnamed\":true");
	(void)buf_puts(w->out, "}}");
}

static void put_stack(struct speedscope_writer *w, stack_id stack)
{
	w->stack.count = 0;
	for (; stack.v; stack = w->profile->nodes.item[stack.v].parent)
		vec_push(&w->stack, w->profile->nodes.item[stack.v].frame);
	(void)buf_putc(w->out, '[');
	for (size_t i = w->stack.count; i-- > 0;) {
		(void)buf_put_u64(w->out, w->stack.item[i].v);
		if (i)
			(void)buf_putc(w->out, ',');
	}
	(void)buf_putc(w->out, ']');
}

void json_put_scaled(uint64_t value, uint64_t scale, struct buf *out)
{
	uint64_t rest = value % scale;

	(void)buf_put_u64(out, value / scale);
	if (rest)
		(void)buf_putc(out, '.');
	for (uint64_t unit = scale / 10; rest && unit; unit /= 10) {
		(void)buf_putc(out, (char)('0' + rest / unit));
		rest %= unit;
	}
}

enum column { STACKS, WEIGHTS, COUNTS, TIMES };

static void put_column(struct speedscope_writer *w, uint32_t first, enum column column)
{
	const struct profile *p = w->profile;

	(void)buf_putc(w->out, '[');
	for (uint32_t at = first; at; at = w->samples.next[at - 1]) {
		const struct profile_sample *s = &p->samples.item[at - 1];
		uint32_t scale = p->events.item[s->event].scale;

		if (at != first)
			(void)buf_putc(w->out, ',');
		if (column == STACKS)
			put_stack(w, s->stack);
		else if (column == WEIGHTS)
			json_put_scaled(s->weight, scale ? scale : 1, w->out);
		else
			(void)buf_put_u64(w->out, column == COUNTS ? s->count : s->time_ns);
	}
	(void)buf_putc(w->out, ']');
}

static void put_name(struct speedscope_writer *w, const struct profile_event *event,
		     const struct profile_thread *thread)
{
	struct buf name = { 0 };
	const char *comm = profile_string(w->profile, thread->comm);

	(void)buf_puts(&name, *comm ? comm : "all");
	if (thread->pid != PROFILE_NO_ID)
		(void)buf_printf(&name, " %u", thread->pid);
	if (thread->tid != PROFILE_NO_ID)
		(void)buf_printf(&name, "/%u", thread->tid);
	if (w->profile->events.count > 1)
		(void)buf_printf(&name, " (%s)", profile_string(w->profile, event->name));
	(void)buf_put_json(w->out, name.data);
	buf_done(&name);
}

static void put_extra(struct speedscope_writer *w, const struct profile_event *event,
		      const struct profile_thread *thread, uint32_t first)
{
	(void)buf_puts(w->out, ",\"cupel\":{\"event\":");
	(void)buf_put_json(w->out, profile_string(w->profile, event->name));
	(void)buf_puts(w->out, ",\"unit\":");
	(void)buf_put_json(w->out, profile_string(w->profile, event->unit));
	(void)buf_puts(w->out, ",\"comm\":");
	(void)buf_put_json(w->out, profile_string(w->profile, thread->comm));
	if (thread->pid != PROFILE_NO_ID)
		(void)buf_printf(w->out, ",\"pid\":%u", thread->pid);
	if (thread->tid != PROFILE_NO_ID)
		(void)buf_printf(w->out, ",\"tid\":%u", thread->tid);
	if (event->scale > 1)
		(void)buf_printf(w->out, ",\"scale\":%u", event->scale);
	(void)buf_puts(w->out, ",\"counts\":");
	put_column(w, first, COUNTS);
	if (w->profile->keep & PROFILE_KEEP_TIME) {
		(void)buf_puts(w->out, ",\"times\":");
		put_column(w, first, TIMES);
	}
	(void)buf_putc(w->out, '}');
}

static void put_profile(struct speedscope_writer *w, const struct sample_group *group)
{
	const struct profile_event *event = &w->profile->events.item[group->event];
	const struct profile_thread *thread = &w->profile->threads.item[group->thread.v];

	(void)buf_puts(w->out, w->written ? ",\n{\"type\":\"sampled\",\"name\":"
					  : "\n{\"type\":\"sampled\",\"name\":");
	w->written = true;
	put_name(w, event, thread);
	(void)buf_printf(w->out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":",
			 event->unit_type == EVENT_UNIT_NS	? "nanoseconds"
			 : event->unit_type == EVENT_UNIT_BYTES ? "bytes"
								: "none");
	json_put_scaled(group->weight, event->scale ? event->scale : 1, w->out);
	(void)buf_puts(w->out, ",\"samples\":");
	put_column(w, group->first, STACKS);
	(void)buf_puts(w->out, ",\"weights\":");
	put_column(w, group->first, WEIGHTS);
	put_extra(w, event, thread, group->first);
	(void)buf_putc(w->out, '}');
}

static int speedscope_write(const struct profile *profile,
			    const struct format_write_options *options, struct buf *ret,
			    struct err *err)
{
	struct speedscope_writer w = { .profile = profile, .out = ret };
	size_t before = ret->len;

	(void)options; /* names stay as they are */
	sample_groups_make(profile, &w.samples);
	(void)buf_puts(ret, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
			    "\"exporter\":\"cupel\",\"shared\":{\"frames\":[");
	for (size_t i = 0; i < profile->frames.count; i++) {
		(void)buf_puts(ret, i ? ",\n" : "\n");
		put_frame(&w, &profile->frames.item[i]);
	}
	(void)buf_puts(ret, "]},\"profiles\":[");
	for (size_t i = 0; i < w.samples.groups.count; i++)
		put_profile(&w, &w.samples.groups.item[i]);
	(void)buf_puts(ret, "]}\n");
	sample_groups_done(&w.samples);
	vec_done(&w.stack);
	return ret->len > before ? 0 : err_set(err, -E2BIG, "the output is too large");
}

const struct format_ops format_speedscope = {
	.name = "speedscope",
	.suffix = ".speedscope.json",
	.help = "speedscope's JSON format",
	.is_json = speedscope_is_json,
	.read_json = speedscope_read,
	.write = speedscope_write,
	.keep = PROFILE_KEEP_TIME,
};
