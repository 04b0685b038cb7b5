/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "xctrace export" of a time profile → profile. Elements have an id where they are spelled out and
 * a ref everywhere else. Only the elements that rows of a time profile are made of are looked at.
 * Expat parses the XML; a document type is an error, so no entity grows. */
#include <expat.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "format/format.h"
#include "format/input.h"
#include "format/text/text.h"

#define PIECE_BYTES (1 << 20) /* expat counts in int */
#define MAX_DEPTH   65536

/* Values of elements with an id: a number, or an index (of some + 1). */
enum kind { NUMBER, FRAME, STACK, THREAD, PATH, MODULE, KINDS };

struct xctrace_reader {
	struct profile *profile;
	XML_Parser parser;
	struct map values;    /* id and kind → value */
	VEC(uint32_t) frames; /* of the open backtrace, leaf first */
	struct profile_sample row;
	uint64_t backtrace, frame_id, text_id; /* of what is open; 0 = it has none */
	struct frame frame;
	struct buf text; /* of the open number or path */
	bool in_backtrace, in_frame, in_text;
	bool has_stack;
};

/* An attribute's value, "" when there is none. */
static const char *attribute(const char **attributes, const char *name)
{
	for (; *attributes; attributes += 2)
		if (strcmp(attributes[0], name) == 0)
			return attributes[1];
	return "";
}

static uint64_t number(const char *s)
{
	return strtoull(s, NULL, 0);
}

static struct slice whole(const char *s)
{
	return (struct slice){ s, strlen(s) };
}

static string_id intern(const struct xctrace_reader *r, struct slice s)
{
	return strtab_intern(r->profile->strings, s.s, s.len);
}

/* The value of an element with a ref; 0 if its id was not defined. */
static uint64_t referred(const struct xctrace_reader *r, enum kind kind, const char **attributes)
{
	uint64_t ref = number(attribute(attributes, "ref")), value = 0;

	return ref && map_get(&r->values, ref * KINDS + kind, &value) ? value : 0;
}

static void define(struct xctrace_reader *r, enum kind kind, uint64_t id, uint64_t value)
{
	if (id)
		map_set(&r->values, id * KINDS + kind, value);
}

/* "main  0x8480c1 (rust_test2, pid: 49374)" */
static thread_id make_thread(struct xctrace_reader *r, struct slice text)
{
	const char *pid = memmem(text.s, text.len, "pid: ", 5);
	const char *hex = memmem(text.s, text.len, " 0x", 3);
	uint64_t tid = hex ? number(hex + 1) : 0, process = 0;
	struct slice name = { text.s, hex ? (size_t)(hex - text.s) : text.len };

	if (pid)
		process = number(pid + strlen("pid: "));
	return profile_thread(r->profile, pid ? (uint32_t)process : PROFILE_NO_ID,
			      hex ? (uint32_t)tid : PROFILE_NO_ID,
			      profile_string(r->profile, intern(r, text_trim(name))));
}

static void push_frame(struct xctrace_reader *r, uint32_t frame)
{
	if (r->frames.count < MAX_DEPTH)
		vec_push(&r->frames, frame);
}

static void end_frame(struct xctrace_reader *r)
{
	uint32_t frame = profile_frame(r->profile, &r->frame).v;

	define(r, FRAME, r->frame_id, (uint64_t)frame + 1);
	push_frame(r, frame);
	r->in_frame = false;
}

static void end_backtrace(struct xctrace_reader *r)
{
	stack_id stack = STACK_EMPTY;

	while (r->frames.count)
		stack = profile_stack_push(r->profile, stack,
					   (frame_id){ r->frames.item[--r->frames.count] });
	define(r, STACK, r->backtrace, (uint64_t)stack.v + 1);
	r->row.stack = stack;
	r->has_stack = true;
	r->in_backtrace = false;
}

