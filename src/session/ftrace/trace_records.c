/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Making a recording of another trace (see trace_records.h). */
#include "session/ftrace/trace_records.h"

#include <linux/perf_event.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "event/desc.h"
#include "event/event.h"
#include "format/perf_data/perf_data_write.h"
#include "proc/module.h"
#include "symbol/kept/kept_names.h"
#include "symbol/symbolizer.h"

#define KERNEL	     "[kernel.kallsyms]"
#define RAW_LIMIT    65000u /* a record has 16 bits for its length */
#define FRAMES_LIMIT 512u
#define ROUND_BYTES  ((size_t)1 << 20)
#define NO_TEXT	     1u /* no kernel's code begins there */
#define SAMPLE_CONTENT                                                                  \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW)

struct trace_records {
	struct event_set events;
	struct perf_data_writer *writer;
	struct kept_names_writer *names;
	struct module_table *modules;
	const struct module *kernel;
	struct buf record;
	size_t unsorted; /* bytes since the last round */
	uint64_t first_ns, last_ns, lost;
	int fd;
};

struct trace_records *trace_records_new(void)
{
	struct trace_records *records = mem_zalloc(sizeof(*records));

	records->names = kept_names_writer_new();
	records->modules = module_table_new();
	records->kernel = module_table_named(records->modules, MODULE_KERNEL, KERNEL, 0);
	records->fd = -1;
	return records;
}

void trace_records_free(struct trace_records *records)
{
	if (!records)
		return;
	perf_data_writer_free(records->writer);
	kept_names_writer_free(records->names);
	module_table_free(records->modules);
	event_set_done(&records->events);
	buf_done(&records->record);
	fd_close(&records->fd);
	free(records);
}

size_t trace_records_add_event(struct trace_records *records, const char *name, uint64_t id)
{
	struct perf_event_attr attr = { .size = PERF_ATTR_SIZE_VER7,
					.type = PERF_TYPE_TRACEPOINT,
					.config = id,
					.sample_period = 1,
					.sample_type = SAMPLE_CONTENT,
					.sample_id_all = 1 };
	struct event_desc *desc;

	if (!id) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_DUMMY;
	}
	if (!records->events.desc.count)
		attr.comm = attr.comm_exec = attr.task = attr.mmap = 1;
	desc = event_set_add(&records->events, &attr, name);
	event_set_add_id(&records->events, desc, records->events.desc.count);
	return records->events.desc.count - 1;
}

static int put_kernel(struct trace_records *records, uint64_t text_start, struct err *err)
{
	struct event event = { .type = EVENT_MMAP,
			       .misc = PERF_RECORD_MISC_KERNEL,
			       .pid = (uint32_t)-1,
			       .cpu = (uint32_t)-1,
			       .mmap = { .start = text_start ? text_start : NO_TEXT,
					 .pgoff = text_start ? text_start : NO_TEXT,
					 .len = text_start ? UINT64_MAX - text_start
							   : UINT64_MAX - 4096,
					 .path = KERNEL "_text" } };

	return perf_data_writer_event(records->writer, &event, err);
}

int trace_records_begin(struct trace_records *records, const void *tracing_data, size_t len,
			uint64_t text_start, struct err *err)
{
	struct perf_data_facts facts = { .tracing_data = tracing_data, .tracing_data_len = len };
	int code;

	records->fd = fd_temporary("trace", err);
	if (records->fd < 0)
		return records->fd;
	facts.fd = records->fd;
	code = perf_data_writer_open(&records->events, &facts, &records->writer, err);
	return code ? code : put_kernel(records, text_start, err);
}

int trace_records_comm(struct trace_records *records, uint32_t tid, const char *comm,
		       struct err *err)
{
	const struct event event = { .type = EVENT_COMM,
				     .pid = tid,
				     .tid = tid,
				     .cpu = (uint32_t)-1,
				     .id = 1,
				     .comm = { .name = comm } };

	return perf_data_writer_event(records->writer, &event, err);
}

