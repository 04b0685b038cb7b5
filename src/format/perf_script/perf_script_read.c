/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf script text → profile, streaming. A sample is a header line and the lines below it. Speed
 * comes from never parsing the same bytes twice: whole stacks and single lines are looked up by a
 * 64-bit hash of their bytes and length (the chance that two of 10 million distinct lines share
 * one is below 1 in 100,000), and only what is new is taken apart by perf_script_line.c. */
#include "format/perf_script/perf_script_read.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/vec.h"
#include "format/input.h"
#include "format/perf_script/module_kind.h"
#include "format/perf_script/perf_script_line.h"
#include "format/perf_script/rust_name.h"
#include "profile/profile.h"

#define WINDOW_BYTES ((size_t)32 << 20) /* parsed at a time, of a mapped file */
#define READ_BYTES   ((size_t)1 << 20)	/* read at a time, of a pipe */
#define MAX_SAMPLE   ((size_t)64 << 20) /* a longer sample is cut in two */
#define MAX_STACK    65536		/* frames kept of one sample */

enum line_kind { LINE_BAD, LINE_SKIP, LINE_FRAME, LINE_INLINED, LINE_SRCLINE };

/* A line seen before. */
struct known_line {
	enum line_kind kind;
	uint32_t first, count; /* LINE_FRAME: in reader->expansions, outermost first */
	struct frame frame;    /* LINE_INLINED, without its module; LINE_SRCLINE: file and line */
};

struct script_reader {
	struct profile *profile;
	struct map lines;   /* hash → index in known */
	struct map stacks;  /* hash of a whole body → stack id */
	struct map threads; /* hash of comm, pid and tid → thread id */
	struct map modules; /* hash of the path → module index */
	VEC(struct known_line) known;
	VEC(frame_id) expansions;
	VEC(struct slice) body; /* lines of the current sample, leaf first */
	struct buf word;	/* NUL-terminated copies */
	char event_name[256];	/* of the last header */
	size_t event_len;
	bool event_period;
	uint16_t event;
	uint64_t bad_lines;
	bool last; /* no more text follows what is being read */
};

/* Strings hold no NUL bytes; only damaged text has them. */
static const char *without_nuls(struct buf *word)
{
	char *nul;

	while (word->len && (nul = memchr(word->data, 0, word->len)))
		*nul = '?';
	return word->data ? word->data : "";
}

static const char *copy(struct script_reader *reader, struct slice s)
{
	buf_clear(&reader->word);
	(void)buf_append(&reader->word, s.s, s.len); /* cannot pass the limit: s is in memory */
	return without_nuls(&reader->word);
}

static uint64_t bytes_key(const char *s, size_t len)
{
	return hash_bytes(s, len) ^ (uint64_t)len << 40;
}

static uint32_t intern_module(struct script_reader *reader, struct slice path)
{
	bool added;
	uint64_t *place;

	if (!path.len)
		return 0;
	place = map_add(&reader->modules, bytes_key(path.s, path.len), &added);
	if (added)
		*place = profile_module(reader->profile, copy(reader, path), "");
	return (uint32_t)*place;
}

static string_id intern(struct script_reader *reader, struct slice s)
{
	if (!s.len)
		return STRING_EMPTY;
	if (memchr(s.s, 0, s.len))
		s.s = copy(reader, s);
	return strtab_put_tidy(reader->profile->strings, s.s, s.len);
}

static string_id intern_name(struct script_reader *reader, struct slice name)
{
	buf_clear(&reader->word);
	if (!rust_name_finish(name.s, name.len, &reader->word))
		return intern(reader, name);
	return strtab_put_tidy(reader->profile->strings, without_nuls(&reader->word),
			       reader->word.len);
}

/* Java agents name inlined methods "outer->inner" in the perf map. C++ names hold "->" too
 * (operator->), so only names of JIT maps are split. */
