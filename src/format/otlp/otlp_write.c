/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profile → OTLP (see otlp_write.h). Index 0 of each table means nothing. */
#include "format/otlp/otlp_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "format/otlp/otlp_read.h"
#include "format/pprof/pprof_wire.h"
#include "profile/profile.h"

struct writer {
	const struct profile *profile;
	const struct otlp_write_options *options;
	struct strtab *strings;
	struct map attributes, functions, locations, stacks; /* hash or id → index */
	VEC(frame_id) frames;				     /* of a stack, leaf first */
	struct buf tables[8]; /* by number of the dictionary's field */
	struct buf message, inner, value;
};

enum { MAPPING = 1, LOCATION, FUNCTION, LINK, STRING, ATTRIBUTE, STACK };

static uint64_t string_of(struct writer *w, const char *s)
{
	return strtab_puts(w->strings, s).v;
}

/* The index of the entry; its message is still to be written if it is new. */
static uint64_t index_of(struct map *map, uint64_t key, bool *added)
{
	uint64_t *index = map_add(map, key, added);

	if (*added)
		*index = map->count;
	return *index;
}

/* text NULL = the number. */
static uint64_t attribute_of(struct writer *w, const char *key, const char *text, uint64_t number)
{
	uint64_t name = string_of(w, key), hash = hash_u64(name << 40 ^ number), index;
	bool added;

	if (text)
		hash = hash_u64(name << 40 ^ hash_bytes(text, strlen(text)));
	index = index_of(&w->attributes, hash, &added);
	if (!added)
		return index;
	if (text)
		wire_put_bytes(&w->value, 1, text, strlen(text));
	else
		wire_put_number(&w->value, 3, number);
	wire_put_number(&w->inner, 1, name);
	wire_put_message(&w->inner, 2, &w->value);
	wire_put_message(&w->tables[ATTRIBUTE], ATTRIBUTE, &w->inner);
	return index;
}

/* Addresses are offsets into the module, so that every module begins at 0. Module 0 is unknown. */
static void put_modules(struct writer *w)
{
	for (size_t i = 0; i < w->profile->modules.count; i++) {
		const struct profile_module *m = &w->profile->modules.item[i];
		uint64_t id = *m->build_id ? attribute_of(w, "process.executable.build_id.gnu",
							  m->build_id, 0)
					   : 0;

		if (i)
			wire_put_number(&w->message, 4,
					string_of(w, profile_string(w->profile, m->path)));
		if (id) {
			wire_put_varint(&w->inner, id);
			wire_put_message(&w->message, 5, &w->inner);
		}
		wire_put_message(&w->tables[MAPPING], MAPPING, &w->message);
	}
}

static uint64_t function_of(struct writer *w, const struct frame *frame)
{
	uint64_t key = (uint64_t)frame->function.v << 32 | frame->file.v, name, index;
	bool added;

	index = index_of(&w->functions, key, &added);
	if (!added)
		return index;
	name = string_of(w, profile_string(w->profile, frame->function));
	wire_put_number(&w->inner, 1, name);
	wire_put_number(&w->inner, 2, name);
	wire_put_number(&w->inner, 3, string_of(w, profile_string(w->profile, frame->file)));
	wire_put_message(&w->tables[FUNCTION], FUNCTION, &w->inner);
	return index;
}

/* Frames leaf first: all but the last are inlined. */
static uint64_t location_of(struct writer *w, const frame_id *frame, size_t count)
{
	const struct frame *outer = &w->profile->frames.item[frame[count - 1].v];
	struct buf location = { 0 };
	bool added;
	uint64_t index = index_of(&w->locations, hash_bytes(frame, count * sizeof(*frame)), &added);

	if (!added)
		return index;
	wire_put_number(&location, 1, outer->module);
	wire_put_number(&location, 2, outer->offset);
	for (size_t i = 0; i < count; i++) {
		const struct frame *f = &w->profile->frames.item[frame[i].v];
		uint64_t function = f->function.v ? function_of(w, f) : 0;

		wire_put_number(&w->inner, 1, function);
		wire_put_number(&w->inner, 2, f->line);
		if (function)
			wire_put_bytes(&location, 3, w->inner.data, w->inner.len);
		buf_clear(&w->inner);
	}
	if (outer->kind == FRAME_KERNEL) {
		uint64_t type = attribute_of(w, "profile.frame.type", "kernel", 0);

		wire_put_varint(&w->inner, type);
		wire_put_message(&location, 4, &w->inner);
	}
	wire_put_message(&w->tables[LOCATION], LOCATION, &location);
	buf_done(&location);
	return index;
}

