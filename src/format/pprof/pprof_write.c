/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profile → pprof (see pprof.h), gzipped. Sample types: "samples/count", then one per event; a
 * sample has a weight in the column of its event and zeros in the others. A function with what was
 * inlined into it is one location with several lines. */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/vec.h"
#include "format/format.h"
#include "format/gzip.h"
#include "format/pprof/pprof.h"
#include "format/pprof/pprof_wire.h"
#include "profile/profile.h"

#define UNIX_NS ((uint64_t)1000000000 * 1000000000) /* later times are since 1970: it is 2001 */

struct pprof_writer {
	const struct profile *profile;
	struct strtab *strings;
	struct map functions; /* name, file → id */
	struct map locations; /* hash of the frames → id */
	VEC(frame_id) stack;  /* leaf first */
	VEC(uint64_t) ids;    /* locations of the current sample, leaf first */
	bool *mapped;	      /* by module: its names are known */
	bool weights_only;
	struct buf out, message, inner;
};

static uint64_t string_of(struct pprof_writer *w, const char *s)
{
	return strtab_puts(w->strings, s).v;
}

static void put_value_type(struct pprof_writer *w, uint32_t field, const char *type,
			   const char *unit)
{
	wire_put_number(&w->message, 1, string_of(w, type));
	wire_put_number(&w->message, 2, string_of(w, unit));
	wire_put_message(&w->out, field, &w->message);
}

/* Blocks of memory are called as Go's runtime calls them, which viewers know; NULL for others. */
static const char *heap_name(enum event_kind kind)
{
	switch (kind) {
	case EVENT_KIND_HEAP_ALLOC:
		return "alloc_space";
	case EVENT_KIND_HEAP_COUNT:
		return "alloc_objects";
	case EVENT_KIND_HEAP_LIVE:
		return "inuse_space";
	case EVENT_KIND_HEAP_LIVE_COUNT:
		return "inuse_objects";
	default:
		return NULL;
	}
}

static void put_event_type(struct pprof_writer *w, uint32_t field,
			   const struct profile_event *event)
{
	const char *name = profile_string(w->profile, event->name);
	const char *unit = profile_string(w->profile, event->unit);
	struct buf scaled = { 0 };

	if (heap_name(event->kind)) {
		put_value_type(w, field, heap_name(event->kind), unit);
		return;
	}
	if (event->unit_type == EVENT_UNIT_NS)
		unit = "nanoseconds";
	else if (event->unit_type == EVENT_UNIT_SAMPLES || event->unit_type == EVENT_UNIT_NONE)
		unit = "count";
	if (event->scale > 1)
		(void)buf_printf(&scaled, "1/%u ", event->scale);
	(void)buf_puts(&scaled, unit);
	put_value_type(w, field, *name ? name : "events", scaled.data);
	buf_done(&scaled);
}

static uint64_t function_of(struct pprof_writer *w, const struct frame *frame)
{
	uint64_t key = hash_u64((uint64_t)frame->function.v << 32 | frame->file.v);
	bool added;
	uint64_t *id = map_add(&w->functions, key, &added);
	uint64_t name;

	if (!added)
		return *id;
	*id = w->functions.count;
	name = string_of(w, profile_string(w->profile, frame->function));
	wire_put_number(&w->message, 1, *id);
	wire_put_number(&w->message, 2, name);
	wire_put_number(&w->message, 3, name);
	wire_put_number(&w->message, 4, string_of(w, profile_string(w->profile, frame->file)));
	wire_put_message(&w->out, 5, &w->message);
	return w->functions.count;
}

/* Frames leaf first: all but the last are inlined. Modules are numbered from 1. */
static uint64_t location_of(struct pprof_writer *w, const frame_id *frame, size_t count)
{
	const struct frame *outer = &w->profile->frames.item[frame[count - 1].v];
	bool added;
	uint64_t *place = map_add(&w->locations, hash_bytes(frame, count * sizeof(*frame)), &added);
	struct buf location = { 0 };
	uint64_t id;

	if (!added)
		return *place;
	id = *place = w->locations.count;
	wire_put_number(&location, 1, id);
	wire_put_number(&location, 2, outer->module + 1);
	wire_put_number(&location, 3, outer->offset);
	for (size_t i = 0; i < count; i++) {
		const struct frame *f = &w->profile->frames.item[frame[i].v];

		if (!f->function.v)
			continue;
		w->mapped[f->module] = true;
		wire_put_number(&w->inner, 1, function_of(w, f));
		wire_put_number(&w->inner, 2, f->line);
		wire_put_message(&location, 4, &w->inner);
	}
	wire_put_message(&w->out, 4, &location);
	buf_done(&location);
	return id;
}

static void find_locations(struct pprof_writer *w, stack_id stack)
{
	size_t first = 0;

	w->stack.count = w->ids.count = 0;
	for (; stack.v; stack = w->profile->nodes.item[stack.v].parent)
		vec_push(&w->stack, w->profile->nodes.item[stack.v].frame);
	for (size_t i = 0; i < w->stack.count; i++) {
		if (w->profile->frames.item[w->stack.item[i].v].inlined && i + 1 < w->stack.count)
			continue;
		vec_push(&w->ids, location_of(w, &w->stack.item[first], i + 1 - first));
		first = i + 1;
	}
}

static void put_label(struct pprof_writer *w, const char *key, uint32_t field, uint64_t value)
{
	wire_put_number(&w->inner, 1, string_of(w, key));
	wire_put_number(&w->inner, field, value);
	wire_put_message(&w->message, 3, &w->inner);
}

