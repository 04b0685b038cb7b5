/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OTLP → profiles (see otlp_read.h). Field numbers: profiles.proto and common.proto of
 * opentelemetry-proto 1.10. */
#include "format/otlp/otlp_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"
#include "format/otlp/otlp_tables.h"
#include "format/perf_script/module_kind.h"
#include "profile/profile.h"

#define FRAMES_MAX     2048 /* of a stack */
#define LINES_MAX      256  /* of a location */
#define NAME_MAX_BYTES 65536
#define ATTRIBUTES_MAX 128 /* of a resource */

/* A profile that is being read. */
struct reader {
	const struct otlp_options *options;
	const struct otlp_tables *tables;
	struct profile *profile;
	struct map stacks; /* by index: stack_id */
	struct buf text;
	uint16_t event;
	uint64_t each;	  /* weight of one that is counted; 1 = counts are the weight */
	bool counts;	  /* values are counts of samples */
	uint64_t period;  /* mean weight of a sample; 0 = unknown */
	uint64_t time_ns; /* of samples that have none */
	bool old;	  /* has samples as older releases wrote them */
};

static const char *text_at(struct reader *r, uint64_t index)
{
	struct otlp_text text = otlp_string(r->tables, index);

	buf_clear(&r->text);
	(void)buf_append(&r->text, text.s, text.len < NAME_MAX_BYTES ? text.len : NAME_MAX_BYTES);
	text_tidy(r->text.data, r->text.len);
	return r->text.data ? r->text.data : "";
}

static const char *attribute_text(struct reader *r, uint32_t index)
{
	buf_clear(&r->text);
	if (index && index < r->tables->attributes.count)
		otlp_put_value(r->tables, r->tables->attributes.item[index].value, &r->text);
	if (r->text.len)
		text_tidy(r->text.data, r->text.len);
	return r->text.len ? r->text.data : "";
}

static enum frame_kind kind_of(struct reader *r, const struct otlp_location *location,
			       const struct frame *frame)
{
	const char *type = attribute_text(r, location->frame_type);

	if (strcmp(type, "kernel") == 0)
		return FRAME_KERNEL;
	if (*type && strcmp(type, "native") != 0 && strcmp(type, "go") != 0 &&
	    strcmp(type, "rust") != 0)
		return FRAME_INTERPRETER;
	return frame->module
		       ? module_kind(profile_string(r->profile,
						    r->profile->modules.item[frame->module].path),
				     frame->pc)
		       : FRAME_USER;
}

static void find_module(struct reader *r, const struct otlp_location *location, struct frame *frame)
{
	const struct otlp_mapping *mapping;
	char build_id[41];
	const char *hex;

	if (!location->mapping || location->mapping >= r->tables->mappings.count)
		return;
	mapping = &r->tables->mappings.item[location->mapping];
	hex = attribute_text(r, mapping->build_id);
	build_id[0] = '\0';
	if (strlen(hex) < sizeof(build_id) && strspn(hex, "0123456789abcdef") == strlen(hex))
		memcpy(build_id, hex, strlen(hex) + 1);
	if (otlp_string(r->tables, mapping->path).len)
		frame->module = profile_module(r->profile, text_at(r, mapping->path), build_id);
	if (frame->module && frame->offset >= mapping->start)
		frame->offset += mapping->offset - mapping->start;
}

static void read_line(struct reader *r, struct wire message, struct frame *frame)
{
	struct wire_field field;
	uint64_t function = 0, line = 0;

	while (wire_next(&message, &field)) {
		if (field.number == 1)
			function = field.value;
		else if (field.number == 2)
			line = field.value;
	}
	if (function >= r->tables->functions.count)
		return;
	frame->function = strtab_puts(r->profile->strings,
				      text_at(r, r->tables->functions.item[function].name));
	frame->file = strtab_puts(r->profile->strings,
				  text_at(r, r->tables->functions.item[function].file));
	frame->line = line < UINT32_MAX ? (uint32_t)line : 0;
}