static void start_frame(struct xctrace_reader *r, const char **attributes)
{
	uint64_t known = referred(r, FRAME, attributes);
	const char *name;

	if (known) {
		push_frame(r, (uint32_t)known - 1);
		return;
	}
	name = profile_string(r->profile, intern(r, whole(attribute(attributes, "name"))));
	r->frame = (struct frame){ .function = text_name(r->profile, whole(name)),
				   .pc = number(attribute(attributes, "addr")) };
	r->frame.offset = r->frame.pc;
	r->frame_id = number(attribute(attributes, "id"));
	r->in_frame = true;
}

static void start_binary(struct xctrace_reader *r, const char **attributes)
{
	uint64_t module = referred(r, MODULE, attributes);
	const char *path = attribute(attributes, "path");

	if (!module && *path) {
		module = profile_module(r->profile,
					profile_string(r->profile, intern(r, whole(path))), "");
		define(r, MODULE, number(attribute(attributes, "id")), module);
	}
	r->frame.module = (uint32_t)module;
}

static void start_backtrace(struct xctrace_reader *r, const char **attributes)
{
	uint64_t known = referred(r, STACK, attributes);

	if (known) {
		r->row.stack.v = (uint32_t)known - 1;
		r->has_stack = true;
	} else if (!*attribute(attributes, "ref")) {
		r->backtrace = number(attribute(attributes, "id"));
		r->frames.count = 0;
		r->in_backtrace = true;
	}
}

/* An element that has its value as text, such as <weight id="9" fmt="1.00 ms">1000000</weight>; or
 * the value, when it is referred to. */
static uint64_t start_text(struct xctrace_reader *r, enum kind kind, const char **attributes)
{
	r->in_text = !*attribute(attributes, "ref");
	r->text_id = number(attribute(attributes, "id"));
	buf_clear(&r->text);
	return referred(r, kind, attributes);
}

static uint64_t end_number(struct xctrace_reader *r, uint64_t known)
{
	uint64_t value;

	if (!r->in_text)
		return known;
	value = number(r->text.data ? r->text.data : "");
	define(r, NUMBER, r->text_id, value);
	r->in_text = false;
	return value;
}

static void end_path(struct xctrace_reader *r)
{
	if (!r->in_text)
		return;
	r->frame.file = intern(r, (struct slice){ r->text.data ? r->text.data : "", r->text.len });
	define(r, PATH, r->text_id, r->frame.file.v);
	r->in_text = false;
}

static void start_thread(struct xctrace_reader *r, const char **attributes)
{
	uint64_t known = referred(r, THREAD, attributes);

	if (!known) {
		known = make_thread(r, whole(attribute(attributes, "fmt"))).v + 1u;
		define(r, THREAD, number(attribute(attributes, "id")), known);
	}
	r->row.thread.v = (uint32_t)known - 1;
}

static void end_row(struct xctrace_reader *r)
{
	r->profile->meta.unknown_records += !r->has_stack;
	if (!r->has_stack)
		return;
	r->row.stack = profile_stack_or_unknown(r->profile, r->row.stack);
	profile_add(r->profile, &r->row);
}

static bool is(const char *element, const char *name)
{
	return strcmp(element, name) == 0;
}

static void XMLCALL start_element(void *reader, const char *element, const char **attributes)
{
	struct xctrace_reader *r = reader;

	if (is(element, "row")) {
		r->row.weight = r->row.time_ns = 0;
		r->has_stack = false;
	} else if (is(element, "sample-time")) {
		r->row.time_ns = start_text(r, NUMBER, attributes);
	} else if (is(element, "weight")) {
		r->row.weight = start_text(r, NUMBER, attributes);
	} else if (is(element, "path")) {
		r->frame.file.v = (uint32_t)start_text(r, PATH, attributes);
	} else if (is(element, "thread")) {
		start_thread(r, attributes);
	} else if (is(element, "backtrace")) {
		start_backtrace(r, attributes);
	} else if (is(element, "frame")) {
		start_frame(r, attributes);
	} else if (is(element, "binary")) {
		start_binary(r, attributes);
	} else if (is(element, "source")) {
		r->frame.line = (uint32_t)number(attribute(attributes, "line"));
	}
}

