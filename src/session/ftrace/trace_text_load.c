/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftrace's text to perf.data (see trace_text_load.h). The text is read twice: first for the events
 * and their fields, then for what happened. */
#include "session/ftrace/trace_text_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "format/ftrace/trace_text.h"
#include "session/ftrace/call_times.h"
#include "session/ftrace/trace_records.h"

#define MAX_FRAMES   512
#define MAX_EVENTS   1024
#define FIRST_ID     10u
#define COMMON_BYTES 8u	    /* type, flags, preempt_count, pid */
#define LINE	     "line" /* the field that has the whole text */
#define COMM_BYTES   16u
#define FUNCTIONS    0xffffffff81000000u /* the first one's address */
#define FUNCTION_LEN 16u
#define NOBODY	     UINT32_MAX /* a graph may not say which thread it is of */

struct text_field {
	string_id name;
	bool is_text, is_comm;
	uint32_t offset; /* in the payload */
};

struct text_event {
	string_id name;
	size_t index; /* in the recording */
	VEC(struct text_field) field;
};

struct text_loader {
	struct ftrace_text text;
	struct trace_records *records;
	struct strtab *names;
	struct map by_name; /* events: index + 1 */
	VEC(struct text_event) event;
	bool has_functions, has_calls;
	size_t function, function_time; /* in the recording */
	struct call_times calls;
	struct map functions; /* names: address */
	uint64_t function_count;
	struct map comms;  /* of threads: name + 1 */
	struct map on_cpu; /* graphs: the thread + 1 */
	uint64_t clock_ns; /* of graphs without times */
	/* the sample that stacks may follow */
	bool pending, user;
	struct trace_record record;
	struct buf raw;
	uint64_t frame[2][MAX_FRAMES];
};

static string_id name_id(struct text_loader *loader, struct ftrace_text name)
{
	return strtab_intern(loader->names, name.data, name.len);
}

static bool is_plain(struct ftrace_text name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_",
			    name.data[i]))
			return false;
	return name.len && name.len < 100;
}

static bool ends_with_comm(struct ftrace_text name)
{
	return name.len >= 4 && memcmp(name.data + name.len - 4, "comm", 4) == 0;
}

/* "sys_enter_read" of "sys_read(...)"; false: it has none that an event can have. */
static bool event_name(struct text_loader *loader, const struct ftrace_line *line, string_id *ret)
{
	char name[256];
	int len;

	if (line->kind != FTRACE_LINE_EVENT || !is_plain(line->name))
		return false;
	len = snprintf(name, sizeof(name), "%s%.*s", line->prefix, (int)line->name.len,
		       line->name.data);
	*ret = strtab_intern(loader->names, name, (size_t)len);
	return true;
}

static void meet_field(struct text_loader *loader, struct text_event *event,
		       const struct trace_text_field *from)
{
	string_id name = name_id(loader, from->name);
	bool is_comm = ends_with_comm(from->name);
	int64_t number;

	if (!is_plain(from->name) || strcmp(strtab_get(loader->names, name), LINE) == 0)
		return;
	for (size_t i = 0; i < event->field.count; i++)
		if (event->field.item[i].name.v == name.v) {
			event->field.item[i].is_text |= !trace_text_number(from, &number);
			return;
		}
	if (event->field.count < TRACE_TEXT_FIELDS)
		vec_push(&event->field,
			 ((struct text_field){ .name = name,
					       .is_comm = is_comm,
					       .is_text = !trace_text_number(from, &number) }));
}

static void meet_event(struct text_loader *loader, const struct ftrace_line *line)
{
	struct trace_text_field field[TRACE_TEXT_FIELDS];
	uint64_t *index;
	string_id name;
	bool added;

	if (!event_name(loader, line, &name))
		return;
	index = map_add(&loader->by_name, name.v, &added);
	if (added && loader->event.count < MAX_EVENTS) {
		vec_push(&loader->event, ((struct text_event){ .name = name }));
		*index = loader->event.count;
	}
	for (size_t i = 0, count = *index ? trace_text_fields(line, field) : 0; i < count; i++)
		meet_field(loader, &loader->event.item[*index - 1], &field[i]);
}

static void meet_all(struct text_loader *loader)
{
	struct ftrace_text text = loader->text, next;

	while (trace_text_next(&text, &next)) {
		struct ftrace_line line;

		ftrace_line_parse(next.data, next.len, &line);
		if (line.kind == FTRACE_LINE_EVENT)
			meet_event(loader, &line);
		loader->has_functions |= line.kind == FTRACE_LINE_FUNCTION;
		loader->has_calls |= line.kind == FTRACE_LINE_LEAF || line.kind == FTRACE_LINE_EXIT;
	}
}

static void put_u32(struct buf *out, uint32_t value)
{
	(void)buf_append(out, &value, sizeof(value));
}

