/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace.dat to perf.data (see trace_dat_load.h). */
#include "session/ftrace/trace_dat_load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "format/ftrace/trace_dat.h"
#include "session/ftrace/call_times.h"
#include "session/ftrace/trace_records.h"
#include "symbol/kernel/kallsyms.h"

#define MAX_FRAMES 512
#define ID_LIMIT   65536u /* they have 16 bits in an event */

/* What an event of the tracers themselves is. */
enum own_event {
	OWN_NOT,
	OWN_KERNEL_STACK,
	OWN_USER_STACK,
	OWN_FUNCTION,
	OWN_ENTRY,
	OWN_EXIT,
};

struct field {
	uint32_t offset, size; /* size 0 = there is none */
};

struct event_kind {
	const struct trace_dat_format *format;
	enum own_event own;
	bool used;
	size_t index; /* in the recording */
	/* function: ip, parent_ip; graph: func, depth, calltime, rettime; stacks: caller */
	struct field field[4];
};

struct loader {
	const struct trace_dat *dat;
	struct trace_records *records;
	struct event_kind *kind; /* ID_LIMIT */
	struct field pid;
	size_t function_time;
	struct call_times calls;
	struct map seen; /* addresses that have a name */
	struct kallsyms kallsyms;
	bool has_names;
};

/* One CPU, with its next event. */
struct cpu_stream {
	struct trace_dat_reader reader;
	struct trace_dat_event event;
	bool has;
};

static uint64_t get(const struct trace_dat_event *event, const struct field *field)
{
	uint64_t value = 0;

	if (field->size && field->size <= sizeof(value) && event->len >= field->size &&
	    field->offset <= event->len - field->size)
		memcpy(&value, event->data + field->offset, field->size);
	return value;
}

static struct event_kind *kind_of(const struct loader *loader, const struct trace_dat_event *event)
{
	uint16_t id = 0;

	if (event->len >= sizeof(id))
		memcpy(&id, event->data, sizeof(id));
	return loader->kind[id].format ? &loader->kind[id] : NULL;
}

static void find_fields(struct event_kind *kind, const char *const names[4])
{
	for (size_t i = 0; i < 4 && names[i]; i++)
		if (!trace_dat_field(kind->format->text, names[i], &kind->field[i].offset,
				     &kind->field[i].size))
			kind->field[i] = (struct field){ 0 };
}

