/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "xctrace export" of a time profile → profile. Elements have an id where they are spelled out and
 * a ref everywhere else. Only the tags that rows of a time profile are made of are looked at; the
 * XML is what xctrace writes, not any XML: no comments, CDATA or entities of one's own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "format/format.h"
#include "format/input.h"
#include "format/text/text.h"

#define MAX_DEPTH 65536

struct tag {
	struct slice name, attributes;
	bool end, empty; /* </x>, <x/> */
};

/* What elements that are referred to stand for: a number, or an index (of some + 1). */
enum kind { NUMBER, FRAME, STACK, THREAD, PATH, MODULE, KINDS };

struct xctrace_reader {
	struct profile *profile;
	struct slice text;
	struct map values;    /* id and kind → value */
	VEC(uint32_t) frames; /* of the open backtrace, leaf first */
	struct profile_sample row;
	uint64_t backtrace; /* id of the open one, 0 = none */
	struct frame frame; /* the open one */
	uint64_t frame_id;
	bool has_stack;
};

/* The next tag, and the text in front of it. */
static bool next_tag(struct slice *text, struct slice *ret_before, struct tag *ret)
{
	struct slice inside;

	*ret_before = text_cut(text, '<');
	if (!text->len)
		return false;
	inside = text_cut(text, '>');
	*ret = (struct tag){ .end = text_starts(inside, "/") };
	ret->empty = inside.len && inside.s[inside.len - 1] == '/';
	if (ret->end)
		inside = (struct slice){ inside.s + 1, inside.len - 1 };
	ret->name = text_cut(&inside, ' ');
	if (ret->empty && ret->name.len && ret->name.s[ret->name.len - 1] == '/')
		ret->name.len--;
	ret->attributes = inside;
	return true;
}

static bool is_tag(const struct tag *tag, const char *name)
{
	return tag->name.len == strlen(name) && memcmp(tag->name.s, name, tag->name.len) == 0;
}

static struct slice attribute(const struct tag *tag, const char *name)
{
	struct slice rest = tag->attributes;

	while (rest.len) {
		struct slice key = text_trim(text_cut(&rest, '='));

		(void)text_cut(&rest, '"');
		if (key.len == strlen(name) && memcmp(key.s, name, key.len) == 0)
			return text_cut(&rest, '"');
		(void)text_cut(&rest, '"');
	}
	return (struct slice){ "", 0 };
}

static uint64_t number(struct slice s)
{
	char copy[32] = "";

	if (s.len < sizeof(copy))
		memcpy(copy, s.s, s.len);
	return strtoull(copy, NULL, 0);
}

static string_id intern(const struct xctrace_reader *r, struct slice s)
{
	static const struct {
		const char *name;
		char c;
	} entities[] = {
		{ "amp;", '&' }, { "lt;", '<' }, { "gt;", '>' }, { "quot;", '"' }, { "apos;", '\'' }
	};
	struct buf text = { 0 };
	string_id ret;

	while (s.len) {
		struct slice part = text_cut(&s, '&');

		(void)buf_append(&text, part.s, part.len);
		for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++)
			if (text_starts(s, entities[i].name)) {
				(void)buf_putc(&text, entities[i].c);
				(void)text_cut(&s, ';');
				break;
			}
	}
	ret = strtab_intern(r->profile->strings, text.data ? text.data : "", text.len);
	buf_done(&text);
	return ret;
}

/* What a tag with a ref stands for; 0 when it was never spelled out. */
static uint64_t referred(const struct xctrace_reader *r, enum kind kind, const struct tag *tag)
{
	uint64_t ref = number(attribute(tag, "ref")), value = 0;

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
	struct slice rest = { hex ? hex + 1 : "", hex ? text.len - (size_t)(hex + 1 - text.s) : 0 };
	uint64_t tid = number(text_cut(&rest, ' ')), number_of_process = 0;
	struct slice name = { text.s, hex ? (size_t)(hex - text.s) : text.len };

	if (pid) {
		rest = (struct slice){ pid + 5, text.len - (size_t)(pid + 5 - text.s) };
		number_of_process = number(text_cut(&rest, ')'));
	}
	return profile_thread(r->profile, pid ? (uint32_t)number_of_process : PROFILE_NO_ID,
			      hex ? (uint32_t)tid : PROFILE_NO_ID,
			      profile_string(r->profile, intern(r, text_trim(name))));
}

static void end_frame(struct xctrace_reader *r)
{
	uint32_t frame = profile_frame(r->profile, &r->frame).v;

	define(r, FRAME, r->frame_id, (uint64_t)frame + 1);
	if (r->frames.count < MAX_DEPTH)
		vec_push(&r->frames, frame);
	r->frame = (struct frame){ 0 };
	r->frame_id = 0;
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
	r->backtrace = 0;
}

