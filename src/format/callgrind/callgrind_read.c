/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading callgrind's format (see callgrind.h): name compression, relative positions, calls. The
 * cost line behind "calls=" is the cost of that call, all others are the function's own. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "format/callgrind/callgrind.h"
#include "format/callgrind/callgrind_graph.h"
#include "format/input.h"
#include "format/text/text.h"

#define MAX_POSITIONS 3

struct callgrind_reader {
	struct profile *profile;
	struct call_graph graph;
	struct map names; /* kind and number → string */
	string_id event[CALLGRIND_EVENTS];
	size_t positions;
	string_id object, file, called_object, called_file;
	uint32_t function; /* that costs belong to; UINT32_MAX = none yet */
	uint32_t callee;
	bool call;			     /* the next line is the cost of a call */
	uint64_t previous[CALLGRIND_EVENTS]; /* costs, for "*" */
};

enum name_kind { NAME_OBJECT, NAME_FILE, NAME_FUNCTION };

/* "(3) name" defines, "(3)" refers, "name" is itself. */
static string_id read_name(struct callgrind_reader *r, enum name_kind kind, struct slice text)
{
	uint64_t id, *place;
	bool added;
	struct slice number = text;

	if (!text_starts(text, "("))
		return strtab_intern(r->profile->strings, text.s, text.len);
	(void)text_cut(&number, '(');
	text = number;
	number = text_cut(&text, ')');
	text = text_trim(text);
	if (!text_number(number, 1, &id))
		return STRING_EMPTY;
	place = map_add(&r->names, id << 2 | kind, &added);
	if (text.len)
		*place = strtab_intern(r->profile->strings, text.s, text.len).v;
	return (string_id){ (uint32_t)*place };
}

static uint32_t function_of(struct callgrind_reader *r, string_id object, string_id file,
			    string_id name)
{
	struct frame frame = { .function = name, .file = file };

	if (object.v)
		frame.module = profile_module(r->profile, profile_string(r->profile, object), "");
	return call_graph_function(&r->graph, profile_frame(r->profile, &frame));
}

static void read_events(struct callgrind_reader *r, struct slice line)
{
	for (line = text_trim(line); line.len && r->graph.events < CALLGRIND_EVENTS;
	     line = text_trim(line)) {
		struct slice word = text_cut(&line, ' ');

		r->event[r->graph.events++] = strtab_intern(r->profile->strings, word.s, word.len);
	}
}

/* "+400", "-300" and "*" are as the cost before. Our own files and valgrind's have none of these.
 */
static bool read_cost(struct slice word, uint64_t previous, uint64_t *ret)
{
	uint64_t value;

	if (word.len == 1 && word.s[0] == '*') {
		*ret = previous;
		return true;
	}
	if (word.len && (word.s[0] == '+' || word.s[0] == '-')) {
		struct slice digits = { word.s + 1, word.len - 1 };

		if (!text_number(digits, 1, &value) || (word.s[0] == '-' && value > previous))
			return false;
		*ret = word.s[0] == '+' ? previous + value : previous - value;
		return true;
	}
	return text_number(word, 1, ret);
}

static bool is_position(struct slice word)
{
	return word.len && strchr("0123456789+-*", word.s[0]) && word.s[0];
}

/* Positions, then a cost per event; missing ones are 0. */
static bool read_costs(struct callgrind_reader *r, struct slice line)
{
	uint64_t *cost;

	for (size_t i = 0; i < r->positions; i++) {
		struct slice word = text_cut(&line, ' ');

		if (!is_position(word))
			return false;
		line = text_trim(line);
	}
	if (r->function == UINT32_MAX)
		return false;
	cost = r->call ? call_graph_edge(&r->graph, r->function, r->callee)->cost
		       : r->graph.functions.item[r->function].self;
	r->call = false;
	for (size_t i = 0; i < r->graph.events && line.len; i++, line = text_trim(line)) {
		uint64_t value;

		if (!read_cost(text_cut(&line, ' '), r->previous[i], &value))
			return false;
		r->previous[i] = value;
		if (__builtin_add_overflow(cost[i], value, &value) || value >> 62)
			return false;
		cost[i] = value;
	}
	return true;
}

