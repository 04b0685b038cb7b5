/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One profile added to another. Ids are translated table by table; new items get ids in the
 * order of the other profile. So parts of a text that were read in parallel and merged in order
 * give the same profile as reading it sequentially. */
#include "base/arena.h"
#include "profile/profile.h"

/* Ids of the other profile → ids here. */
struct translation {
	uint32_t *string, *module, *frame, *stack, *thread;
	uint16_t *event;
};

static uint32_t *make_table(size_t count)
{
	return mem_alloc((count + 1) * sizeof(uint32_t));
}

static string_id translated(const struct translation *t, string_id id)
{
	return (string_id){ t->string[id.v] };
}

static void merge_strings(struct profile *profile, const struct profile *from,
			  struct translation *t)
{
	size_t count = strtab_count(from->strings);

	t->string = make_table(count);
	for (uint32_t i = 0; i < count; i++)
		t->string[i] = strtab_intern(profile->strings,
					     strtab_get(from->strings, (string_id){ i }),
					     strtab_len(from->strings, (string_id){ i }))
				       .v;
}

static void merge_modules(struct profile *profile, const struct profile *from,
			  struct translation *t)
{
	t->module = make_table(from->modules.count);
	for (size_t i = 0; i < from->modules.count; i++) {
		const struct profile_module *m = &from->modules.item[i];
		uint32_t id = profile_module(profile, profile_string(from, m->path), m->build_id);

		t->module[i] = id;
		if (m->problem.v)
			profile->modules.item[id].problem = translated(t, m->problem);
		if (m->remedy.v)
			profile->modules.item[id].remedy = translated(t, m->remedy);
	}
}

static void merge_frames(struct profile *profile, const struct profile *from, struct translation *t)
{
	t->frame = make_table(from->frames.count);
	for (size_t i = 0; i < from->frames.count; i++) {
		struct frame frame = from->frames.item[i];

		frame.module = t->module[frame.module];
		frame.function = translated(t, frame.function);
		frame.file = translated(t, frame.file);
		t->frame[i] = profile_frame(profile, &frame).v;
	}
}

static void merge_stacks(struct profile *profile, const struct profile *from, struct translation *t)
{
	t->stack = make_table(from->nodes.count);
	t->stack[0] = STACK_EMPTY.v;
	for (size_t i = 1; i < from->nodes.count; i++) {
		const struct stack_node *node = &from->nodes.item[i];

		t->stack[i] = profile_stack_push(profile, (stack_id){ t->stack[node->parent.v] },
						 (frame_id){ t->frame[node->frame.v] })
				      .v;
	}
}

static void merge_threads(struct profile *profile, const struct profile *from,
			  struct translation *t)
{
	t->thread = make_table(from->threads.count);
	for (size_t i = 0; i < from->threads.count; i++) {
		const struct profile_thread *thread = &from->threads.item[i];

		t->thread[i] = profile_thread(profile, thread->pid, thread->tid,
					      profile_string(from, thread->comm))
				       .v;
	}
}

static void merge_events(struct profile *profile, const struct profile *from, struct translation *t)
{
	t->event = mem_alloc((from->events.count + 1) * sizeof(*t->event));
	for (size_t i = 0; i < from->events.count; i++) {
		const struct profile_event *event = &from->events.item[i];

		t->event[i] = profile_event_of_kind(profile, profile_string(from, event->name),
						    profile_string(from, event->unit), event->kind);
		profile->events.item[t->event[i]].lost += event->lost;
		profile->events.item[t->event[i]].sample_weight = event->sample_weight;
		profile->events.item[t->event[i]].exact = event->exact;
		if (!profile->events.item[t->event[i]].scale)
			profile->events.item[t->event[i]].scale = event->scale;
	}
}

static struct profile_sample translate_sample(const struct translation *t,
					      const struct profile_sample *from)
{
	struct profile_sample s = *from;

	s.stack.v = t->stack[s.stack.v];
	s.thread.v = t->thread[s.thread.v];
	s.event = t->event[s.event];
	return s;
}

/* Translated in pieces, so that they need no second array of their size. */
static void merge_samples(struct profile *profile, const struct profile *from,
			  const struct translation *t)
{
	struct profile_sample piece[256];
	size_t n = 0;

	for (size_t i = 0; i < from->samples.count; i++) {
		piece[n++] = translate_sample(t, &from->samples.item[i]);
		if (n == sizeof(piece) / sizeof(piece[0]) || i + 1 == from->samples.count) {
			profile_add_all(profile, piece, n);
			n = 0;
		}
	}
}

/* By event: the sums of squares of the events are more precise than those of merged samples. */
static double *squares_of_both(const struct profile *profile, const struct profile *from,
			       const struct translation *t)
{
	double *squares = mem_zalloc((profile->events.count + 1) * sizeof(*squares));

	for (size_t i = 0; i < profile->events.count; i++)
		squares[i] = profile->events.item[i].squares;
	for (size_t i = 0; i < from->events.count; i++)
		squares[t->event[i]] += from->events.item[i].squares;
	return squares;
}

void profile_merge(struct profile *profile, const struct profile *from)
{
	struct translation t;
	double *squares;

	merge_strings(profile, from, &t);
	merge_modules(profile, from, &t);
	merge_frames(profile, from, &t);
	merge_stacks(profile, from, &t);
	merge_threads(profile, from, &t);
	merge_events(profile, from, &t);
	squares = squares_of_both(profile, from, &t);
	merge_samples(profile, from, &t);
	for (size_t i = 0; i < profile->events.count; i++)
		profile->events.item[i].squares = squares[i];
	free(squares);
	if (from->meta.unfinished.count)
		profile->meta.unfinished = translate_sample(&t, &from->meta.unfinished);
	free(t.string);
	free(t.module);
	free(t.frame);
	free(t.stack);
	free(t.thread);
	free(t.event);
}