static void read_frame_tag(struct xctrace_reader *r, const struct tag *tag)
{
	uint64_t known = referred(r, FRAME, tag);
	const char *name;

	if (known) {
		vec_push(&r->frames, (uint32_t)known - 1);
		return;
	}
	name = profile_string(r->profile, intern(r, attribute(tag, "name")));
	r->frame = (struct frame){ .function = text_name(r->profile,
							 (struct slice){ name, strlen(name) }),
				   .pc = number(attribute(tag, "addr")) };
	r->frame.offset = r->frame.pc;
	r->frame_id = number(attribute(tag, "id"));
	if (tag->empty)
		end_frame(r);
}

static void read_binary_tag(struct xctrace_reader *r, const struct tag *tag)
{
	uint64_t module = referred(r, MODULE, tag);
	struct slice path = attribute(tag, "path");

	if (!module && path.len) {
		module =
			profile_module(r->profile, profile_string(r->profile, intern(r, path)), "");
		define(r, MODULE, number(attribute(tag, "id")), module);
	}
	r->frame.module = (uint32_t)module;
}

static void read_backtrace_tag(struct xctrace_reader *r, const struct tag *tag)
{
	uint64_t known = referred(r, STACK, tag);

	if (known) {
		r->row.stack.v = (uint32_t)known - 1;
		r->has_stack = true;
		return;
	}
	r->backtrace = number(attribute(tag, "id"));
	r->frames.count = 0;
}

/* A number between tags: <weight id="9" fmt="1.00 ms">1000000</weight>. */
static uint64_t read_number(struct xctrace_reader *r, const struct tag *tag)
{
	struct slice rest = r->text, value;
	uint64_t known = referred(r, NUMBER, tag);

	if (attribute(tag, "ref").len)
		return known;
	value = text_cut(&rest, '<');
	define(r, NUMBER, number(attribute(tag, "id")), number(value));
	return number(value);
}

static void read_path_tag(struct xctrace_reader *r, const struct tag *tag)
{
	struct slice rest = r->text;
	uint64_t known = referred(r, PATH, tag);

	if (!attribute(tag, "ref").len) {
		known = intern(r, text_cut(&rest, '<')).v;
		define(r, PATH, number(attribute(tag, "id")), known);
	}
	r->frame.file.v = (uint32_t)known;
}

static void read_thread_tag(struct xctrace_reader *r, const struct tag *tag)
{
	uint64_t known = referred(r, THREAD, tag);

	if (!known) {
		known = make_thread(r, attribute(tag, "fmt")).v + 1u;
		define(r, THREAD, number(attribute(tag, "id")), known);
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

static void read_start(struct xctrace_reader *r, const struct tag *tag)
{
	if (is_tag(tag, "row")) {
		r->row.weight = r->row.time_ns = 0;
		r->has_stack = false;
	} else if (is_tag(tag, "sample-time")) {
		r->row.time_ns = read_number(r, tag);
	} else if (is_tag(tag, "weight")) {
		r->row.weight = read_number(r, tag);
	} else if (is_tag(tag, "thread")) {
		read_thread_tag(r, tag);
	} else if (is_tag(tag, "backtrace")) {
		read_backtrace_tag(r, tag);
	} else if (is_tag(tag, "frame")) {
		read_frame_tag(r, tag);
	} else if (is_tag(tag, "binary")) {
		read_binary_tag(r, tag);
	} else if (is_tag(tag, "source")) {
		r->frame.line = (uint32_t)number(attribute(tag, "line"));
	} else if (is_tag(tag, "path")) {
		read_path_tag(r, tag);
	}
}

static void read_end(struct xctrace_reader *r, const struct tag *tag)
{
	if (is_tag(tag, "row"))
		end_row(r);
	else if (is_tag(tag, "frame"))
		end_frame(r);
	else if (is_tag(tag, "backtrace"))
		end_backtrace(r);
}

static int xctrace_read(struct input *input, const struct format_read_options *options,
			struct profile *profile, struct err *err)
{
	struct xctrace_reader r = { .profile = profile };
	const uint8_t *data;
	struct slice before;
	struct tag tag;
	int code = input_map(input, &data, &r.text.len, err);

	(void)options;
	if (code)
		return code;
	r.text.s = (const char *)data;
	r.row = text_sample(profile, "time", "ns");
	while (next_tag(&r.text, &before, &tag))
		if (tag.end)
			read_end(&r, &tag);
		else
			read_start(&r, &tag);
	map_done(&r.values);
	vec_done(&r.frames);
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