/* "fn=(1) main" and the like. */
static bool read_position_name(struct callgrind_reader *r, struct slice key, struct slice value)
{
	static const struct {
		const char *key;
		enum name_kind kind;
	} keys[] = {
		{ "ob", NAME_OBJECT },	  { "fl", NAME_FILE },	   { "fi", NAME_FILE },
		{ "fe", NAME_FILE },	  { "fn", NAME_FUNCTION }, { "cob", NAME_OBJECT },
		{ "cfi", NAME_FILE },	  { "cfl", NAME_FILE },	   { "cfn", NAME_FUNCTION },
		{ "calls", NAME_OBJECT },
	};
	string_id name;
	size_t i = 0;

	while (i < 10 && !(key.len == strlen(keys[i].key) && text_starts(key, keys[i].key)))
		i++;
	if (i == 10)
		return false;
	if (i == 9) {
		r->call = true;
		return true;
	}
	name = read_name(r, keys[i].kind, value);
	if (i == 0)
		r->object = name;
	else if (i == 1)
		r->file = r->called_file = name;
	else if (i == 4)
		r->function = function_of(r, r->object, r->file, name);
	else if (i == 5)
		r->called_object = name;
	else if (i == 6 || i == 7)
		r->called_file = name;
	else if (i == 8)
		r->callee = function_of(r, r->called_object.v ? r->called_object : r->object,
					r->called_file.v ? r->called_file : r->file, name);
	if (i == 8 || i == 4) /* what is not said for a call is as for its caller */
		r->called_object = r->called_file = STRING_EMPTY;
	return true;
}

static bool read_line(struct callgrind_reader *r, struct slice line)
{
	struct slice rest = line, key;

	if (line.s[0] == '#')
		return true;
	if (text_starts(line, "events:")) {
		(void)text_cut(&rest, ':');
		if (!r->graph.events)
			read_events(r, rest);
		return true;
	}
	if (text_starts(line, "positions:")) {
		r->positions = (size_t)text_has(line, "instr") + (size_t)text_has(line, "line");
		return true;
	}
	if (is_position(line) || text_starts(line, "0x"))
		return read_costs(r, line);
	key = text_cut(&rest, '=');
	if (key.len < line.len && read_position_name(r, text_trim(key), text_trim(rest)))
		return true;
	return memchr(line.s, ':', line.len) || text_starts(line, "jump") ||
	       text_starts(line, "jcnd"); /* other header lines, and jumps */
}

static void unfold(struct callgrind_reader *r)
{
	for (size_t e = 0; e < r->graph.events; e++) {
		const char *name = profile_string(r->profile, r->event[e]);
		uint16_t event = text_event(r->profile, name, "");
		struct profile_sample sample = text_sample(
			r->profile, profile_string(r->profile, r->profile->events.item[event].name),
			"");
		uint64_t self = 0;

		for (size_t i = 0; i < r->graph.functions.count; i++)
			self += r->graph.functions.item[i].self[e];
		if (call_graph_unfold(&r->graph, e, r->profile, sample) != self)
			r->profile->meta.unknown_records++; /* the calls' costs contradict it */
	}
}

int callgrind_read(struct input *input, const struct format_read_options *options,
		   struct profile *profile, struct err *err)
{
	struct callgrind_reader r = { .profile = profile, .positions = 1, .function = UINT32_MAX };
	struct slice text, line;
	const uint8_t *data;
	int code = input_map(input, &data, &text.len, err);

	(void)options;
	if (code)
		return code;
	text.s = (const char *)data;
	while (text_line(&text, &line)) {
		line = text_trim(line);
		if (line.len)
			profile->meta.unknown_records += !read_line(&r, line);
	}
	unfold(&r);
	call_graph_done(&r.graph);
	map_done(&r.names);
	return r.graph.events ? 0 : err_set(err, -EINVAL, "no events: line");
}

int callgrind_sniff(const uint8_t *head, size_t len)
{
	struct slice text = { (const char *)head, len };

	if (text_starts(text, "# callgrind format"))
		return 2;
	return (text_starts(text, "events:") || text_has(text, "\nevents:")) &&
			       text_has(text, "\nfn=")
		       ? 2
		       : 0;
}