/* The last line is the function, those before it are inlined there. */
static stack_id push_location(struct reader *r, stack_id stack,
			      const struct otlp_location *location)
{
	struct frame frame = { .offset = location->address, .pc = location->address };
	struct wire lines[LINES_MAX], message = location->message;
	struct wire_field field;
	size_t count = 0;

	find_module(r, location, &frame);
	frame.kind = kind_of(r, location, &frame);
	while (count < LINES_MAX && wire_next(&message, &field))
		if (field.number == 3 && field.is_bytes)
			lines[count++] = field.bytes;
	if (!count)
		return profile_stack_push(r->profile, stack, profile_frame(r->profile, &frame));
	for (size_t i = count; i-- > 0;) {
		struct frame one = frame;

		one.inlined = i + 1 < count;
		read_line(r, lines[i], &one);
		stack = profile_stack_push(r->profile, stack, profile_frame(r->profile, &one));
	}
	return stack;
}

/* Leaf first in the message. */
static stack_id make_stack(struct reader *r, uint64_t index)
{
	VEC(uint64_t) locations = { 0 };
	struct wire_field field;
	stack_id stack = { 0 };
	struct wire message;
	uint64_t number;
	bool added;
	uint64_t *known = map_add(&r->stacks, index, &added);

	if (!added)
		return (stack_id){ (uint32_t)*known };
	if (index < r->tables->stacks.count) {
		message = r->tables->stacks.item[index];
		while (locations.count < FRAMES_MAX && wire_next(&message, &field))
			while (field.number == 1 && locations.count < FRAMES_MAX &&
			       wire_number(&field, &number))
				vec_push(&locations, number);
	}
	for (size_t i = locations.count; i-- > 0;)
		if (locations.item[i] < r->tables->locations.count)
			stack = push_location(r, stack,
					      &r->tables->locations.item[locations.item[i]]);
	vec_done(&locations);
	stack = profile_stack_or_unknown(r->profile, stack);
	map_set(&r->stacks, index, stack.v);
	return stack;
}

static void read_thread(struct reader *r, struct wire_field *indices, struct profile_thread *thread)
{
	uint64_t index;

	while (wire_number(indices, &index)) {
		const struct otlp_pair *pair;
		uint64_t number;

		if (index >= r->tables->attributes.count)
			continue;
		pair = &r->tables->attributes.item[index];
		number = otlp_number(pair->value);
		if (pair->key.len == 11 && memcmp(pair->key.s, "thread.name", 11) == 0)
			thread->comm = strtab_puts(r->profile->strings,
						   attribute_text(r, (uint32_t)index));
		else if (pair->key.len == 9 && memcmp(pair->key.s, "thread.id", 9) == 0 &&
			 number < UINT32_MAX)
			thread->tid = (uint32_t)number;
		else if (pair->key.len == 11 && memcmp(pair->key.s, "process.pid", 11) == 0 &&
			 number < UINT32_MAX)
			thread->pid = (uint32_t)number;
	}
}

struct sample {
	uint64_t stack;
	struct profile_thread thread;
	VEC(uint64_t) values, times;
	bool has_second; /* field 2: values of older releases, attributes of newer ones */
};

/* Packed, or one by one. */
static void read_times(struct wire_field *field, struct sample *sample)
{
	uint64_t time;

	if (!field->is_bytes) {
		vec_push(&sample->times, field->value);
		return;
	}
	for (; field->bytes.end - field->bytes.at >= 8; field->bytes.at += 8) {
		memcpy(&time, field->bytes.at, sizeof(time));
		vec_push(&sample->times, time);
	}
}

/* Decreases form a separate event, as those of pprof: weights cannot be negative. */
static uint16_t negative_event(struct reader *r)
{
	const struct profile_event *of = &r->profile->events.item[r->event];
	struct buf name = { 0 };
	uint16_t ret;

	(void)buf_printf(&name, "%s (negative)", profile_string(r->profile, of->name));
	ret = profile_event(r->profile, name.data, profile_string(r->profile, of->unit));
	buf_done(&name);
	return ret;
}

static void add(struct reader *r, const struct sample *sample, size_t i, uint64_t value)
{
	const struct profile_thread *t = &sample->thread;
	uint64_t time = i < sample->times.count ? sample->times.item[i] : r->time_ns;
	struct profile_sample one = { .stack = make_stack(r, sample->stack),
				      .event = r->event,
				      .cpu = PROFILE_NO_CPU,
				      .time_ns = time,
				      .count = 1 };

	if (!value)
		return;
	if (value >> 63) {
		one.event = negative_event(r);
		value = 0 - value;
	}
	one.weight = value;
	if (time < r->options->first_ns || time > r->options->last_ns)
		one.time_ns = r->options->now_ns;
	if (r->counts)
		one.count = value;
	else if (r->period)
		one.count = value / r->period + (value % r->period > r->period / 2);
	one.count = one.count ? one.count : 1;
	if (r->each > 1) {
		one.weight = value < UINT64_MAX / r->each ? value * r->each : UINT64_MAX;
	}
	one.thread =
		profile_thread(r->profile, t->pid, t->tid, profile_string(r->profile, t->comm));
	profile_add(r->profile, &one);
}