static void put_thread(struct pprof_writer *w, thread_id id)
{
	const struct profile_thread *thread = &w->profile->threads.item[id.v];
	const char *comm = profile_string(w->profile, thread->comm);

	if (*comm)
		put_label(w, "comm", 2, string_of(w, comm));
	if (thread->pid != PROFILE_NO_ID)
		put_label(w, "pid", 3, thread->pid);
	if (thread->tid != PROFILE_NO_ID)
		put_label(w, "tid", 3, thread->tid);
}

static void put_sample(struct pprof_writer *w, const struct profile_sample *sample)
{
	const struct profile_event *event = &w->profile->events.item[sample->event];
	uint64_t scale = heap_name(event->kind) && event->scale ? event->scale
								: 1; /* whole blocks */
	uint64_t weight = sample->weight / scale + (sample->weight % scale * 2 >= scale);

	find_locations(w, sample->stack);
	for (size_t i = 0; i < w->ids.count; i++)
		wire_put_varint(&w->inner, w->ids.item[i]);
	wire_put_message(&w->message, 1, &w->inner);
	if (!w->weights_only)
		wire_put_varint(&w->inner, sample->count);
	for (size_t i = 0; i < w->profile->events.count; i++)
		wire_put_varint(&w->inner, i == sample->event ? weight : 0);
	wire_put_message(&w->message, 2, &w->inner);
	put_thread(w, sample->thread);
	wire_put_message(&w->out, 2, &w->message);
}

/* Addresses are offsets into the module, so that every module begins at 0. */
static void put_modules(struct pprof_writer *w)
{
	uint64_t *limit = mem_zalloc((w->profile->modules.count + 1) * sizeof(*limit));

	for (size_t i = 0; i < w->profile->frames.count; i++) {
		const struct frame *f = &w->profile->frames.item[i];

		if (f->offset >= limit[f->module] && f->offset != UINT64_MAX)
			limit[f->module] = f->offset + 1;
	}
	for (size_t i = 0; i < w->profile->modules.count; i++) {
		const struct profile_module *m = &w->profile->modules.item[i];

		wire_put_number(&w->message, 1, i + 1);
		wire_put_number(&w->message, 3, limit[i]);
		if (i) /* the first is the unknown one */
			wire_put_number(&w->message, 5,
					string_of(w, profile_string(w->profile, m->path)));
		wire_put_number(&w->message, 6, string_of(w, m->build_id));
		for (uint32_t field = 7; field <= 10;
		     field++) /* functions, files, lines, inlines */
			wire_put_number(&w->message, field, w->mapped[i]);
		wire_put_message(&w->out, 3, &w->message);
	}
	free(limit);
}

static void put_strings(struct pprof_writer *w)
{
	size_t count = strtab_count(w->strings);

	for (uint32_t i = 0; i < count; i++)
		wire_put_bytes(&w->out, 6, strtab_get(w->strings, (string_id){ i }),
			       strtab_len(w->strings, (string_id){ i }));
}

/* The default event: the first with samples. */
static void put_period_type(struct pprof_writer *w)
{
	for (size_t i = 0; i < w->profile->events.count; i++) {
		const struct profile_event *event = &w->profile->events.item[i];

		if (!event->samples)
			continue;
		wire_put_number(&w->out, 14,
				string_of(w, heap_name(event->kind)
						     ? heap_name(event->kind)
						     : profile_string(w->profile, event->name)));
		put_event_type(w, 11, event);
		wire_put_number(&w->out, 12, event->weight / event->samples);
		return;
	}
}

/* -sample_index and viewers cannot distinguish two types with the same name. */
static const char *count_name(const struct pprof_writer *w)
{
	for (size_t i = 0; i < w->profile->events.count; i++)
		if (strcmp(profile_string(w->profile, w->profile->events.item[i].name),
			   "samples") == 0)
			return "count";
	return "samples";
}

static void write_all(struct pprof_writer *w)
{
	if (!w->weights_only)
		put_value_type(w, 1, count_name(w), "count");
	for (size_t i = 0; i < w->profile->events.count; i++)
		put_event_type(w, 1, &w->profile->events.item[i]);
	for (size_t i = 0; i < w->profile->samples.count; i++)
		if (w->profile->samples.item[i].count)
			put_sample(w, &w->profile->samples.item[i]);
	put_modules(w);
	if (w->profile->meta.first_ns >= UNIX_NS)
		wire_put_number(&w->out, 9, w->profile->meta.first_ns);
	wire_put_number(&w->out, 10, w->profile->meta.duration_ns);
	put_period_type(w);
	put_strings(w);
}

static int pprof_write(const struct profile *profile, const struct format_write_options *options,
		       struct buf *ret, struct err *err)
{
	struct pprof_writer w = { .profile = profile,
				  .strings = strtab_new(),
				  .mapped = mem_zalloc(profile->modules.count + 1),
				  .weights_only = options && options->weights_only };
	int r;

	write_all(&w);
	r = gzip_pack(&w.out, err);
	if (!r)
		r = buf_append(ret, w.out.data, w.out.len);
	strtab_free(w.strings);
	map_done(&w.functions);
	map_done(&w.locations);
	vec_done(&w.stack);
	vec_done(&w.ids);
	free(w.mapped);
	buf_done(&w.out);
	buf_done(&w.message);
	buf_done(&w.inner);
	return r;
}

const struct format_ops format_pprof = {
	.name = "pprof",
	.suffix = ".pb.gz",
	.help = "pprof's profile.proto, gzipped",
	.sniff = pprof_sniff,
	.end_ns = pprof_end_ns,
	.read = pprof_read,
	.write = pprof_write,
	.places = true,
	.packed = true,
};
