/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pprof → profile (see pprof.h). A profile's tables may come in any order, so the message is
 * traversed twice: tables first, then samples. A first sample type "samples/count" beside others is
 * not a separate event: it is the number of samples of a weight. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "format/input.h"
#include "format/input_window.h"
#include "format/perf_script/module_kind.h"
#include "format/pprof/pprof.h"
#include "format/pprof/pprof_wire.h"
#include "profile/profile.h"

enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_TIME = 9,
	PROFILE_DURATION,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
};

#define MAX_TYPES  1024
#define MAX_FRAMES 65536

struct text {
	const char *s;
	size_t len;
};

struct function {
	string_id name, file;
};

struct mapping {
	uint32_t module;
	uint64_t start, offset;
};

/* Frames of a location in reader->frames, outermost first. */
struct location {
	uint32_t first, count;
};

struct value_type {
	uint64_t type, unit; /* strings */
};

struct pprof_reader {
	struct profile *profile;
	VEC(struct text) strings;
	VEC(struct value_type) types;
	VEC(uint16_t) events; /* by sample type; UINT16_MAX for the one that counts samples */
	uint64_t period;      /* mean weight of a sample of the only type; 0 = unknown */
	VEC(struct function) functions;
	VEC(struct mapping) mappings;
	VEC(struct location) locations;
	VEC(frame_id) frames;
	struct map function_ids, mapping_ids, location_ids; /* → index */
	VEC(uint64_t) ids;				    /* of the sample at hand */
	VEC(uint64_t) values;
};

static struct text string_at(const struct pprof_reader *r, uint64_t index)
{
	if (index >= r->strings.count)
		return (struct text){ "", 0 };
	return r->strings.item[index];
}

static string_id intern(const struct pprof_reader *r, uint64_t index)
{
	struct text text = string_at(r, index);

	return strtab_intern(r->profile->strings, text.s, text.len);
}

static void read_type(struct pprof_reader *r, struct wire message)
{
	struct value_type type = { 0 };
	struct wire_field field;

	while (wire_next(&message, &field)) {
		if (field.number == 1)
			type.type = field.value;
		else if (field.number == 2)
			type.unit = field.value;
	}
	if (r->types.count < MAX_TYPES)
		vec_push(&r->types, type);
}

static void read_function(struct pprof_reader *r, struct wire message)
{
	struct function function = { 0 };
	struct wire_field field;
	uint64_t id = 0, name = 0, system_name = 0;

	while (wire_next(&message, &field)) {
		if (field.number == 1)
			id = field.value;
		else if (field.number == 2)
			name = field.value;
		else if (field.number == 3)
			system_name = field.value;
		else if (field.number == 4)
			function.file = intern(r, field.value);
	}
	function.name = intern(r, string_at(r, name).len ? name : system_name);
	map_set(&r->function_ids, id, r->functions.count);
	vec_push(&r->functions, function);
}

static void read_mapping(struct pprof_reader *r, struct wire message)
{
	struct mapping mapping = { 0 };
	struct wire_field field;
	uint64_t id = 0, path = 0, build_id = 0;
	char hex[41] = "";
	struct text text;

	while (wire_next(&message, &field)) {
		if (field.number == 1)
			id = field.value;
		else if (field.number == 2)
			mapping.start = field.value;
		else if (field.number == 4)
			mapping.offset = field.value;
		else if (field.number == 5)
			path = field.value;
		else if (field.number == 6)
			build_id = field.value;
	}
	text = string_at(r, build_id);
	if (text.len < sizeof(hex) &&
	    strspn(text.len ? text.s : "", "0123456789abcdef") >= text.len)
		memcpy(hex, text.s, text.len);
	text = string_at(r, path);
	if (text.len)
		mapping.module = profile_module(r->profile,
						profile_string(r->profile, intern(r, path)), hex);
	map_set(&r->mapping_ids, id, r->mappings.count);
	vec_push(&r->mappings, mapping);
}

/* A table's messages in order of the file. */
static void read_tables(struct pprof_reader *r, struct wire whole, uint32_t number,
			void (*read)(struct pprof_reader *r, struct wire message))
{
	struct wire_field field;

	while (wire_next(&whole, &field))
		if (field.number == number && field.is_bytes)
			read(r, field.bytes);
	if (whole.bad && number == PROFILE_STRING)
		r->profile->meta.truncated_bytes += (uint64_t)(whole.end - whole.at);
}

/* Strings lie in the input; a NUL in one is tidied when it is interned. */
static void read_string(struct pprof_reader *r, struct wire message)
{
	vec_push(&r->strings,
		 ((struct text){ (const char *)message.at, (size_t)(message.end - message.at) }));
}