static void read_sample(struct reader *r, struct wire message)
{
	struct sample sample = { .thread = { .pid = PROFILE_NO_ID, .tid = PROFILE_NO_ID } };
	struct wire_field field;
	uint64_t number;

	while (wire_next(&message, &field)) {
		if (field.number == 1 && !field.is_bytes)
			sample.stack = field.value;
		else if (field.number == 2) {
			sample.has_second = true;
			read_thread(r, &field, &sample.thread);
		} else if (field.number == 5)
			read_times(&field, &sample);
		while (field.number == 4 && wire_number(&field, &number))
			vec_push(&sample.values, number);
	}
	r->profile->meta.unknown_records += message.bad;
	r->old |= sample.has_second && !sample.values.count && !sample.times.count;
	for (size_t i = 0; i < sample.values.count; i++)
		add(r, &sample, i, sample.values.item[i]);
	for (size_t i = 0; !sample.values.count && i < sample.times.count; i++)
		add(r, &sample, i, 1);
	vec_done(&sample.values);
	vec_done(&sample.times);
}

struct value_type {
	uint64_t type, unit;
};

static void read_type(struct wire message, struct value_type *ret)
{
	struct wire_field field;

	while (wire_next(&message, &field)) {
		if (field.number == 1)
			ret->type = field.value;
		else if (field.number == 2)
			ret->unit = field.value;
	}
}

static bool is_text(const struct reader *r, uint64_t index, const char *text)
{
	struct otlp_text found = otlp_string(r->tables, index);

	return found.len == strlen(text) && memcmp(found.s, text, found.len) == 0;
}

static bool same_text(const struct reader *r, uint64_t a, uint64_t b)
{
	struct otlp_text first = otlp_string(r->tables, a), second = otlp_string(r->tables, b);

	return first.len == second.len && memcmp(first.s, second.s, first.len) == 0;
}

/* Samples that are counted, one each period of time, are that time. */
static void choose_event(struct reader *r, const struct value_type types[2], uint64_t period)
{
	bool counts = is_text(r, types[0].unit, "count"),
	     timed = counts && period && period < (uint64_t)3600 * 1000000000u &&
		     is_text(r, types[1].unit, "nanoseconds");
	const struct value_type *type = &types[timed];
	AUTO_FREE char *name = mem_strdup(text_at(r, type->type));
	const char *unit = timed || is_text(r, type->unit, "nanoseconds") ? "ns"
			   : counts					  ? "samples"
									  : text_at(r, type->unit);

	r->each = timed ? period : 1;
	r->counts = counts;
	if (!counts && same_text(r, types[0].type, types[1].type) &&
	    same_text(r, types[0].unit, types[1].unit))
		r->period = period;
	r->event = profile_event(r->profile, *name ? name : "samples", unit);
}

static void read_profile_head(struct reader *r, struct wire message)
{
	struct value_type types[2] = { { 0, 0 }, { 0, 0 } };
	struct wire_field field;
	uint64_t period = 0;

	while (wire_next(&message, &field)) {
		if (field.number == 1 && field.is_bytes)
			read_type(field.bytes, &types[0]);
		else if (field.number == 5 && field.is_bytes)
			read_type(field.bytes, &types[1]);
		else if (field.number == 3 && !field.is_bytes)
			r->time_ns = field.value;
		else if (field.number == 6 && !field.is_bytes)
			period = field.value;
	}
	choose_event(r, types, period);
}

struct resource {
	struct otlp_attribute attribute[ATTRIBUTES_MAX];
	size_t count;
};

static int read_profile(const struct otlp_options *options, const struct otlp_tables *tables,
			struct wire message, const struct resource *resource, struct err *err)
{
	struct reader r = { .options = options,
			    .tables = tables,
			    .profile = profile_new(PROFILE_KEEP_TIME),
			    .time_ns = options->now_ns };
	struct wire_field field;
	int code = 0;

