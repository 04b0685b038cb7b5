/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree inside cupel's own flame graphs; view/flame/flame_pack.h describes the bytes, and
 * flame_data.js is the other reader. All sizes are claims: what is not there reads as zeros, and
 * memory grows with the bytes that are. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/vec.h"
#include "format/perf_script/module_kind.h"
#include "format/picture/picture.h"
#include "profile/profile.h"

#define UNPACKED_LIMIT ((size_t)1 << 30)
#define STEPS_LIMIT    400000000 /* up the trees of pictures with the leaves at the root */

/* ORDER: as enum flame_kind of view/flame/flame_color.h; the two rooms share no header. */
enum kind { ALL, COMMAND, USER, KERNEL, JIT, INTERPRETER, GUEST, SEPARATOR, UNKNOWN, SMALLER };

struct bytes {
	const unsigned char *at, *end;
};

struct label {
	string_id name, module, file;
	uint32_t line;
	enum kind kind;
	bool inlined;
};

struct node {
	uint32_t parent, label, kids, left; /* left: children that are yet to come */
	uint64_t next;			    /* edge after the last child's */
	stack_id stack;
	string_id command;
};

struct data_reader {
	struct profile *profile;
	struct bytes bytes;
	struct json info;
	VEC(string_id) strings;
	VEC(struct label) labels;
	VEC(uint32_t) first, below; /* edges by label, one more than labels */
	VEC(struct node) nodes;
	bool reverse; /* leaves at the root */
	uint64_t steps;
};

static uint64_t number(struct bytes *b)
{
	uint64_t value = 0;

	for (unsigned shift = 0; b->at < b->end && shift < 64; shift += 7) {
		unsigned char byte = *b->at++;

		value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			break;
	}
	return value;
}

static struct bytes take(struct bytes *b, uint64_t len)
{
	struct bytes part = { b->at, b->at };

	part.end += len < (uint64_t)(b->end - b->at) ? len : (uint64_t)(b->end - b->at);
	b->at = part.end;
	return part;
}

static struct bytes section(struct data_reader *r)
{
	return take(&r->bytes, number(&r->bytes));
}

static uint64_t info(const struct data_reader *r, const char *name)
{
	return json_u64(&r->info, json_get(&r->info, JSON_ROOT, name), 0);
}

static int digit(char c)
{
	return c >= 'A' && c <= 'Z'   ? c - 'A'
	       : c >= 'a' && c <= 'z' ? c - 'a' + 26
	       : c >= '0' && c <= '9' ? c - '0' + 52
	       : c == '+'	      ? 62
	       : c == '/'	      ? 63
				      : -1;
}

static void unpack_base64(struct slice text, struct buf *ret)
{
	uint32_t word = 0, bits = 0;

	for (size_t i = 0; i < text.len; i++) {
		int value = digit(text.s[i]);

		if (value < 0)
			continue;
		word = word << 6 | (uint32_t)value;
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			(void)buf_putc(ret, (char)(word >> bits));
		}
	}
}

static int inflate_all(const struct buf *packed, struct buf *ret, struct err *err)
{
	z_stream z = { .next_in = (unsigned char *)packed->data, .avail_in = (uInt)packed->len };
	int code = packed->len > UINT32_MAX ? Z_DATA_ERROR : inflateInit(&z);
	unsigned char chunk[1 << 14];

	if (code != Z_OK)
		return err_set(err, -EBADMSG, "cannot decompress the picture's data");
	while (code == Z_OK) {
		z.next_out = chunk;
		z.avail_out = sizeof(chunk);
		code = inflate(&z, Z_NO_FLUSH);
		if (buf_append(ret, (char *)chunk, sizeof(chunk) - z.avail_out))
			code = Z_MEM_ERROR;
	}
	(void)inflateEnd(&z);
	return code == Z_STREAM_END ? 0
				    : err_set(err, code == Z_MEM_ERROR ? -E2BIG : -EBADMSG,
					      code == Z_MEM_ERROR ? "the picture is too large"
								  : "damaged picture data");
}