static frame_id make_frame(struct pprof_reader *r, struct frame frame, struct wire line)
{
	struct wire_field field;
	uint64_t index;

	while (wire_next(&line, &field)) {
		if (field.number == 1 && map_get(&r->function_ids, field.value, &index)) {
			frame.function = r->functions.item[index].name;
			frame.file = r->functions.item[index].file;
		} else if (field.number == 2 && field.value <= UINT32_MAX) {
			frame.line = (uint32_t)field.value;
		}
	}
	return profile_frame(r->profile, &frame);
}

/* Lines come innermost first: all but the last are inlined into the one behind them. */
static void read_lines(struct pprof_reader *r, struct wire message, struct frame frame)
{
	size_t first = r->frames.count;
	struct wire_field field;

	while (wire_next(&message, &field))
		if (field.number == 4 && field.is_bytes) {
			frame.inlined = true;
			vec_push(&r->frames, make_frame(r, frame, field.bytes));
		}
	if (r->frames.count == first) {
		vec_push(&r->frames, profile_frame(r->profile, &frame));
		return;
	}
	for (size_t i = first, j = r->frames.count - 1; i < j; i++, j--) {
		frame_id swap = r->frames.item[i];

		r->frames.item[i] = r->frames.item[j];
		r->frames.item[j] = swap;
	}
	frame = r->profile->frames.item[r->frames.item[first].v];
	frame.inlined = false;
	r->frames.item[first] = profile_frame(r->profile, &frame);
}

static void read_location(struct pprof_reader *r, struct wire message)
{
	struct location location = { .first = (uint32_t)r->frames.count };
	uint64_t id = 0, mapping = 0, index;
	struct wire copy = message;
	struct wire_field field;
	struct frame frame = { 0 };

	while (wire_next(&copy, &field)) {
		if (field.number == 1)
			id = field.value;
		else if (field.number == 2)
			mapping = field.value;
		else if (field.number == 3)
			frame.pc = frame.offset = field.value;
	}
	if (mapping && map_get(&r->mapping_ids, mapping, &index)) {
		const struct mapping *m = &r->mappings.item[index];

		frame.module = m->module;
		if (frame.offset >= m->start)
			frame.offset += m->offset - m->start;
	}
	if (frame.module)
		frame.kind = module_kind(
			profile_string(r->profile, r->profile->modules.item[frame.module].path),
			frame.pc);
	read_lines(r, message, frame);
	location.count = (uint32_t)r->frames.count - location.first;
	map_set(&r->location_ids, id, r->locations.count);
	vec_push(&r->locations, location);
}

static bool text_is(struct text text, const char *wanted)
{
	return text.len == strlen(wanted) && memcmp(text.s, wanted, text.len) == 0;
}

/* "nanoseconds" → "ns"; cupel writes fractions as "1/1000 x". */
static const char *unit_of(const char *unit, uint64_t *ret_scale)
{
	const char *blank = strchr(unit, ' ');

	*ret_scale = 1;
	if (strncmp(unit, "1/", 2) == 0 && blank) {
		*ret_scale = strtoul(unit + 2, NULL, 10);
		unit = blank + 1;
	}
	if (strcmp(unit, "nanoseconds") == 0)
		return "ns";
	return strcmp(unit, "count") == 0 ? "samples" : unit;
}

static bool counts_samples(const struct pprof_reader *r, size_t i)
{
	const struct value_type *type = &r->types.item[i];

	if (i || r->types.count < 2 || !text_is(string_at(r, type->unit), "count"))
		return false;
	if (!text_is(string_at(r, type->type), "count"))
		return text_is(string_at(r, type->type), "samples");
	for (size_t k = 1; k < r->types.count; k++) /* the form that cupel writes for such a name */
		if (text_is(string_at(r, r->types.item[k].type), "samples"))
			return true;
	return false;
}

static void make_events(struct pprof_reader *r)
{
	for (size_t i = 0; i < r->types.count; i++) {
		const struct value_type *type = &r->types.item[i];
		const char *unit, *name;
		uint64_t scale;

		if (counts_samples(r, i)) {
			vec_push(&r->events, UINT16_MAX);
			continue;
		}
		name = profile_string(r->profile, intern(r, type->type));
		unit = unit_of(profile_string(r->profile, intern(r, type->unit)), &scale);
		vec_push(&r->events, profile_event(r->profile, name, unit));
		(void)profile_event_scale(r->profile, *vec_last(&r->events), scale);
	}
}

/* The thread in a label. */
static void read_label(const struct pprof_reader *r, struct wire label,
		       struct profile_thread *thread)
{
	uint64_t key = 0, str = 0, number = 0;
	struct wire_field field;
	struct text name;