static void expand_frame(struct script_reader *reader, struct slice name, struct frame frame)
{
	while (name.len) {
		const char *arrow = frame.kind == FRAME_JIT ? memmem(name.s, name.len, "->", 2)
							    : NULL;
		size_t len = arrow ? (size_t)(arrow - name.s) : name.len;

		if (len) {
			frame.function = intern_name(reader, (struct slice){ name.s, len });
			vec_push(&reader->expansions, profile_frame(reader->profile, &frame));
			frame.inlined = true;
		}
		len += arrow ? 2 : 0;
		name = (struct slice){ name.s + len, name.len - len };
	}
}

static void learn_frame(struct script_reader *reader, const struct script_frame *parsed,
			struct known_line *ret)
{
	struct frame frame = { .offset = parsed->pc, .pc = parsed->pc };

	if (parsed->symbol_offset && parsed->symbol_offset <= parsed->pc)
		frame.symbol_start = parsed->pc - parsed->symbol_offset;
	if (parsed->inlined) {
		ret->kind = LINE_INLINED;
		frame.inlined = true;
		frame.function = intern_name(reader, parsed->name);
		ret->frame = frame;
		return;
	}
	/* Perf of old printed the comm as a first pseudo-frame: "(bash)". */
	if (parsed->name.len && parsed->name.s[0] == '(' &&
	    memchr(parsed->name.s, ')', parsed->name.len) ==
		    parsed->name.s + parsed->name.len - 1) {
		ret->kind = LINE_SKIP;
		return;
	}
	frame.module = intern_module(reader, parsed->module);
	frame.kind = module_kind(copy(reader, parsed->module), parsed->pc);
	ret->kind = LINE_FRAME;
	ret->first = (uint32_t)reader->expansions.count;
	expand_frame(reader, parsed->name, frame);
	if (reader->expansions.count == ret->first) /* no name, or only arrows */
		vec_push(&reader->expansions, profile_frame(reader->profile, &frame));
	ret->count = (uint32_t)(reader->expansions.count - ret->first);
}

static void learn_line(struct script_reader *reader, struct slice line, struct known_line *ret)
{
	struct script_frame parsed;
	struct slice file;

	*ret = (struct known_line){ .kind = LINE_BAD };
	if (script_frame_parse(line, &parsed)) {
		learn_frame(reader, &parsed, ret);
	} else if (script_srcline_parse(line, &file, &ret->frame.line)) {
		ret->kind = LINE_SRCLINE;
		ret->frame.file = intern(reader, file);
	} else if (line.len && line.s[0] == '#') {
		ret->kind = LINE_SKIP;
	}
}

static const struct known_line *lookup_line(struct script_reader *reader, struct slice line)
{
	bool added;
	uint64_t *place = map_add(&reader->lines, bytes_key(line.s, line.len), &added);

	if (added) {
		struct known_line known;

		*place = reader->known.count;
		learn_line(reader, line, &known);
		vec_push(&reader->known, known);
	}
	return &reader->known.item[*place];
}

/* Pushes one line's frames. Lines come outermost first, so that an inlined frame finds the module
 * of the function it was inlined into, and a source line comes before the frame it belongs to. */
struct push_state {
	stack_id stack;
	struct frame outer; /* the last real frame */
	string_id file;	    /* source line waiting for its frame */
	uint32_t line, frames;
};

static void push_frame(struct script_reader *reader, struct push_state *state, frame_id id)
{
	struct frame frame;

	if (state->frames++ >= MAX_STACK)
		return;
	frame = reader->profile->frames.item[id.v];
	if (state->line || state->file.v) {
		frame.file = state->file;
		frame.line = state->line;
		id = profile_frame(reader->profile, &frame);
	}
	state->stack = profile_stack_push(reader->profile, state->stack, id);
	if (!frame.inlined)
		state->outer = frame;
}

static bool push_line(struct script_reader *reader, struct push_state *state, struct slice line)
{
	const struct known_line *known = lookup_line(reader, line);
	struct frame frame = known->frame;
	uint32_t first = known->first, count = known->count;

	switch (known->kind) {
	case LINE_FRAME:
		for (uint32_t i = 0; i < count; i++)
			push_frame(reader, state, reader->expansions.item[first + i]);
		break;
	case LINE_INLINED:
		frame.module = state->outer.module;
		frame.kind = state->outer.kind;
		push_frame(reader, state, profile_frame(reader->profile, &frame));
		break;
	case LINE_SRCLINE:
		state->file = frame.file;
		state->line = frame.line;
		return true;
	case LINE_BAD:
		reader->bad_lines++;
		return false;
	case LINE_SKIP:
		break;
	}
	state->file = STRING_EMPTY;
	state->line = 0;
	return true;
}