static void put_block(struct buf *out, const char *text, size_t len)
{
	const uint64_t size = len;

	(void)buf_append(out, &size, sizeof(size));
	(void)buf_append(out, text, len);
}

/* The file `format` of the event, and where its fields are in payloads. */
static void put_format(struct text_loader *loader, size_t nr, struct buf *out)
{
	static const char common[] =
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:__data_loc char[] " LINE ";\toffset:8;\tsize:4;\tsigned:0;\n";
	struct text_event *event = &loader->event.item[nr];
	uint32_t offset = COMMON_BYTES + 8;
	struct buf text = { 0 };

	(void)buf_printf(&text, "name: %s\nID: %zu\nformat:\n%s",
			 strtab_get(loader->names, event->name), nr + FIRST_ID, common);
	for (size_t i = 0; i < event->field.count; i++) {
		struct text_field *field = &event->field.item[i];
		const char *name = strtab_get(loader->names, field->name);
		uint32_t size = field->is_comm ? COMM_BYTES : 8;

		if (field->is_comm)
			(void)buf_printf(&text, "\tfield:char %s[16];", name);
		else
			(void)buf_printf(&text, "\tfield:%s %s;",
					 field->is_text ? "__data_loc char[]" : "long", name);
		(void)buf_printf(&text, "\toffset:%u;\tsize:%u;\tsigned:%d;\n", offset,
				 field->is_text && !field->is_comm ? 4 : size,
				 !field->is_text && !field->is_comm);
		field->offset = offset;
		offset += size;
	}
	(void)buf_puts(&text, "\nprint fmt: \"%s\", __get_str(" LINE ")\n");
	put_block(out, text.data, text.len);
	buf_done(&text);
}

/* As perf.data has them (see source/perf_event/tracing_data.c). */
static void put_formats(struct text_loader *loader, struct buf *out)
{
	static const char head[] = "\x17\x08\x44tracing0.6";

	(void)buf_append(out, head, sizeof(head));
	(void)buf_append(out, "\0\x8", 2);
	put_u32(out, 4096);
	(void)buf_append(out, "header_page", 12);
	put_block(out, "", 0);
	(void)buf_append(out, "header_event", 13);
	put_block(out, "", 0);
	put_u32(out, 0);
	put_u32(out, (uint32_t)loader->event.count);
	for (size_t i = 0; i < loader->event.count; i++) {
		const char *name = strtab_get(loader->names, loader->event.item[i].name);
		const char *system = trace_text_system(name);

		(void)buf_append(out, system, strlen(system) + 1);
		put_u32(out, 1);
		put_format(loader, i, out);
	}
	put_u32(out, 0); /* kallsyms */
	put_u32(out, 0); /* printk */
}

static int begin(struct text_loader *loader, struct err *err)
{
	struct buf formats = { 0 };
	int code;

	for (size_t i = 0; i < loader->event.count; i++) {
		const char *name = strtab_get(loader->names, loader->event.item[i].name);
		struct buf full = { 0 };

		(void)buf_printf(&full, "%s:%s", trace_text_system(name), name);
		loader->event.item[i].index =
			trace_records_add_event(loader->records, full.data, i + FIRST_ID);
		buf_done(&full);
	}
	if (loader->has_functions)
		loader->function = trace_records_add_event(loader->records, "ftrace:function", 1);
	if (loader->has_calls)
		loader->function_time =
			trace_records_add_event(loader->records, "function-time", 0);
	put_formats(loader, &formats);
	code = trace_records_begin(loader->records, formats.data, formats.len, 0, err);
	buf_done(&formats);
	return code;
}

/* A name's address, the same each time. */
static uint64_t address_of(struct text_loader *loader, struct ftrace_text name)
{
	const char *plus = name.len ? memchr(name.data, '+', name.len) : NULL;
	string_id id;
	uint64_t *address;
	bool added;

	if (plus && plus > name.data)
		name.len = (size_t)(plus - name.data);
	id = name_id(loader, name);
	address = map_add(&loader->functions, id.v, &added);
	if (added) {
		*address = FUNCTIONS + loader->function_count++ * FUNCTION_LEN;
		trace_records_name(loader->records, *address, *address + FUNCTION_LEN,
				   strtab_get(loader->names, id));
	}
	return *address;
}

static int flush(struct text_loader *loader, struct err *err)
{
	struct trace_record *record = &loader->record;

	if (!loader->pending)
		return 0;
	loader->pending = false;
	record->raw = loader->raw.data;
	record->raw_len = (uint32_t)loader->raw.len;
	return trace_records_sample(loader->records, record, err);
}