	while (wire_next(&label, &field)) {
		if (field.number == 1)
			key = field.value;
		else if (field.number == 2)
			str = field.value;
		else if (field.number == 3)
			number = field.value;
	}
	name = string_at(r, key);
	if (text_is(name, "comm") || text_is(name, "thread_name") || text_is(name, "thread name"))
		thread->comm = intern(r, str);
	else if ((text_is(name, "pid") || text_is(name, "process_id")) && number < UINT32_MAX)
		thread->pid = (uint32_t)number;
	else if ((text_is(name, "tid") || text_is(name, "thread_id")) && number < UINT32_MAX)
		thread->tid = (uint32_t)number;
}

static stack_id make_stack(struct pprof_reader *r)
{
	stack_id stack = STACK_EMPTY;
	size_t frames = 0;

	for (size_t i = r->ids.count; i-- > 0;) {
		struct location location;
		uint64_t index;

		if (!map_get(&r->location_ids, r->ids.item[i], &index)) {
			r->profile->meta.unknown_records++;
			continue;
		}
		location = r->locations.item[index];
		for (uint32_t f = 0; f < location.count && frames < MAX_FRAMES; f++, frames++)
			stack = profile_stack_push(r->profile, stack,
						   r->frames.item[location.first + f]);
	}
	return profile_stack_or_unknown(r->profile, stack);
}

/* The decreases of a difference (pprof -diff_base) form a separate event: weights cannot be
 * negative. */
static uint16_t negative_event(struct pprof_reader *r, uint16_t event)
{
	const struct profile_event *of = &r->profile->events.item[event];
	uint32_t scale = of->scale;
	struct buf name = { 0 };
	uint16_t ret;

	(void)buf_printf(&name, "%s (negative)", profile_string(r->profile, of->name));
	ret = profile_event(r->profile, name.data, profile_string(r->profile, of->unit));
	(void)profile_event_scale(r->profile, ret, scale);
	buf_done(&name);
	return ret;
}

/* How many samples a weight is made of, if nothing counts them. */
static uint64_t samples_of(const struct pprof_reader *r, uint64_t value)
{
	uint64_t count = 1;

	if (r->period)
		count = value / r->period + (value % r->period > r->period / 2);
	return count ? count : 1;
}

/* One sample may have a weight for every event. */
static void add_values(struct pprof_reader *r, stack_id stack, thread_id thread)
{
	uint64_t samples = r->events.count && r->events.item[0] == UINT16_MAX && r->values.count
				   ? r->values.item[0]
				   : 0;
	bool added = false;

	if (samples >> 63) /* fewer ones, in a difference */
		samples = 0 - samples;
	for (size_t i = 0; i < r->events.count && i < r->values.count; i++) {
		uint64_t value = r->values.item[i];
		bool last = i + 1 == r->events.count;
		uint16_t event = r->events.item[i];

		if (event == UINT16_MAX)
			continue;
		if (value >> 63) {
			event = negative_event(r, event);
			value = 0 - value;
		}
		if (!value &&
		    (added || !last || !samples)) /* else keep the samples without weight */
			continue;
		profile_add(r->profile,
			    &(struct profile_sample){ .stack = stack,
						      .thread = thread,
						      .event = event,
						      .cpu = PROFILE_NO_CPU,
						      .weight = value,
						      .count = samples ? samples
								       : samples_of(r, value) });
		added = true;
	}
}

static void read_sample(struct pprof_reader *r, struct wire message)
{
	struct profile_thread thread = { .pid = PROFILE_NO_ID, .tid = PROFILE_NO_ID };
	struct wire_field field;
	uint64_t number;
	thread_id id;

	r->ids.count = r->values.count = 0;
	while (wire_next(&message, &field)) {
		if (field.number == 3 && field.is_bytes)
			read_label(r, field.bytes, &thread);
		while (field.number == 1 && wire_number(&field, &number))
			vec_push(&r->ids, number);
		while (field.number == 2 && wire_number(&field, &number))
			vec_push(&r->values, number);
	}
	r->profile->meta.unknown_records += message.bad;
	id = profile_thread(r->profile, thread.pid, thread.tid,
			    profile_string(r->profile, thread.comm));
	add_values(r, make_stack(r), id);
}

static void read_times(struct profile *profile, struct wire whole)
{
	struct wire_field field;

	profile->meta.last_ns = pprof_end_ns(whole.at, (size_t)(whole.end - whole.at));
	while (wire_next(&whole, &field))
		if (field.number == PROFILE_DURATION && !field.is_bytes)
			profile->meta.duration_ns = field.value;
}

/* Of profiles with one type: what tells how many samples a weight is made of. */
static void read_period(struct pprof_reader *r, struct wire whole)
{
	struct value_type type = { 0 };
	struct wire_field field, own;
	uint64_t period = 0;

	if (r->types.count != 1)
		return;
	while (wire_next(&whole, &field)) {
		if (field.number == PROFILE_PERIOD && !field.is_bytes)
			period = field.value;
		while (field.number == PROFILE_PERIOD_TYPE && field.is_bytes &&
		       wire_next(&field.bytes, &own)) {
			if (own.number == 1)
				type.type = own.value;
			else if (own.number == 2)
				type.unit = own.value;
		}
	}
	if (type.type == r->types.item[0].type && type.unit == r->types.item[0].unit)
		r->period = period;
	if (text_is(string_at(r, r->types.item[0].unit), "count"))
		r->period = 1; /* counts of samples, or of what else happened */
}