static void take_own(struct event_kind *kind, const char *name)
{
	static const struct {
		const char *name;
		enum own_event own;
		const char *field[4];
	} rows[] = {
		{ "kernel_stack", OWN_KERNEL_STACK, { "caller" } },
		{ "user_stack", OWN_USER_STACK, { "caller" } },
		{ "function", OWN_FUNCTION, { "ip", "parent_ip" } },
		{ "funcgraph_entry", OWN_ENTRY, { "func", "depth" } },
		{ "funcgraph_exit", OWN_EXIT, { "func", "depth", "calltime", "rettime" } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(rows[i].name, name) == 0) {
			kind->own = rows[i].own;
			find_fields(kind, rows[i].field);
		}
}

/* The text of a line "key: value" of a format file; in `out`. */
static bool take_line(const struct trace_dat_text *text, const char *key, char *out, size_t size)
{
	const char *at = text->len ? memmem(text->data, text->len, key, strlen(key)) : NULL;
	const char *end = text->data + text->len;
	size_t len = 0;

	if (!at)
		return false;
	for (at += strlen(key); at < end && *at != '\n' && len + 1 < size; at++)
		out[len++] = *at;
	out[len] = '\0';
	return len != 0;
}

static void take_formats(struct loader *loader)
{
	for (size_t i = 0; i < loader->dat->formats.count; i++) {
		const struct trace_dat_format *format = &loader->dat->formats.item[i];
		char name[128], id[16];
		unsigned long number;

		if (!take_line(&format->text, "name: ", name, sizeof(name)) ||
		    !take_line(&format->text, "ID: ", id, sizeof(id)))
			continue;
		number = strtoul(id, NULL, 10);
		if (!number || number >= ID_LIMIT)
			continue;
		loader->kind[number] = (struct event_kind){ .format = format };
		if (strcmp(format->system, "ftrace") == 0)
			take_own(&loader->kind[number], name);
		if (!loader->pid.size)
			(void)trace_dat_field(format->text, "common_pid", &loader->pid.offset,
					      &loader->pid.size);
	}
}

/* Which kinds occur; only those become events of the recording. */
static void find_used(struct loader *loader)
{
	bool graph = false;

	for (size_t i = 0; i < loader->dat->cpus.count; i++) {
		struct trace_dat_reader reader;
		struct trace_dat_event event;

		trace_dat_reader_init(&reader, loader->dat, &loader->dat->cpus.item[i]);
		while (trace_dat_next(&reader, &event)) {
			struct event_kind *kind = kind_of(loader, &event);

			if (kind)
				kind->used = true;
			graph = graph || (kind && kind->own == OWN_EXIT);
		}
	}
	if (graph)
		loader->function_time =
			trace_records_add_event(loader->records, "function-time", 0);
	for (uint32_t id = 0; id < ID_LIMIT; id++) {
		struct event_kind *kind = &loader->kind[id];
		char name[128] = "", full[256];

		if (!kind->used || kind->own == OWN_KERNEL_STACK || kind->own == OWN_USER_STACK)
			continue;
		(void)take_line(&kind->format->text, "name: ", name, sizeof(name));
		(void)snprintf(full, sizeof(full), "%s:%s", kind->format->system, name);
		kind->index = trace_records_add_event(loader->records, full, id);
	}
}

static int take_names(struct loader *loader, struct err *err)
{
	const struct trace_dat_text *text = &loader->dat->kallsyms;
	char *copy = mem_alloc(text->len + 1);
	struct err ignored = { 0 };

	memcpy(copy, text->data ? text->data : "", text->len);
	copy[text->len] = '\0';
	/* without addresses, as unprivileged users see them, functions stay numbers */
	loader->has_names = kallsyms_parse(copy, text->len, &loader->kallsyms, &ignored) == 0;
	return trace_records_begin(loader->records, loader->dat->tracing_data.data,
				   loader->dat->tracing_data.len,
				   loader->has_names ? loader->kallsyms.text_start : 0, err);
}

static int take_cmdlines(struct loader *loader, struct err *err)
{
	const char *at = loader->dat->cmdlines.data, *end = at + loader->dat->cmdlines.len;
	int code = 0;

	while (at < end && !code) {
		const char *next = memchr(at, '\n', (size_t)(end - at));
		char comm[64] = "", number[16] = "";
		size_t len;

		next = next ? next : end;
		len = (size_t)(next - at);
		if (len < sizeof(number) + sizeof(comm) &&
		    sscanf(at, "%15[0-9] %63[^\n]", number, comm) == 2)
			code = trace_records_comm(loader->records,
						  (uint32_t)strtoul(number, NULL, 10), comm, err);
		at = next + 1;
	}
	return code;
}

static void name_frames(struct loader *loader, const uint64_t *frame, size_t count)
{
	for (size_t i = 0; i < count && loader->has_names; i++) {
		const struct range *range;
		bool added;

		(void)map_add(&loader->seen, frame[i], &added);
		range = added ? kallsyms_find(&loader->kallsyms, frame[i]) : NULL;
		if (range)
			trace_records_name(loader->records, range->start, range->end,
					   loader->kallsyms.text + range->name);
	}
}

/* Addresses up to the end of the event, or one with all bits set. */
static size_t take_stack(const struct loader *loader, const struct trace_dat_event *event,
			 const struct event_kind *kind, uint64_t *frame)
{
	struct field field = { .offset = kind->field[0].offset,
			       .size = (uint32_t)loader->dat->long_size };
	size_t count = 0;

	if (!kind->field[0].size)
		return 0;
	for (; count < MAX_FRAMES && event->len >= field.size &&
	       field.offset <= event->len - field.size;
	     field.offset += field.size) {
		uint64_t address = get(event, &field);

		if (address == (field.size == 4 ? UINT32_MAX : UINT64_MAX) || !address)
			break;
		frame[count++] = address;
	}
	return count;
}

/* Stacks follow the event they belong to, of the same thread. */
static void take_stacks(struct loader *loader, struct cpu_stream *stream,
			uint64_t frame[2][MAX_FRAMES], struct trace_record *record)
{
	while ((stream->has = trace_dat_next(&stream->reader, &stream->event))) {
		const struct event_kind *kind = kind_of(loader, &stream->event);

		if (!kind || (uint32_t)get(&stream->event, &loader->pid) != record->tid)
			return;
		if (kind->own == OWN_KERNEL_STACK) {
			record->frame = frame[0];
			record->frames = take_stack(loader, &stream->event, kind, frame[0]);
		} else if (kind->own == OWN_USER_STACK) {
			record->user_frame = frame[1];
			record->user_frames = take_stack(loader, &stream->event, kind, frame[1]);
		} else {
			return;
		}
	}
}

static int take_graph(struct loader *loader, const struct event_kind *kind,
		      const struct trace_dat_event *event, const struct trace_record *from,
		      struct err *err)
{
	/* the idle threads of all CPUs have the same id */
	uint64_t tid = from->tid ? from->tid : (uint64_t)1 << 32 | event->cpu;
	struct call call = { .function = get(event, &kind->field[0]),
			     .depth = (uint32_t)get(event, &kind->field[1]),
			     .start_ns = event->time_ns };
	struct trace_record record = *from;
	uint64_t duration = UINT64_MAX;

	if (kind->own == OWN_ENTRY) {
		call_times_enter(&loader->calls, tid, &call);
		return 0;
	}
	if (kind->field[2].size && kind->field[3].size)
		duration = get(event, &kind->field[3]) - get(event, &kind->field[2]);
	if (!call_times_exit(&loader->calls, tid, &call, duration, &record.period))
		return 0;
	record.event = loader->function_time;
	record.frame = loader->calls.frame.item;
	record.frames = loader->calls.frame.count;
	record.raw_len = 0;
	name_frames(loader, record.frame, record.frames);
	return trace_records_sample(loader->records, &record, err);
}

static int take_event(struct loader *loader, struct cpu_stream *stream, struct err *err)
{
	const struct trace_dat_event event = stream->event;
	const struct event_kind *kind = kind_of(loader, &event);
	struct trace_record record = { .tid = (uint32_t)get(&event, &loader->pid),
				       .cpu = event.cpu,
				       .time_ns = event.time_ns,
				       .period = 1,
				       .raw = event.data,
				       .raw_len = event.len };
	uint64_t frame[2][MAX_FRAMES];
	int code = 0;

	take_stacks(loader, stream, frame, &record);
	if (event.lost)
		code = trace_records_lost(loader->records,
					  event.lost == UINT64_MAX ? 1 : event.lost, err);
	if (code || !kind || kind->own == OWN_KERNEL_STACK || kind->own == OWN_USER_STACK)
		return code;
	record.event = kind->index;
	if (kind->own == OWN_FUNCTION && !record.frames) {
		record.frame = frame[0];
		frame[0][0] = get(&event, &kind->field[0]);
		frame[0][1] = get(&event, &kind->field[1]);
		record.frames = 2;
	}
	name_frames(loader, record.frame, record.frames);
	code = trace_records_sample(loader->records, &record, err);
	if (!code && (kind->own == OWN_ENTRY || kind->own == OWN_EXIT))
		code = take_graph(loader, kind, &event, &record, err);
	return code;
}

/* All CPUs in order of time. */
static int take_events(struct loader *loader, struct err *err)
{
	size_t count = loader->dat->cpus.count;
	struct cpu_stream *stream = mem_zalloc((count + 1) * sizeof(*stream));
	int code = 0;

	for (size_t i = 0; i < count; i++) {
		trace_dat_reader_init(&stream[i].reader, loader->dat, &loader->dat->cpus.item[i]);
		stream[i].has = trace_dat_next(&stream[i].reader, &stream[i].event);
	}
	while (!code) {
		struct cpu_stream *first = NULL;

		for (size_t i = 0; i < count; i++)
			if (stream[i].has &&
			    (!first || stream[i].event.time_ns < first->event.time_ns))
				first = &stream[i];
		if (!first)
			break;
		code = take_event(loader, first, err);
	}
	free(stream);
	return code;
}

static int load(struct loader *loader, struct err *err)
{
	int code;

	take_formats(loader);
	find_used(loader);
	code = take_names(loader, err);
	if (!code)
		code = take_cmdlines(loader, err);
	if (!code)
		code = take_events(loader, err);
	return code ? code : trace_records_finish(loader->records, err);
}

int trace_dat_load(const uint8_t *data, size_t len, struct err *err)
{
	struct loader loader = { 0 };
	struct trace_dat *dat;
	int code = trace_dat_open(data, len, &dat, err);

	if (code)
		return code;
	loader.dat = dat;
	loader.records = trace_records_new();
	loader.kind = mem_zalloc(ID_LIMIT * sizeof(*loader.kind));
	code = load(&loader, err);
	call_times_done(&loader.calls);
	map_done(&loader.seen);
	kallsyms_done(&loader.kallsyms);
	free(loader.kind);
	trace_records_free(loader.records);
	trace_dat_free(dat);
	return code;
}
