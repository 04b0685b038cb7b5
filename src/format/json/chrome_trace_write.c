/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profile → Chrome trace events, for Perfetto and chrome://tracing. The samples of a thread are
 * laid out one behind the other, each as wide as its weight (1 ns, else 1 µs per unit), and equal
 * neighbours are joined into spans. So weights and stacks are kept; the time between samples and
 * their number are not. "cat" is the event's name. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "format/format.h"
#include "format/json/json_read.h"
#include "format/json/json_write.h"
#include "format/json/sample_groups.h"
#include "profile/profile.h"

#define NO_FRAME UINT32_MAX

struct trace_writer {
	const struct profile *profile;
	struct buf *out;
	struct sample_groups samples;
	const struct sample_group *group; /* at hand */
	VEC(frame_id) open;		  /* outermost first */
	VEC(frame_id) path;		  /* leaf first */
	struct map ends;		  /* pid, tid → where its spans end so far */
	uint64_t now;			  /* in units of 1/scale of a microsecond */
	uint64_t scale;
	bool written;
};

static uint32_t tid_of(const struct trace_writer *w, thread_id id)
{
	uint32_t tid = w->profile->threads.item[id.v].tid;

	return tid == PROFILE_NO_ID ? id.v + 1 : tid;
}

static void put_head(struct trace_writer *w, const char *phase, thread_id id)
{
	const struct profile_thread *thread = &w->profile->threads.item[id.v];

	(void)buf_printf(w->out, "%s{\"ph\":\"%s\"", w->written ? ",\n" : "\n", phase);
	if (thread->pid != PROFILE_NO_ID)
		(void)buf_printf(w->out, ",\"pid\":%u", thread->pid);
	else /* viewers group by it, and speedscope requires it */
		(void)buf_puts(w->out, ",\"pid\":-1");
	(void)buf_printf(w->out, ",\"tid\":%u", tid_of(w, id));
	w->written = true;
}

/* Begins and ends, not "X" with a duration: viewers add floating-point numbers, and where a span
 * then ends after the next one begins, they draw the next one inside it. */
static void put_edge(struct trace_writer *w, const char *phase, frame_id id)
{
	static const struct frame none = { 0 };
	const struct frame *frame = id.v == NO_FRAME ? &none : &w->profile->frames.item[id.v];

	put_head(w, phase, w->group->thread);
	(void)buf_puts(w->out, ",\"ts\":");
	json_put_scaled(w->now, w->scale, w->out);
	(void)buf_puts(w->out, ",\"name\":");
	json_put_frame_name(w->profile, frame, w->out);
	(void)buf_puts(w->out, ",\"cat\":");
	(void)buf_put_json(
		w->out, profile_string(w->profile, w->profile->events.item[w->group->event].name));
	if (frame->file.v && phase[0] == 'B') {
		(void)buf_puts(w->out, ",\"args\":{\"file\":");
		(void)buf_put_json(w->out, profile_string(w->profile, frame->file));
		(void)buf_printf(w->out, ",\"line\":%u}", frame->line);
	}
	(void)buf_putc(w->out, '}');
}

static void close_spans(struct trace_writer *w, size_t depth)
{
	while (w->open.count > depth)
		put_edge(w, "E", w->open.item[--w->open.count]);
}

static bool is_open(const struct trace_writer *w, size_t depth, frame_id frame)
{
	return depth < w->open.count && w->open.item[depth].v == frame.v;
}

static void add_sample(struct trace_writer *w, const struct profile_sample *sample)
{
	const struct stack_node *nodes = w->profile->nodes.item;
	size_t same = 0;

	w->path.count = 0;
	for (stack_id at = sample->stack; at.v; at = nodes[at.v].parent)
		vec_push(&w->path, nodes[at.v].frame);
	if (!w->path.count) /* without a span its weight would be lost */
		vec_push(&w->path, ((frame_id){ NO_FRAME }));
	while (same < w->path.count && is_open(w, same, w->path.item[w->path.count - 1 - same]))
		same++;
	close_spans(w, same);
	for (; same < w->path.count; same++) {
		frame_id frame = w->path.item[w->path.count - 1 - same];

		put_edge(w, "B", frame);
		vec_push(&w->open, frame);
	}
	w->now += sample->weight;
}

static void put_group(struct trace_writer *w, const struct sample_group *group)
{
	const struct profile_event *event = &w->profile->events.item[group->event];
	const char *comm =
		profile_string(w->profile, w->profile->threads.item[group->thread.v].comm);
	bool ns = event->unit_type == EVENT_UNIT_NS, added;
	uint32_t pid = w->profile->threads.item[group->thread.v].pid;
	uint64_t *end = map_add(&w->ends, (uint64_t)pid << 32 | tid_of(w, group->thread), &added);

	w->scale = ns ? 1000 : event->scale ? event->scale : 1;
	if (added && *comm) {
		put_head(w, "M", group->thread);
		(void)buf_puts(w->out, ",\"ts\":0,\"name\":\"thread_name\",\"args\":{\"name\":");
		(void)buf_put_json(w->out, comm);
		(void)buf_puts(w->out, "}}");
	}
	w->group = group;
	w->now = *end * w->scale;
	for (uint32_t at = group->first; at; at = w->samples.next[at - 1])
		add_sample(w, &w->profile->samples.item[at - 1]);
	close_spans(w, 0);
	*end = w->now / w->scale + 1; /* another event of the thread follows */
}

static int chrome_trace_write(const struct profile *profile,
			      const struct format_write_options *options, struct buf *ret,
			      struct err *err)
{
	struct trace_writer w = { .profile = profile, .out = ret };

	(void)options; /* names stay as they are */
	(void)err;     /* the caller checks the buffer's limit */
	sample_groups_make(profile, &w.samples);
	(void)buf_puts(ret, "{\"otherData\":{\"exporter\":\"cupel\",\"units\":{");
	for (size_t i = 0; i < profile->events.count; i++) {
		const struct profile_event *event = &profile->events.item[i];

		if (i)
			(void)buf_putc(ret, ',');
		(void)buf_put_json(ret, profile_string(profile, event->name));
		(void)buf_putc(ret, ':');
		(void)buf_put_json(ret, profile_string(profile, event->unit));
	}
	(void)buf_puts(ret, "}},\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	for (size_t i = 0; i < w.samples.groups.count; i++)
		put_group(&w, &w.samples.groups.item[i]);
	(void)buf_puts(ret, "]}\n");
	sample_groups_done(&w.samples);
	vec_done(&w.open);
	vec_done(&w.path);
	map_done(&w.ends);
	return 0;
}

const struct format_ops format_chrome_trace = {
	.name = "chrome-trace",
	.suffix = ".trace.json",
	.help = "Chrome trace events, for Perfetto",
	.is_json = chrome_trace_is_json,
	.read_json = chrome_trace_read,
	.write = chrome_trace_write,
	.keep = PROFILE_KEEP_TIME,
};