static void reader_done(struct pprof_reader *r)
{
	vec_done(&r->strings);
	vec_done(&r->types);
	vec_done(&r->events);
	vec_done(&r->functions);
	vec_done(&r->mappings);
	vec_done(&r->locations);
	vec_done(&r->frames);
	vec_done(&r->ids);
	vec_done(&r->values);
	map_done(&r->function_ids);
	map_done(&r->mapping_ids);
	map_done(&r->location_ids);
}

/* All but samples. */
static int read_all_tables(struct pprof_reader *r, struct wire whole, struct err *err)
{
	int code = 0;

	read_tables(r, whole, PROFILE_STRING, read_string);
	read_tables(r, whole, PROFILE_SAMPLE_TYPE, read_type);
	if (!r->types.count)
		code = err_set(err, -EINVAL, "pprof profile without sample types");
	make_events(r);
	read_tables(r, whole, PROFILE_FUNCTION, read_function);
	read_tables(r, whole, PROFILE_MAPPING, read_mapping);
	read_tables(r, whole, PROFILE_LOCATION, read_location);
	read_times(r->profile, whole);
	read_period(r, whole);
	return code;
}

/* The next field of a packed file, until more is read; with the bytes that it is made of. */
static bool next_field(struct input_window *window, size_t *used, struct wire_field *ret,
		       struct wire *ret_bytes)
{
	struct err ignored = { 0 }; /* what came before damage is used */

	for (;;) {
		const uint8_t *data = (const uint8_t *)window->bytes.data;
		struct wire wire = { data + *used, data + window->bytes.len, false };
		const struct wire before = wire;

		if (wire_next(&wire, ret)) {
			*ret_bytes = (struct wire){ before.at, wire.at, false };
			*used = (size_t)(wire.at - data);
			return true;
		}
		if (window->ended || !wire_is_short(before) ||
		    input_window_fill(window, *used, &ignored))
			return false;
		*used = 0;
	}
}

/* Of a field that is not whole. */
static void count_rest(struct pprof_reader *r, const struct input_window *window, size_t used)
{
	const uint8_t *data = (const uint8_t *)window->bytes.data;
	struct wire wire = { data + used, data + window->bytes.len, false };
	struct wire_field ignored;

	if (!wire_next(&wire, &ignored) && wire.bad)
		r->profile->meta.truncated_bytes += (uint64_t)(wire.end - wire.at);
}

/* Reads a packed file from its beginning: either all but samples into `tables`, which is then a
 * message without them, or the samples. */
static int read_pieces(struct pprof_reader *r, struct input *input, struct buf *tables,
		       struct err *err)
{
	struct input_window window;
	struct wire_field field;
	struct wire bytes;
	size_t used = 0;
	int code = input_window_open(&window, input, err);

	while (!code && next_field(&window, &used, &field, &bytes)) {
		bool sample = field.number == PROFILE_SAMPLE && field.is_bytes;

		if (tables && !sample)
			code = buf_append(tables, bytes.at, (size_t)(bytes.end - bytes.at));
		else if (!tables && sample)
			read_sample(r, field.bytes);
	}
	if (!tables)
		count_rest(r, &window, used);
	input_window_close(&window);
	return code;
}

static int read_packed(struct pprof_reader *r, struct input *input, struct err *err)
{
	struct buf tables = { 0 };
	int code = read_pieces(r, input, &tables, err);
	const uint8_t *data = (const uint8_t *)tables.data;

	if (!code)
		code = read_all_tables(r, (struct wire){ data, data + tables.len, false }, err);
	if (!code)
		code = read_pieces(r, input, NULL, err);
	buf_done(&tables);
	return code;
}

static int read_mapped(struct pprof_reader *r, struct input *input, struct err *err)
{
	struct wire whole = { 0 };
	size_t len;
	int code = input_map(input, &whole.at, &len, err);

	if (code)
		return code;
	whole.end = whole.at + len;
	code = read_all_tables(r, whole, err);
	read_tables(r, whole, PROFILE_SAMPLE, read_sample);
	return code;
}

int pprof_read(struct input *input, const struct format_read_options *options,
	       struct profile *profile, struct err *err)
{
	struct pprof_reader r = { .profile = profile };
	int code = input_rewinds(input) ? read_packed(&r, input, err) : read_mapped(&r, input, err);

	(void)options;
	reader_done(&r);
	return code;
}