static uint64_t stack_of(struct writer *w, stack_id stack)
{
	struct buf list = { 0 };
	size_t first = 0;
	bool added;
	uint64_t index = index_of(&w->stacks, stack.v, &added);

	if (!added)
		return index;
	w->frames.count = 0;
	for (; stack.v; stack = w->profile->nodes.item[stack.v].parent)
		vec_push(&w->frames, w->profile->nodes.item[stack.v].frame);
	for (size_t i = 0; i < w->frames.count; i++) {
		if (w->profile->frames.item[w->frames.item[i].v].inlined && i + 1 < w->frames.count)
			continue;
		wire_put_varint(&list, location_of(w, &w->frames.item[first], i + 1 - first));
		first = i + 1;
	}
	wire_put_message(&w->message, 1, &list);
	wire_put_message(&w->tables[STACK], STACK, &w->message);
	buf_done(&list);
	return index;
}

static void put_thread(struct writer *w, const struct profile_thread *thread, struct buf *list)
{
	const char *comm = profile_string(w->profile, thread->comm);

	if (*comm)
		wire_put_varint(list, attribute_of(w, "thread.name", comm, 0));
	if (thread->pid != PROFILE_NO_ID)
		wire_put_varint(list, attribute_of(w, "process.pid", NULL, thread->pid));
	if (thread->tid != PROFILE_NO_ID)
		wire_put_varint(list, attribute_of(w, "thread.id", NULL, thread->tid));
}

static uint64_t unix_time(const struct writer *w, uint64_t time_ns)
{
	return time_ns + (uint64_t)w->options->clock_ns;
}

static void put_sample(struct writer *w, const struct profile_sample *sample, bool counts,
		       struct buf *out)
{
	struct buf list = { 0 }, one = { 0 };

	wire_put_number(&one, 1, stack_of(w, sample->stack));
	put_thread(w, &w->profile->threads.item[sample->thread.v], &list);
	wire_put_message(&one, 2, &list);
	wire_put_varint(&list, counts ? sample->count : sample->weight);
	wire_put_message(&one, 4, &list);
	if (w->profile->keep & PROFILE_KEEP_TIME) {
		uint64_t time = unix_time(w, sample->time_ns);

		for (int i = 0; i < 8; i++)
			(void)buf_putc(&list, (char)(time >> 8 * i));
		wire_put_message(&one, 5, &list);
	}
	wire_put_message(out, 2, &one);
	buf_done(&list);
	buf_done(&one);
}

/* The period of all samples of the event; 0 = they differ. */
static uint64_t period_of(const struct profile *profile, uint16_t event)
{
	uint64_t period = 0;

	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *s = &profile->samples.item[i];

		if (s->event != event || !s->count)
			continue;
		if (!period)
			period = s->weight / s->count;
		if (period * s->count != s->weight)
			return 0;
	}
	return period;
}

static void put_type(struct writer *w, uint32_t field, const char *type, const char *unit)
{
	wire_put_number(&w->inner, 1, string_of(w, type));
	wire_put_number(&w->inner, 2, string_of(w, unit));
	wire_put_message(&w->message, field, &w->inner);
}

static void put_head(struct writer *w, const struct profile_event *event, uint64_t period,
		     struct buf *out)
{
	const char *name = profile_string(w->profile, event->name);
	const char *unit = event->unit_type == EVENT_UNIT_NS ? "nanoseconds"
			   : event->unit_type == EVENT_UNIT_SAMPLES ||
					   event->unit_type == EVENT_UNIT_NONE
				   ? "count"
				   : profile_string(w->profile, event->unit);
	bool counts = period && event->unit_type == EVENT_UNIT_NS;
	uint64_t id[2] = { hash_bytes(out->data ? out->data : "", out->len), 0 };