static void put_value(const struct text_loader *loader, const struct text_field *field,
		      const struct trace_text_field *from, struct buf *strings)
{
	char *to = loader->raw.data + field->offset;
	int64_t number = 0;
	uint32_t place;

	if (field->is_comm) {
		memcpy(to, from->value.data,
		       from->value.len < COMM_BYTES - 1 ? from->value.len : COMM_BYTES - 1);
		return;
	}
	if (!field->is_text) {
		(void)trace_text_number(from, &number);
		memcpy(to, &number, sizeof(number));
		return;
	}
	if (loader->raw.len + strings->len + from->value.len >= UINT16_MAX)
		return;
	place = (uint32_t)(loader->raw.len + strings->len) | (uint32_t)(from->value.len + 1) << 16;
	memcpy(to, &place, sizeof(place));
	(void)buf_append(strings, from->value.data, from->value.len);
	(void)buf_putc(strings, '\0');
}

/* The payload of an event: numbers and places of strings, then strings. */
static void put_payload(struct text_loader *loader, const struct text_event *event,
			const struct ftrace_line *line)
{
	const uint16_t type = (uint16_t)((size_t)(event - loader->event.item) + FIRST_ID);
	const struct text_field whole = { .is_text = true, .offset = COMMON_BYTES };
	const struct trace_text_field all = { .value = line->args };
	struct trace_text_field from[TRACE_TEXT_FIELDS];
	size_t count = trace_text_fields(line, from), bytes = COMMON_BYTES + 8;
	struct buf strings = { 0 };

	for (size_t i = 0; i < event->field.count; i++)
		bytes += event->field.item[i].is_comm ? COMM_BYTES : 8;
	buf_clear(&loader->raw);
	(void)buf_pad(&loader->raw, '\0', bytes);
	memcpy(loader->raw.data, &type, sizeof(type));
	memcpy(loader->raw.data + 4, &line->pid, sizeof(line->pid));
	put_value(loader, &whole, &all, &strings);
	for (size_t i = 0; i < count; i++) {
		string_id name = name_id(loader, from[i].name);

		for (size_t j = 0; j < event->field.count; j++)
			if (event->field.item[j].name.v == name.v)
				put_value(loader, &event->field.item[j], &from[i], &strings);
	}
	(void)buf_append(&loader->raw, strings.data, strings.len);
	buf_done(&strings);
}

static int take_thread(struct text_loader *loader, const struct ftrace_line *line, struct err *err)
{
	uint64_t *comm;
	string_id name;
	bool added;

	if (line->pid < 0 || !line->comm.len || line->comm.data[0] == '<')
		return 0;
	name = name_id(loader, line->comm);
	comm = map_add(&loader->comms, (uint32_t)line->pid, &added);
	if (*comm == (uint64_t)name.v + 1)
		return 0;
	*comm = (uint64_t)name.v + 1;
	return trace_records_comm(loader->records, (uint32_t)line->pid,
				  strtab_get(loader->names, name), err);
}

/* Lines of graphs have the CPU only, and say when another thread has it. */
static uint32_t thread_of(struct text_loader *loader, const struct ftrace_line *line)
{
	uint64_t thread = 0;

	if (line->pid >= 0) {
		map_set(&loader->on_cpu, (uint32_t)line->cpu, (uint64_t)line->pid + 1);
		return (uint32_t)line->pid;
	}
	(void)map_get(&loader->on_cpu, (uint32_t)line->cpu, &thread);
	return thread ? (uint32_t)(thread - 1) : NOBODY;
}

static void begin_record(struct text_loader *loader, const struct ftrace_line *line, size_t event)
{
	if (line->has_time)
		loader->clock_ns = line->time_ns;
	else
		loader->clock_ns += line->has_duration ? line->duration_ns : 1;
	loader->record = (struct trace_record){ .event = event,
						.tid = thread_of(loader, line),
						.cpu = line->cpu < 0 ? 0 : (uint32_t)line->cpu,
						.time_ns = loader->clock_ns,
						.period = 1,
						.frame = loader->frame[0],
						.user_frame = loader->frame[1] };
	loader->pending = true;
	loader->user = false;
	buf_clear(&loader->raw);
}

static void take_event(struct text_loader *loader, const struct ftrace_line *line)
{
	uint64_t index = 0;
	string_id name;

	if (!event_name(loader, line, &name) || !map_get(&loader->by_name, name.v, &index) ||
	    !index)
		return;
	begin_record(loader, line, loader->event.item[index - 1].index);
	put_payload(loader, &loader->event.item[index - 1], line);
}

static void take_function(struct text_loader *loader, const struct ftrace_line *line)
{
	begin_record(loader, line, loader->function);
	loader->frame[0][0] = address_of(loader, line->name);
	loader->record.frames = 1;
	if (line->parent.len) {
		/* as a return address, which is behind the call */
		loader->frame[0][1] = address_of(loader, line->parent) + 1;
		loader->record.frames = 2;
	}
}

