/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracepoint payloads as text (see trace_print.h), formatted by libtraceevent without plugins.
 * Layout of the section: trace-cmd.dat(5) version 6, up to the command lines. */
#include "format/trace/trace_print.h"

#include <event-parse.h>
#include <stdlib.h>
#include <trace-seq.h>

#include "base/buf.h"
#include "format/perf_data/perf_data_private.h"
#include "format/trace/trace_format.h"

#define MAGIC_BYTES  10 /* checked when the section was taken up */
#define MAX_FORMATS  100000
#define PREFIX_LIMIT 256

/* libtraceevent takes offsets and lengths (16 bits each) out of a payload and follows them, and
 * indexes below 100 into fields; so it gets a copy with so much zeroed room behind it that they
 * cannot lead out of it. Pages never touched cost nothing. */
#define PAYLOAD_ROOM ((size_t)128 * TRACE_FORMAT_FIELD_LIMIT)

struct trace_print {
	struct tep_handle *tep; /* NULL = no descriptions */
	struct trace_seq text;
	struct buf name;
	struct trace_resolver *resolver;
	uint8_t *payload; /* PAYLOAD_ROOM bytes */
	uint32_t payload_len;
};

/* A NUL-terminated string. */
static const char *take_text(struct blob *blob)
{
	size_t left = blob_left(blob);
	const uint8_t *nul = left ? memchr(blob->at, '\0', left) : NULL;

	if (!nul) {
		blob->failed = true;
		return NULL;
	}
	return (const char *)blob_bytes(blob, (size_t)(nul - blob->at) + 1);
}

/* Bytes behind a u64 length. libtraceevent wants them NUL-terminated: *ret is a copy. */
static bool take_block(struct blob *blob, struct buf *ret)
{
	uint64_t len = blob_u64(blob);
	const uint8_t *bytes = blob_bytes(blob, len);

	buf_clear(ret);
	return bytes && buf_append(ret, bytes, len) == 0;
}

static void take_formats(struct trace_print *print, struct blob *blob, const char *system)
{
	uint32_t count = blob_u32(blob);
	struct buf block = { 0 };

	/* A format that cannot be parsed costs that event its text, no more. */
	for (uint32_t i = 0; i < count && i < MAX_FORMATS && take_block(blob, &block); i++)
		if (trace_format_valid(block.data, block.len))
			(void)tep_parse_event(print->tep, block.data, block.len, system);
	buf_done(&block);
}

static void take_systems(struct trace_print *print, struct blob *blob)
{
	uint32_t count = blob_u32(blob);

	for (uint32_t i = 0; i < count && i < MAX_FORMATS; i++) {
		const char *system = take_text(blob);

		if (!system)
			return;
		take_formats(print, blob, system);
	}
}

/* Lines "0xADDRESS : \"text\"": format strings that payloads point at. */
static void take_printk(struct trace_print *print, struct blob *blob)
{
	uint32_t len = blob_u32(blob);
	const uint8_t *bytes = blob_bytes(blob, len);
	struct buf text = { 0 };
	char *line, *rest;

	if (!bytes || buf_append(&text, bytes, len))
		return;
	for (line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *colon = strchr(line, ':');
		unsigned long long address = strtoull(line, NULL, 16);

		/* libtraceevent looks at the last characters without counting them. */
		if (colon && colon[1] == ' ' && strlen(colon + 2) >= 4)
			(void)tep_register_print_string(print->tep, colon + 2, address);
	}
	buf_done(&text);
}