static void XMLCALL end_element(void *reader, const char *element)
{
	struct xctrace_reader *r = reader;

	if (is(element, "row"))
		end_row(r);
	else if (is(element, "sample-time"))
		r->row.time_ns = end_number(r, r->row.time_ns);
	else if (is(element, "weight"))
		r->row.weight = end_number(r, r->row.weight);
	else if (is(element, "path"))
		end_path(r);
	else if (is(element, "frame") && r->in_frame)
		end_frame(r);
	else if (is(element, "backtrace") && r->in_backtrace)
		end_backtrace(r);
}

static void XMLCALL take_text(void *reader, const char *s, int len)
{
	struct xctrace_reader *r = reader;

	if (r->in_text)
		(void)buf_append(&r->text, s, (size_t)len);
}

static void XMLCALL refuse_doctype(void *reader, const char *name, const char *system,
				   const char *public, int has_subset)
{
	struct xctrace_reader *r = reader;

	(void)name;
	(void)system;
	(void)public;
	(void)has_subset;
	(void)XML_StopParser(r->parser, XML_FALSE); /* fails only when it is stopped already */
}

/* Rows before an error count; the rest is lost. */
static void note_damage(struct xctrace_reader *r, size_t len)
{
	struct profile_meta *meta = &r->profile->meta;
	XML_Index at = XML_GetCurrentByteIndex(r->parser);
	struct buf what = { 0 };

	(void)buf_printf(&what, "line %lu: %s", (unsigned long)XML_GetCurrentLineNumber(r->parser),
			 XML_ErrorString(XML_GetErrorCode(r->parser)));
	meta->damage = intern(r, (struct slice){ what.data, what.len });
	meta->truncated_bytes += len - (at > 0 && (size_t)at < len ? (size_t)at : 0);
	buf_done(&what);
}

static void parse(struct xctrace_reader *r, const char *text, size_t len)
{
	enum XML_Status status = XML_STATUS_OK;

	XML_SetUserData(r->parser, r);
	XML_SetElementHandler(r->parser, start_element, end_element);
	XML_SetCharacterDataHandler(r->parser, take_text);
	XML_SetStartDoctypeDeclHandler(r->parser, refuse_doctype);
	for (size_t at = 0, n; status == XML_STATUS_OK && at < len; at += n) {
		n = len - at < PIECE_BYTES ? len - at : PIECE_BYTES;
		status = XML_Parse(r->parser, text + at, (int)n, at + n == len);
	}
	if (status != XML_STATUS_OK)
		note_damage(r, len);
}

static int xctrace_read(struct input *input, const struct format_read_options *options,
			struct profile *profile, struct err *err)
{
	static const XML_Memory_Handling_Suite memory = { mem_alloc, mem_realloc, free };
	struct xctrace_reader r = { .profile = profile };
	const uint8_t *data;
	size_t len;
	int code = input_map(input, &data, &len, err);

	(void)options;
	if (code)
		return code;
	r.parser = XML_ParserCreate_MM(NULL, &memory, NULL);
	r.row = text_sample(profile, "time", "ns");
	parse(&r, (const char *)data, len);
	XML_ParserFree(r.parser);
	map_done(&r.values);
	vec_done(&r.frames);
	buf_done(&r.text);
	return 0;
}

static int xctrace_sniff(const uint8_t *head, size_t len)
{
	struct slice text = { (const char *)head, len };

	return text_has(text, "<trace-query-result>") ? 2 : 0;
}

const struct format_ops format_xctrace = {
	.name = "xctrace",
	.help = "XML of xctrace export",
	.sniff = xctrace_sniff,
	.read = xctrace_read,
};