static void read_strings(struct data_reader *r)
{
	struct bytes b = section(r);
	struct buf word = { 0 };

	for (uint64_t count = info(r, "strings"); count && b.at < b.end; count--) {
		uint64_t common = number(&b);
		struct bytes more = take(&b, number(&b));

		if (common < word.len)
			word.len = (size_t)common;
		(void)buf_append(&word, (const char *)more.at, (size_t)(more.end - more.at));
		vec_push(&r->strings,
			 strtab_intern(r->profile->strings, word.data ? word.data : "", word.len));
	}
	buf_done(&word);
}

static string_id string_at(const struct data_reader *r, uint64_t index)
{
	return index < r->strings.count ? r->strings.item[index] : STRING_EMPTY;
}

static void read_labels(struct data_reader *r)
{
	struct bytes b = section(r);
	uint64_t count = info(r, "labels");

	if (count > (uint64_t)(b.end - b.at))
		count = (uint64_t)(b.end - b.at);
	for (uint64_t i = 0; i < count; i++)
		vec_push(&r->labels, ((struct label){ .name = string_at(r, number(&b)) }));
	for (uint64_t i = 0; i < count; i++)
		r->labels.item[i].module = string_at(r, number(&b));
	for (uint64_t i = 0; i < count; i++)
		r->labels.item[i].file = string_at(r, number(&b));
	for (uint64_t i = 0; i < count; i++)
		r->labels.item[i].line = (uint32_t)number(&b);
	for (uint64_t i = 0; i < count; i++)
		(void)number(&b); /* last line */
	for (uint64_t i = 0; i < count; i++) {
		uint64_t value = number(&b);

		r->labels.item[i].kind = value & 15;
		r->labels.item[i].inlined = value >= 16;
	}
}

static void read_edges(struct data_reader *r)
{
	struct bytes b = section(r);

	for (size_t i = 0; i < r->labels.count; i++) {
		uint64_t below = 0;

		vec_push(&r->first, (uint32_t)r->below.count);
		for (uint64_t n = number(&b); n && b.at < b.end; n--) {
			below += number(&b);
			vec_push(&r->below, (uint32_t)below);
		}
	}
	vec_push(&r->first, (uint32_t)r->below.count);
}

/* The label at an edge of another; the one of all where there is no such edge. */
static uint32_t label_at(const struct data_reader *r, uint32_t above, uint64_t edge)
{
	uint64_t index = r->first.item[above] + edge;
	uint32_t label = index < r->first.item[above + 1] ? r->below.item[index] : 0;

	return label < r->labels.count ? label : 0;
}

static frame_id frame_of(struct data_reader *r, const struct label *label)
{
	static const enum frame_kind kinds[] = {
		[KERNEL] = FRAME_KERNEL,	   [JIT] = FRAME_JIT,
		[INTERPRETER] = FRAME_INTERPRETER, [GUEST] = FRAME_GUEST,
		[SEPARATOR] = FRAME_SEPARATOR,	   [SMALLER] = FRAME_USER,
	};
	const char *module = profile_string(r->profile, label->module);
	struct frame frame = { .function = label->name,
			       .file = label->file,
			       .line = label->line,
			       .inlined = label->inlined };

	if (label->kind <= SMALLER)
		frame.kind = kinds[label->kind];
	if (*module)
		frame.module = profile_module(r->profile, module, "");
	if (label->kind == UNKNOWN && profile_string(r->profile, label->name)[0] == '[')
		frame.function = STRING_EMPTY; /* "[module]", "[unknown]" */
	return profile_frame(r->profile, &frame);
}

/* One frame further in. Frames that were gathered are left out: their weight is that of the frame
 * below. */
static void push(struct data_reader *r, uint32_t at, stack_id *stack, string_id *command)
{
	const struct label *label = &r->labels.item[r->nodes.item[at].label];

	if (label->kind == COMMAND)
		*command = label->name;
	else if (label->kind != SMALLER && label->kind != ALL)
		*stack = profile_stack_push(r->profile, *stack, frame_of(r, label));
}