static void take_section(struct trace_print *print, struct blob blob)
{
	struct buf block = { 0 };
	const uint8_t *sizes;

	(void)blob_bytes(&blob, MAGIC_BYTES);
	(void)take_text(&blob); /* version */
	sizes = blob_bytes(&blob, 2);
	if (!sizes)
		return;
	tep_set_file_bigendian(print->tep, sizes[0] ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(print->tep, sizes[1]);
	tep_set_page_size(print->tep, (int)blob_u32(&blob));
	(void)take_text(&blob); /* "header_page": of ring buffers, which perf.data has none of */
	(void)take_block(&blob, &block);
	(void)take_text(&blob); /* "header_event": only comments */
	(void)take_block(&blob, &block);
	buf_done(&block);
	take_formats(print, &blob, "ftrace");
	take_systems(print, &blob);
	(void)blob_bytes(&blob, blob_u32(&blob)); /* kallsyms: symbols come from elsewhere */
	take_printk(print, &blob);
}

struct trace_print *trace_print_new(const struct perf_data *data)
{
	const struct perf_data_header *header = perf_data_header(data);
	struct trace_print *print = mem_zalloc(sizeof(*print));

	if (!header->tracing_data)
		return print;
	print->tep = tep_alloc();
	if (!print->tep)
		return print;
	tep_set_loglevel(TEP_LOG_NONE);
	trace_seq_init(&print->text);
	take_section(print, (struct blob){ .at = header->tracing_data,
					   .end = header->tracing_data + header->tracing_data_len,
					   .swapped = header->tracing_swapped });
	return print;
}

void trace_print_free(struct trace_print *print)
{
	if (!print)
		return;
	if (print->tep) {
		trace_seq_destroy(&print->text);
		tep_free(print->tep);
	}
	buf_done(&print->name);
	free(print->payload);
	free(print);
}

static char *resolve(void *context, unsigned long long *address, char **ret_module)
{
	struct trace_print *print = context;
	uint64_t start = *address;
	const char *name = print->resolver->name(print->resolver, &start);

	*address = start;
	*ret_module = NULL;
	return (char *)(uintptr_t)name;
}

void trace_print_resolver(struct trace_print *print, struct trace_resolver *resolver)
{
	print->resolver = resolver;
	if (print->tep && resolver)
		(void)tep_set_function_resolver(print->tep, resolve, print);
}

static struct tep_event *find(struct trace_print *print, const struct event_desc *desc)
{
	if (!print->tep || !desc || desc->attr.type != PERF_TYPE_TRACEPOINT)
		return NULL;
	return tep_find_event(print->tep, (int)desc->attr.config);
}

bool trace_print_names(struct trace_print *print, const struct event_desc *desc, struct buf *ret)
{
	struct tep_event *event = find(print, desc);
	const char *comma = "";

	if (!event)
		return false;
	for (struct tep_format_field *field = event->format.fields; field; field = field->next) {
		(void)buf_puts(ret, comma);
		(void)buf_put_tidy(ret, field->name);
		comma = ",";
	}
	return true;
}

bool trace_print_field(struct trace_print *print, const struct event_desc *desc, const char *name,
		       struct trace_field *ret)
{
	struct tep_event *event = find(print, desc);
	struct tep_format_field *field = event ? tep_find_any_field(event, name) : NULL;

	if (!field || field->offset < 0 || field->size < 0)
		return false;
	*ret = (struct trace_field){
		.offset = (uint32_t)field->offset,
		.size = (uint32_t)field->size,
		.is_signed = field->flags & TEP_FIELD_IS_SIGNED,
		.located = field->flags & TEP_FIELD_IS_DYNAMIC,
		.swapped = tep_is_file_bigendian(print->tep) !=
			   (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
	};
	return true;
}

static void *copy_payload(struct trace_print *print, const void *raw, uint32_t len)
{
	if (!print->payload)
		print->payload = mem_zalloc(PAYLOAD_ROOM);
	memcpy(print->payload, raw, len);
	if (len < print->payload_len)
		memset(print->payload + len, 0, print->payload_len - len);
	print->payload_len = len;
	return print->payload;
}

bool trace_print_event(struct trace_print *print, const struct event *event, struct buf *ret)
{
	struct tep_event *format = find(print, event->desc);
	struct tep_record record = { .cpu = (int)event->cpu };

	/* The payload begins with the event's id. */
	if (!format || event->sample.raw_len < sizeof(uint16_t))
		return false;
	record.data = copy_payload(print, event->sample.raw, event->sample.raw_len);
	record.size = (int)event->sample.raw_len;
	trace_seq_reset(&print->text);
	tep_print_event(print->tep, &print->text, &record, "%s", TEP_PRINT_INFO);
	while (print->text.len && print->text.buffer[print->text.len - 1] == '\n')
		print->text.len--; /* the line is the caller's */
	text_tidy(print->text.buffer, print->text.len);
	return buf_append(ret, print->text.buffer, print->text.len) == 0;
}

bool trace_print_raw(struct trace_print *print, const struct event *event, struct buf *ret)
{
	struct tep_event *format = find(print, event->desc);
	void *payload;

	if (!format || event->sample.raw_len < sizeof(uint16_t))
		return false;
	payload = copy_payload(print, event->sample.raw, event->sample.raw_len);
	trace_seq_reset(&print->text);
	for (struct tep_format_field *field = format->format.fields; field; field = field->next) {
		trace_seq_printf(&print->text, " %s=", field->name);
		tep_print_field(&print->text, payload, field);
	}
	text_tidy(print->text.buffer, print->text.len);
	return buf_append(ret, print->text.buffer, print->text.len) == 0;
}

/* The value of "name=value" in the event's text, up to the next blank; false: it has none. */
static bool find_value(const struct trace_seq *text, const char *name, struct buf *ret)
{
	const char *end = text->buffer + text->len;
	size_t len = strlen(name);

	for (const char *at = text->buffer, *next; at < end; at = next + 1) {
		next = memchr(at, ' ', (size_t)(end - at));
		if (!next)
			next = end;
		if ((size_t)(next - at) > len && at[len] == '=' && memcmp(at, name, len) == 0)
			return buf_append(ret, at + len + 1, (size_t)(next - at) - len - 1) == 0;
	}
	return false;
}

bool trace_print_field_text(struct trace_print *print, const struct event *event, const char *name,
			    bool raw, struct buf *ret)
{
	struct tep_event *format = find(print, event->desc);
	struct tep_format_field *field = format ? tep_find_any_field(format, name) : NULL;
	struct buf whole = { 0 };
	bool found = false;

	if (!field || event->sample.raw_len < sizeof(uint16_t))
		return false;
	/* Text may have blanks in it. */
	if (!raw && !(field->flags & TEP_FIELD_IS_STRING) &&
	    trace_print_event(print, event, &whole))
		found = find_value(&print->text, name, ret);
	buf_done(&whole);
	if (found)
		return true;
	trace_seq_reset(&print->text);
	tep_print_field(&print->text, copy_payload(print, event->sample.raw, event->sample.raw_len),
			field);
	text_tidy(print->text.buffer, print->text.len);
	return buf_append(ret, print->text.buffer, print->text.len) == 0;
}

const char *trace_print_event_name(struct trace_print *print, uint64_t id)
{
	struct tep_event *event = print->tep ? tep_find_event(print->tep, (int)id) : NULL;

	if (!event)
		return NULL;
	print->name.limit = PREFIX_LIMIT;
	buf_clear(&print->name);
	if (buf_printf(&print->name, "%s:%s", event->system, event->name))
		return NULL;
	text_tidy(print->name.data, print->name.len);
	return print->name.data;
}