static void put(struct buf *out, const void *data, size_t len)
{
	(void)buf_append(out, data, len);
}

static void put_u64(struct buf *out, uint64_t value)
{
	put(out, &value, sizeof(value));
}

static void put_pair(struct buf *out, uint32_t first, uint32_t second)
{
	put(out, &first, sizeof(first));
	put(out, &second, sizeof(second));
}

static void put_chain(struct buf *out, const struct trace_record *record)
{
	size_t frames = record->frames < FRAMES_LIMIT ? record->frames : FRAMES_LIMIT;
	size_t user = record->user_frames < FRAMES_LIMIT ? record->user_frames : FRAMES_LIMIT;

	put_u64(out, frames + (frames != 0) + user + (user != 0));
	if (frames)
		put_u64(out, PERF_CONTEXT_KERNEL);
	put(out, record->frame, frames * sizeof(*record->frame));
	if (user)
		put_u64(out, PERF_CONTEXT_USER);
	put(out, record->user_frame, user * sizeof(*record->user_frame));
}

static void put_raw(struct buf *out, const struct trace_record *record)
{
	uint32_t len = record->raw_len < RAW_LIMIT ? record->raw_len : 0;
	uint32_t padded = ((len + 4 + 7) & ~7u) - 4;

	put(out, &padded, sizeof(padded));
	put(out, record->raw, len);
	(void)buf_pad(out, '\0', padded - len);
}

/* perf.data sorts between two of these. */
static int end_round(struct trace_records *records, size_t bytes, struct err *err)
{
	records->unsorted += bytes;
	if (records->unsorted < ROUND_BYTES)
		return 0;
	records->unsorted = 0;
	return perf_data_writer_round(records->writer, err);
}

int trace_records_sample(struct trace_records *records, const struct trace_record *record,
			 struct err *err)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE,
					    .misc = PERF_RECORD_MISC_KERNEL };
	struct buf *out = &records->record;
	int code;

	buf_clear(out);
	put(out, &header, sizeof(header));
	put_u64(out, record->event + 1);
	put_u64(out, record->frames ? record->frame[0] : 0);
	put_pair(out, record->tid, record->tid);
	put_u64(out, record->time_ns);
	put_pair(out, record->cpu, 0);
	put_u64(out, record->period);
	put_chain(out, record);
	put_raw(out, record);
	if (out->len > UINT16_MAX)
		return trace_records_lost(records, 1, err);
	header.size = (uint16_t)out->len;
	memcpy(out->data, &header, sizeof(header));
	if (!records->first_ns)
		records->first_ns = record->time_ns;
	records->last_ns = record->time_ns;
	code = perf_data_writer_records(records->writer, out->data, out->len, err);
	return code ? code : end_round(records, out->len, err);
}

int trace_records_lost(struct trace_records *records, uint64_t count, struct err *err)
{
	const struct event event = { .type = EVENT_LOST,
				     .id = 1,
				     .has_time = true,
				     .time_ns = records->last_ns,
				     .cpu = (uint32_t)-1,
				     .lost = { .count = count } };

	records->lost += count;
	return perf_data_writer_event(records->writer, &event, err);
}

void trace_records_name(struct trace_records *records, uint64_t start, uint64_t end,
			const char *name)
{
	struct symbol symbol = { .start = start, .end = end, .binding = 'g', .count = 1 };

	symbol.frame[0].name = name;
	kept_names_add(records->names, records->kernel, start, &symbol);
}

int trace_records_finish(struct trace_records *records, struct err *err)
{
	struct perf_data_summary summary = { .first_ns = records->first_ns,
					     .last_ns = records->last_ns,
					     .lost_records = records->lost };
	struct buf names = { 0 };
	int code;

	kept_names_write(records->names, &names);
	summary.names = names.data;
	summary.names_len = names.len;
	code = perf_data_writer_finish(records->writer, &summary, err);
	buf_done(&names);
	return code ? code : take_fd(&records->fd);
}
