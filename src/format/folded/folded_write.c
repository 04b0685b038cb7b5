/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profile → folded text. Stacks are merged by name into a call tree, which text/folded_lines.c
 * writes.
 */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/folded/fold_name.h"
#include "format/folded/folded.h"
#include "format/folded/folded_lines.h"
#include "format/format.h"
#include "profile/call_tree.h"
#include "profile/sample_weight.h"

#define NO_NAME CALL_NO_LABEL /* or not asked yet */

struct folded_writer {
	const struct profile *profile;
	const struct fold_options *options;
	struct strtab *names;
	uint32_t *frame_name[2]; /* by frame; [1] for Java commands */
	uint32_t *root_name;	 /* by thread */
	VEC(bool) java;		 /* by name id: is this root frame a JVM's? */
	struct buf word;
};

static uint32_t root_label(void *context, thread_id thread)
{
	struct folded_writer *w = context;
	uint32_t id = w->root_name[thread.v];

	if (id != NO_NAME || w->options->no_comm || !w->profile->threads.item[thread.v].comm.v)
		return id;
	buf_clear(&w->word);
	fold_root_name(w->profile, thread, w->options, &w->word);
	id = strtab_intern(w->names, w->word.data, w->word.len).v;
	while (w->java.count <= id)
		vec_push(&w->java, false);
	w->java.item[id] = strncmp(w->word.data, "java", 4) == 0;
	return w->root_name[thread.v] = id;
}

static uint32_t frame_label(void *context, frame_id frame, uint32_t root)
{
	struct folded_writer *w = context;
	bool java = root != CALL_NO_LABEL && w->java.item[root];
	uint32_t *cached = &w->frame_name[java][frame.v];

	if (*cached == NO_NAME) {
		buf_clear(&w->word);
		fold_frame_name(w->profile, frame, w->options, java, &w->word);
		*cached = strtab_intern(w->names, w->word.data ? w->word.data : "", w->word.len).v;
	}
	return *cached;
}

static uint32_t *no_names(size_t count)
{
	uint32_t *list = mem_alloc((count + 1) * sizeof(*list));

	return memset(list, 0xff, (count + 1) * sizeof(*list)); /* NO_NAME */
}

/* The finest fractions of the picked events; all are powers of ten. */
static uint32_t find_scale(const struct profile *profile, const bool *picked)
{
	uint32_t scale = 1;

	for (size_t i = 0; i < profile->events.count; i++)
		if (picked[i] && profile->events.item[i].scale > scale)
			scale = profile->events.item[i].scale;
	return scale;
}

static int write_picked(struct folded_writer *w, const bool *picked, struct buf *ret)
{
	struct call_tree_options options = { .events = picked,
					     .root_label = root_label,
					     .label = frame_label,
					     .context = w,
					     .scale = find_scale(w->profile, picked) };
	struct call_tree tree;
	int r;

	w->names = strtab_new();
	for (size_t i = 0; i < 2; i++)
		w->frame_name[i] = no_names(w->profile->frames.count);
	w->root_name = no_names(w->profile->threads.count);
	call_tree_build(w->profile, &options, &tree);
	r = folded_lines(&tree, w->names, options.scale, ret);
	call_tree_done(&tree);
	strtab_free(w->names);
	free(w->frame_name[0]);
	free(w->frame_name[1]);
	free(w->root_name);
	vec_done(&w->java);
	buf_done(&w->word);
	return r;
}

/* The period is the weight-averaged weight of a sample: then the sum of the squares of the samples
 * equals that of the recording. Without a single period, the event is unknown. */
static void put_header(const struct profile *profile, const bool *picked, struct buf *ret)
{
	const struct profile_event *event = NULL;
	double weight = 0, squares = 0;
	uint64_t count = 0;

	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *s = &profile->samples.item[i];

		if (!picked[s->event] || !s->count)
			continue;
		event = &profile->events.item[s->event];
		weight += (double)s->weight;
		squares += (double)s->weight * (double)s->weight / (double)s->count;
		count += s->count;
	}
	if (!event || event->sample_weight != SAMPLE_WEIGHT_COUNTED || event->scale > 1)
		return;
	(void)buf_printf(ret, FOLDED_HEADER " event=%s unit=%s period=%.3f samples=%llu\n",
			 profile_string(profile, event->name), profile_string(profile, event->unit),
			 squares / weight, (unsigned long long)count);
}

int folded_write(const struct profile *profile, const struct fold_options *options, struct buf *ret,
		 struct err *err)
{
	struct folded_writer w = { .profile = profile, .options = options };
	bool *picked = mem_zalloc(profile->events.count + 1);
	int r = 0;

	if (options->all_events)
		memset(picked, true, profile->events.count);
	else if (!profile_pick_events(profile, options->event, picked) && options->event)
		r = err_set(err, -ENOENT, "no event '%s'", options->event);
	if (r == 0 && options->header)
		put_header(profile, picked, ret);
	if (r == 0 && write_picked(&w, picked, ret))
		r = err_set(err, -E2BIG, "folded text larger than %zu bytes", BUF_DEFAULT_LIMIT);
	free(picked);
	return r;
}

static int write_all(const struct profile *profile, const struct format_write_options *options,
		     struct buf *ret, struct err *err)
{
	struct fold_options fold = { .names = FOLD_NAMES_WHOLE,
				     .event = options->event,
				     .inlined = true,
				     .all_events = !options->event };

	return folded_write(profile, &fold, ret, err);
}

const struct format_ops format_folded = {
	.name = "folded",
	.suffix = ".folded",
	.help = "folded stacks, one per line (FlameGraph)",
	.sniff = folded_sniff,
	.read = folded_read,
	.write = write_all,
};