/* The stack of the lines in reader->body, which lie in [text, end). */
static stack_id read_stack(struct script_reader *reader, const char *text, const char *end)
{
	uint64_t key = bytes_key(text, (size_t)(end - text)), found;
	struct push_state state = { .stack = STACK_EMPTY };
	bool whole = true;

	if (!reader->body.count)
		return STACK_EMPTY;
	if (map_get(&reader->stacks, key, &found))
		return (stack_id){ (uint32_t)found };
	for (size_t i = reader->body.count; i-- > 0;)
		whole &= push_line(reader, &state, reader->body.item[i]);
	if (whole) /* else the bad lines are to be counted again */
		map_set(&reader->stacks, key, state.stack.v);
	return state.stack;
}

static thread_id intern_thread(struct script_reader *reader, const struct script_header *header)
{
	uint64_t key = bytes_key(header->comm.s, header->comm.len);
	uint64_t *place;
	bool added;

	key ^= hash_u64((uint64_t)header->pid << 32 | header->tid);
	place = map_add(&reader->threads, key, &added);
	if (added)
		*place = profile_thread(reader->profile, header->pid, header->tid,
					copy(reader, header->comm))
				 .v;
	return (thread_id){ (uint32_t)*place };
}

static const char *unit_of_event(const char *name, bool has_period)
{
	if (!has_period)
		return "samples";
	return strncmp(name, "cpu-clock", 9) == 0 || strncmp(name, "task-clock", 10) == 0 ? "ns"
											  : "";
}

static uint16_t intern_event(struct script_reader *reader, const struct script_header *header)
{
	struct slice name = header->event;
	bool has_period = header->period != 0;

	if (name.len >= sizeof(reader->event_name))
		name.len = sizeof(reader->event_name) - 1;
	if (reader->event_len == name.len && reader->event_period == has_period &&
	    memcmp(reader->event_name, name.s, name.len) == 0 && reader->profile->events.count)
		return reader->event;
	if (name.len)
		memcpy(reader->event_name, name.s, name.len);
	reader->event_name[name.len] = 0;
	reader->event_len = name.len;
	reader->event_period = has_period;
	reader->event = profile_event(reader->profile, reader->event_name,
				      unit_of_event(reader->event_name, has_period));
	return reader->event;
}

static struct profile_sample add_sample(struct script_reader *reader,
					const struct script_header *header, stack_id stack)
{
	struct profile_meta *meta = &reader->profile->meta;
	struct profile_sample sample = {
		.stack = stack,
		.thread = intern_thread(reader, header),
		.event = intern_event(reader, header),
		.cpu = header->cpu == SCRIPT_UNKNOWN ? PROFILE_NO_CPU : header->cpu,
		.time_ns = header->time_ns,
		.weight = header->period ? header->period : 1,
		.count = 1,
	};

	/* The text does not say how a stack ended: STACK_STOP_NONE. */
	profile_add(reader->profile, &sample);
	if (header->time_ns && (!meta->first_ns || header->time_ns < meta->first_ns))
		meta->first_ns = header->time_ns;
	if (header->time_ns > meta->last_ns)
		meta->last_ns = header->time_ns;
	return sample;
}

static string_id comment_value(struct script_reader *reader, struct slice line)
{
	const char *colon = memchr(line.s, ':', line.len);
	size_t at = colon ? (size_t)(colon - line.s) + 1 : line.len;

	while (at < line.len && line.s[at] == ' ')
		at++;
	while (line.len > at && line.s[line.len - 1] == ' ')
		line.len--;
	return intern(reader, (struct slice){ line.s + at, line.len - at });
}