/* Entries and exits of functions, and calls on one line: samples of their own time. */
static void take_call(struct text_loader *loader, const struct ftrace_line *line)
{
	struct call call = { .depth = line->depth };
	uint64_t thread, self_ns;

	begin_record(loader, line, loader->function_time);
	loader->pending = false;
	/* idle threads of all CPUs have the same id, and some have none */
	thread = loader->record.tid && loader->record.tid != NOBODY
			 ? loader->record.tid
			 : (uint64_t)1 << 32 | loader->record.cpu;
	call.function = line->name.len ? address_of(loader, line->name) : 0;
	call.start_ns = loader->clock_ns;
	if (line->kind != FTRACE_LINE_EXIT)
		call_times_enter(&loader->calls, thread, &call);
	if (line->kind == FTRACE_LINE_ENTRY || (!line->has_duration && !line->has_time))
		return;
	if (!call_times_exit(&loader->calls, thread, &call,
			     line->has_duration ? line->duration_ns : UINT64_MAX, &self_ns))
		return;
	loader->record.period = self_ns;
	loader->record.frames = loader->calls.frame.count < MAX_FRAMES ? loader->calls.frame.count
								       : MAX_FRAMES;
	memcpy(loader->frame[0], loader->calls.frame.item,
	       loader->record.frames * sizeof(loader->frame[0][0]));
	loader->pending = true;
}

/* "=> name" of the kernel, "=> <0000abcd>" of a program. */
static void take_frame(struct text_loader *loader, const struct ftrace_line *line)
{
	struct trace_record *record = &loader->record;
	char copy[24] = "";

	if (!loader->pending || !line->name.len)
		return;
	if (!loader->user && record->frames < MAX_FRAMES) {
		/* behind the call, but for the innermost */
		loader->frame[0][record->frames] =
			address_of(loader, line->name) + (record->frames != 0);
		record->frames++;
	}
	if (!loader->user || line->name.data[0] != '<' || line->name.len >= sizeof(copy))
		return;
	memcpy(copy, line->name.data + 1, line->name.len - 1);
	if (record->user_frames < MAX_FRAMES)
		loader->frame[1][record->user_frames++] = strtoull(copy, NULL, 16);
}

/* A stack takes the place of a function and its caller. */
static void begin_stack(struct text_loader *loader, const struct ftrace_line *line)
{
	loader->user = ftrace_line_is(line, "user_stack");
	if (!loader->user)
		loader->record.frames = 0;
}

static int take_line(struct text_loader *loader, const struct ftrace_line *line, struct err *err)
{
	int code;

	if (line->kind == FTRACE_LINE_OTHER)
		return 0;
	if (line->kind == FTRACE_LINE_FRAME) {
		take_frame(loader, line);
		return 0;
	}
	if (line->kind == FTRACE_LINE_STACK) {
		begin_stack(loader, line);
		return 0;
	}
	code = flush(loader, err);
	if (!code)
		code = take_thread(loader, line, err);
	if (code)
		return code;
	if (line->kind == FTRACE_LINE_EVENT)
		take_event(loader, line);
	else if (line->kind == FTRACE_LINE_FUNCTION)
		take_function(loader, line);
	else if (line->kind == FTRACE_LINE_SWITCH)
		(void)thread_of(loader, line);
	else if (line->kind == FTRACE_LINE_LOST)
		code = trace_records_lost(loader->records, line->count ? line->count : 1, err);
	else if (loader->has_calls)
		take_call(loader, line);
	return code;
}

static int load(struct text_loader *loader, struct err *err)
{
	struct ftrace_text text = loader->text, next;
	int code;

	meet_all(loader);
	code = begin(loader, err);
	while (!code && trace_text_next(&text, &next)) {
		struct ftrace_line line;

		ftrace_line_parse(next.data, next.len, &line);
		code = take_line(loader, &line, err);
	}
	if (!code)
		code = flush(loader, err);
	return code ? code : trace_records_finish(loader->records, err);
}

int trace_text_load(const uint8_t *data, size_t len, struct err *err)
{
	struct text_loader *loader = mem_zalloc(sizeof(*loader));
	int code;

	loader->text = (struct ftrace_text){ (const char *)data, len };
	loader->records = trace_records_new();
	loader->names = strtab_new();
	code = load(loader, err);
	for (size_t i = 0; i < loader->event.count; i++)
		vec_done(&loader->event.item[i].field);
	vec_done(&loader->event);
	call_times_done(&loader->calls);
	map_done(&loader->by_name);
	map_done(&loader->functions);
	map_done(&loader->comms);
	map_done(&loader->on_cpu);
	buf_done(&loader->raw);
	strtab_free(loader->names);
	trace_records_free(loader->records);
	free(loader);
	return code;
}