	put_type(w, 1, counts ? "samples" : name, counts ? "count" : unit);
	wire_put_fixed(&w->message, 3, unix_time(w, w->profile->meta.first_ns));
	wire_put_number(&w->message, 4, w->profile->meta.duration_ns);
	if (counts || event->unit_type != EVENT_UNIT_SAMPLES) {
		put_type(w, 5, name, unit);
		wire_put_number(&w->message, 6,
				counts		 ? period
				: event->samples ? event->weight / event->samples
						 : 0);
	}
	id[1] = hash_u64(id[0] ^ unix_time(w, w->profile->meta.first_ns));
	wire_put_bytes(&w->message, 7, id, sizeof(id));
}

static void put_event(struct writer *w, uint16_t number, struct buf *scope)
{
	const struct profile_event *event = &w->profile->events.item[number];
	uint64_t period = event->unit_type == EVENT_UNIT_NS ? period_of(w->profile, number) : 0;
	struct buf samples = { 0 };

	for (size_t i = 0; i < w->profile->samples.count; i++)
		if (w->profile->samples.item[i].event == number)
			put_sample(w, &w->profile->samples.item[i], period != 0, &samples);
	if (samples.len) {
		put_head(w, event, period, &samples);
		(void)buf_append(&w->message, samples.data, samples.len);
		wire_put_message(scope, 2, &w->message);
	}
	buf_done(&samples);
}

static void put_resource(struct writer *w, struct buf *out)
{
	struct buf resource = { 0 };

	for (size_t i = 0; i < w->options->count; i++) {
		const struct otlp_attribute *a = &w->options->attributes[i];

		wire_put_bytes(&w->message, 1, a->name, strlen(a->name));
		wire_put_bytes(&w->value, 1, a->value, strlen(a->value));
		wire_put_message(&w->message, 2, &w->value);
		wire_put_message(&resource, 1, &w->message);
	}
	wire_put_message(out, 1, &resource);
	buf_done(&resource);
}

static void put_dictionary(struct writer *w, struct buf *ret)
{
	struct buf all = { 0 };

	for (uint32_t table = MAPPING; table <= STACK; table++) {
		if (table != MAPPING && table != STRING) /* their first entry is nothing anyhow */
			wire_put_bytes(&all, table, "", 0);
		if (table == STRING)
			for (uint32_t i = 0; i < strtab_count(w->strings); i++)
				wire_put_bytes(&all, STRING,
					       strtab_get(w->strings, (string_id){ i }),
					       strtab_len(w->strings, (string_id){ i }));
		(void)buf_append(&all, w->tables[table].data ? w->tables[table].data : "",
				 w->tables[table].len);
	}
	wire_put_message(ret, 2, &all);
	buf_done(&all);
}

static void writer_done(struct writer *w)
{
	for (size_t i = 0; i < sizeof(w->tables) / sizeof(w->tables[0]); i++)
		buf_done(&w->tables[i]);
	buf_done(&w->message);
	buf_done(&w->inner);
	buf_done(&w->value);
	vec_done(&w->frames);
	map_done(&w->attributes);
	map_done(&w->functions);
	map_done(&w->locations);
	map_done(&w->stacks);
	strtab_free(w->strings);
}

void otlp_write(const struct profile *profile, const struct otlp_write_options *options,
		struct buf *ret)
{
	struct writer w = { .profile = profile, .options = options, .strings = strtab_new() };
	struct buf scope = { 0 }, whole = { 0 };

	put_modules(&w);
	for (size_t i = 0; i < profile->events.count; i++)
		put_event(&w, (uint16_t)i, &scope);
	put_resource(&w, &whole);
	wire_put_message(&whole, 2, &scope);
	wire_put_message(ret, 1, &whole);
	put_dictionary(&w, ret);
	buf_done(&scope);
	buf_done(&whole);
	writer_done(&w);
}