/* "# hostname : x" and the like, which --header prints. */
static void read_comment(struct script_reader *reader, struct slice line)
{
	struct profile_meta *meta = &reader->profile->meta;
	const struct {
		const char *key;
		string_id *place;
	} row[] = {
		{ "# hostname :", &meta->hostname }, { "# os release :", &meta->os_release },
		{ "# arch :", &meta->arch },	     { "# cpudesc :", &meta->cpu_desc },
		{ "# cmdline :", &meta->command },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		if (line.len > strlen(row[i].key) &&
		    memcmp(line.s, row[i].key, strlen(row[i].key)) == 0)
			*row[i].place = comment_value(reader, line);
}

/* The line at text, without its end; *ret_next is behind the newline. */
static struct slice line_at(const char *text, const char *end, const char **ret_next)
{
	const char *newline = memchr(text, '\n', (size_t)(end - text));
	struct slice line = { text, (size_t)((newline ? newline : end) - text) };

	*ret_next = newline ? newline + 1 : end;
	if (line.len && line.s[line.len - 1] == '\r')
		line.len--;
	return line;
}

static bool is_empty(struct slice line)
{
	for (size_t i = 0; i < line.len; i++)
		if (line.s[i] != ' ' && line.s[i] != '\t')
			return false;
	return true;
}

/* Frames of call chains begin with a tab (or blanks, where tabs were expanded); every other line
 * may be the next header. */
static bool starts_sample(struct slice line, struct script_header *ret)
{
	struct script_frame frame;

	if (line.s[0] == '\t' || line.s[0] == '#')
		return false;
	if (script_header_parse(line, true, ret))
		return true;
	if (line.s[0] == ' ' || script_frame_parse(line, &frame))
		return false;
	return script_header_parse(line, false, ret);
}

enum body_end {
	BODY_ENDED,
	BODY_CUT_OFF,	 /* more text is needed */
	BODY_UNFINISHED, /* the input ends without the blank line that ends a stack */
};

/* A blank line right below the header is not the sample's end when a frame follows it (editors and
 * pagers double newlines). */
static bool blank_ends_sample(const struct script_reader *reader, const char *next, const char *end)
{
	while (next < end && (*next == '\n' || *next == '\r'))
		next++;
	return reader->body.count || (next == end ? reader->last : *next != '\t');
}

/* Collects the lines below a header in reader->body. *ret_end is the end of the body, *ret_next
 * where the next sample starts. */
static enum body_end read_body(struct script_reader *reader, const char *text, const char *end,
			       const char **ret_end, const char **ret_next)
{
	struct script_header next_header;
	const char *next;

	reader->body.count = 0;
	for (*ret_end = text; text < end; text = next) {
		struct slice line = line_at(text, end, &next);

		if (line.len == 0 || (line.s[0] != '\t' && is_empty(line))) {
			*ret_next = next;
			if (blank_ends_sample(reader, next, end))
				return BODY_ENDED;
			continue;
		}
		*ret_next = text;
		if (starts_sample(line, &next_header))
			return BODY_ENDED;
		vec_push(&reader->body, line);
		*ret_end = next;
	}
	*ret_next = end;
	if (!reader->last)
		return BODY_CUT_OFF;
	return reader->body.count ? BODY_UNFINISHED : BODY_ENDED;
}

/* Reads the sample whose header was parsed from the line before `text`. Returns where the next one
 * starts, or NULL when this one goes on behind `end`. */
static const char *read_sample(struct script_reader *reader, const struct script_header *header,
			       const char *text, const char *end)
{
	struct script_frame frame;
	const char *next, *body_end;
	struct profile_sample sample;
	enum body_end how;
	stack_id stack;

	how = read_body(reader, text, end, &body_end, &next);
	if (how == BODY_CUT_OFF)
		return NULL;
	if (reader->body.count == 0 && header->rest.len &&
	    script_frame_parse(header->rest, &frame)) { /* "… cycles: ffff symbol (module)" */
		vec_push(&reader->body, header->rest);
		stack = read_stack(reader, header->rest.s, header->rest.s + header->rest.len);
	} else {
		stack = read_stack(reader, text, body_end);
	}
	sample = add_sample(reader, header, stack);
	if (how == BODY_UNFINISHED)
		reader->profile->meta.unfinished = sample;
	return next;
}

size_t script_reader_feed(struct script_reader *reader, const char *data, size_t len, bool last)
{
	const char *text = data, *end = data + len, *next;

	if (!last) { /* only whole lines */
		end = memrchr(data, '\n', len);
		end = end ? end + 1 : data;
	}
	for (reader->last = last; text < end; text = next) {
		struct slice line = line_at(text, end, &next);
		struct script_header header;

		if (is_empty(line))
			continue;
		if (line.s[0] == '#') {
			read_comment(reader, line);
		} else if (!script_header_parse(line, false, &header)) {
			reader->bad_lines++;
		} else {
			next = read_sample(reader, &header, next, end);
			if (!next)
				break;
		}
	}
	return (size_t)(text - data);
}

struct script_reader *script_reader_new(struct profile *profile)
{
	struct script_reader *reader = mem_zalloc(sizeof(*reader));

	reader->profile = profile;
	return reader;
}

void script_reader_free(struct script_reader *reader)
{
	reader->profile->meta.unknown_records += reader->bad_lines;
	map_done(&reader->lines);
	map_done(&reader->stacks);
	map_done(&reader->threads);
	map_done(&reader->modules);
	vec_done(&reader->known);
	vec_done(&reader->expansions);
	vec_done(&reader->body);
	buf_done(&reader->word);
	free(reader);
}

/* A mapped file: windows of it, so that what was read can be given back. */
static int read_mapped(struct script_reader *reader, struct input *input, struct err *err)
{
	const uint8_t *data;
	size_t len, at = 0, window = WINDOW_BYTES;
	int r = input_map(input, &data, &len, err);

	while (r == 0 && at < len) {
		size_t part = len - at < window ? len - at : window;
		bool last = part == len - at || part >= MAX_SAMPLE;
		size_t used = script_reader_feed(reader, (const char *)data + at, part, last);

		window = used ? WINDOW_BYTES : window * 2; /* a very long sample */
		at += used;
		input_release(input, at);
	}
	return r;
}

/* A pipe or compressed file: a buffer that keeps the sample that is cut off at its end. */
static int read_stream(struct script_reader *reader, struct input *input, struct err *err)
{
	struct buf kept = { .limit = MAX_SAMPLE * 2 };
	AUTO_FREE char *part = mem_alloc(READ_BYTES);
	ssize_t n;

	do {
		size_t used;

		n = input_read(input, part, READ_BYTES);
		if (n < 0)
			break;
		(void)buf_append(&kept, part, (size_t)n); /* the feed below keeps it short */
		used = script_reader_feed(reader, kept.data, kept.len,
					  n == 0 || kept.len >= MAX_SAMPLE);
		memmove(kept.data, kept.data + used, kept.len - used);
		kept.len -= used;
	} while (n > 0);
	buf_done(&kept);
	return n < 0 ? err_set(err, (int)n, "%s: %s", input_name(input), strerror((int)-n)) : 0;
}

int perf_script_read(struct input *input, struct profile *profile, struct err *err)
{
	struct script_reader *reader = script_reader_new(profile);
	int r = input_seekable(input) ? read_mapped(reader, input, err)
				      : read_stream(reader, input, err);

	script_reader_free(reader);
	return r;
}

int perf_script_sniff(const uint8_t *head, size_t len)
{
	const char *text = (const char *)head, *end = text + len, *next;
	struct script_header header;
	int sure = 0;

	if (len > 10 && memcmp(head, "# ========", 10) == 0 &&
	    memmem(head, len, "# captured on", 13))
		return 2;
	for (size_t i = 0; i < 400 && text < end && sure < 2; i++, text = next) {
		struct slice line = line_at(text, end, &next);

		if (is_empty(line) || line.s[0] == '#')
			continue;
		if (script_header_parse(line, true, &header) && header.event.len)
			sure = 2;
		else if (script_header_parse(line, false, &header))
			sure = 1;
	}
	return sure;
}