	read_profile_head(&r, message);
	while (wire_next(&message, &field))
		if (field.number == 2 && field.is_bytes)
			read_sample(&r, field.bytes);
	if (r.old && !r.profile->samples.count)
		code = err_set(err, -EPROTONOSUPPORT,
			       "these profiles are of an opentelemetry-proto older than 1.10");
	if (!code && r.profile->samples.count)
		code = options->take(options->context, r.profile, resource->attribute,
				     resource->count, err);
	profile_free(r.profile);
	map_done(&r.stacks);
	buf_done(&r.text);
	return code;
}

static void resource_done(struct resource *resource)
{
	for (size_t i = 0; i < resource->count; i++) {
		free((char *)(uintptr_t)resource->attribute[i].name);
		free((char *)(uintptr_t)resource->attribute[i].value);
	}
}

static void read_resource(const struct otlp_tables *tables, struct wire message,
			  struct resource *resource)
{
	struct wire_field field;

	while (wire_next(&message, &field)) {
		struct buf value = { 0 };
		struct otlp_pair pair;

		if (field.number != 1 || !field.is_bytes || resource->count == ATTRIBUTES_MAX)
			continue;
		pair = otlp_key_value(tables, field.bytes);
		otlp_put_value(tables, pair.value, &value);
		resource->attribute[resource->count++] = (struct otlp_attribute){
			strndup(pair.key.s, pair.key.len),
			mem_strdup(value.data ? value.data : ""),
		};
		buf_done(&value);
	}
}

static int read_scope(const struct otlp_options *options, const struct otlp_tables *tables,
		      struct wire message, const struct resource *resource, struct err *err)
{
	struct wire_field field;
	int code = 0;

	while (!code && wire_next(&message, &field))
		if (field.number == 2 && field.is_bytes)
			code = read_profile(options, tables, field.bytes, resource, err);
	return code;
}

static int read_resource_profiles(const struct otlp_options *options,
				  const struct otlp_tables *tables, struct wire message,
				  struct err *err)
{
	struct resource resource = { .count = 0 };
	struct wire whole = message;
	struct wire_field field;
	int code = 0;

	while (wire_next(&whole, &field))
		if (field.number == 1 && field.is_bytes)
			read_resource(tables, field.bytes, &resource);
	while (!code && wire_next(&message, &field))
		if (field.number == 2 && field.is_bytes)
			code = read_scope(options, tables, field.bytes, &resource, err);
	resource_done(&resource);
	return code;
}

int otlp_read(const uint8_t *data, size_t len, const struct otlp_options *options, struct err *err)
{
	struct wire wire = { data, data + len, false }, dictionary = { data, data, false };
	struct otlp_tables tables;
	struct wire_field field;
	int code = 0;

	while (wire_next(&wire, &field))
		if (field.number == 2 && field.is_bytes)
			dictionary = field.bytes;
	if (wire.bad)
		return err_set(err, -EBADMSG, "the message is damaged");
	otlp_tables_read(dictionary, &tables);
	wire = (struct wire){ data, data + len, false };
	while (!code && wire_next(&wire, &field))
		if (field.number == 1 && field.is_bytes)
			code = read_resource_profiles(options, &tables, field.bytes, err);
	otlp_tables_done(&tables);
	return code;
}

void otlp_answer_read(const uint8_t *data, size_t len, struct otlp_answer *ret)
{
	struct wire wire = { data, data + len, false };
	struct wire_field field;

	*ret = (struct otlp_answer){ 0 };
	while (wire_next(&wire, &field)) {
		struct wire partial = field.bytes;

		if (field.number != 1 || !field.is_bytes)
			continue;
		while (wire_next(&partial, &field)) {
			size_t size = field.is_bytes ? (size_t)(field.bytes.end - field.bytes.at)
						     : 0;

			if (field.number == 1 && !field.is_bytes)
				ret->rejected = field.value;
			if (field.number != 2 || !field.is_bytes)
				continue;
			size = size < sizeof(ret->message) ? size : sizeof(ret->message) - 1;
			memcpy(ret->message, field.bytes.at, size);
			ret->message[size] = '\0';
			text_tidy(ret->message, size);
		}
	}
}