/* Pre-order: a node's parent is the last before it that has children to come. */
static void read_nodes(struct data_reader *r)
{
	struct bytes kids = section(r), calls = section(r);
	uint64_t count = info(r, "nodes");
	uint32_t above = 0, root = 0;

	while (root + 1 < r->labels.count && r->labels.item[root].kind != ALL)
		root++;
	for (uint64_t i = 0; i < count && kids.at < kids.end; i++) {
		struct node node = { .kids = (uint32_t)number(&kids) };

		while (above && !r->nodes.item[above].left)
			above = r->nodes.item[above].parent;
		node.left = node.kids;
		node.label = root;
		if (i) {
			struct node *parent = &r->nodes.item[above];
			uint64_t step = number(&calls);

			if (!parent->left)
				return; /* more nodes than the tree has room for */
			parent->left--;
			parent->next += (step >> 1) ^ (0 - (step & 1));
			node.parent = above;
			node.label = label_at(r, parent->label, parent->next++);
		}
		if (i) {
			node.stack = r->nodes.item[above].stack;
			node.command = r->nodes.item[above].command;
		}
		vec_push(&r->nodes, node);
		above = (uint32_t)i;
		if (i && !r->reverse)
			push(r, above, &r->nodes.item[i].stack, &r->nodes.item[i].command);
	}
}

static void add(struct data_reader *r, uint32_t at, uint64_t weight, struct profile_sample sample)
{
	string_id command = r->nodes.item[at].command;
	uint32_t scale = r->profile->events.item[sample.event].scale;

	sample.stack = r->nodes.item[at].stack;
	for (uint32_t up = at; r->reverse && up; up = r->nodes.item[up].parent) {
		push(r, up, &sample.stack, &command);
		r->steps++;
	}
	sample.thread = profile_thread(r->profile, PROFILE_NO_ID, PROFILE_NO_ID,
				       profile_string(r->profile, command));
	sample.weight = weight;
	if (sample.count && weight > scale) /* the unit is samples */
		sample.count = weight / (scale ? scale : 1);
	profile_add(r->profile, &sample);
}

static void read_weights(struct data_reader *r, const char *name, const char *unit)
{
	const struct profile_sample sample = { .event = profile_event(r->profile, name, unit),
					       .cpu = PROFILE_NO_CPU,
					       .count = strcmp(unit, "samples") == 0 };

	(void)profile_event_scale(r->profile, sample.event, info(r, "scale"));
	for (int inner = 0; inner < 2; inner++) {
		struct bytes b = section(r);

		for (uint32_t i = 0; i < r->nodes.count; i++) {
			uint64_t weight = (r->nodes.item[i].kids > 0) == inner ? number(&b) : 0;

			if (weight && r->steps < STEPS_LIMIT)
				add(r, i, weight, sample);
			else if (weight)
				r->profile->meta.unknown_records++;
		}
	}
}

static void read_tree(struct data_reader *r)
{
	const struct json *json = &r->info;
	json_id other = json_get(json, JSON_ROOT, "other");
	string_id unit =
		json_intern(json, json_get(json, JSON_ROOT, "countname"), r->profile->strings);
	const char *name = profile_string(r->profile, unit);

	r->reverse = json_type(json, json_get(json, JSON_ROOT, "reverse")) == JSON_BOOL &&
		     json->text[json->nodes.item[json_get(json, JSON_ROOT, "reverse")].at] == 't';
	read_strings(r);
	read_labels(r);
	read_edges(r);
	if (!r->labels.count)
		return;
	read_nodes(r);
	if (json_type(json, other) == JSON_BOOL && json->text[json->nodes.item[other].at] == 't') {
		read_weights(r, "after", name);
		read_weights(r, "before", name);
	} else {
		read_weights(r, *name ? name : "samples", name);
	}
}

int flame_data_read(struct slice base64, struct profile *profile, struct err *err)
{
	struct buf packed = { 0 }, bytes = { .limit = UNPACKED_LIMIT };
	struct data_reader r = { .profile = profile };
	struct bytes json;
	int code;

	unpack_base64(base64, &packed);
	code = inflate_all(&packed, &bytes, err);
	buf_done(&packed);
	if (!code) {
		r.bytes = (struct bytes){ (const unsigned char *)bytes.data,
					  (const unsigned char *)bytes.data + bytes.len };
		json = take(&r.bytes, number(&r.bytes));
		code = json_parse((const char *)json.at, (size_t)(json.end - json.at), &r.info,
				  err);
	}
	if (!code) {
		read_tree(&r);
		json_done(&r.info);
	}
	vec_done(&r.strings);
	vec_done(&r.labels);
	vec_done(&r.first);
	vec_done(&r.below);
	vec_done(&r.nodes);
	buf_done(&bytes);
	return code;
}
