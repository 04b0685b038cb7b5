/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf script text → profile, streaming. A sample is a header line and the lines below it, which
 * perf_script_stack.c converts to a stack. A mapped file is divided between samples into as many
 * parts as there are CPUs, and each part is read into a separate profile. */
#include "format/perf_script/perf_script_read.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/par.h"
#include "base/vec.h"
#include "format/input.h"
#include "format/perf_script/perf_script_head.h"
#include "format/perf_script/perf_script_line.h"
#include "format/perf_script/perf_script_stack.h"
#include "format/text/text.h"
#include "profile/profile.h"

#define WINDOW_BYTES ((size_t)4 << 20)	/* parsed at a time, of a mapped file */
#define READ_BYTES   ((size_t)1 << 20)	/* read at a time, of a pipe */
#define MAX_SAMPLE   ((size_t)64 << 20) /* a longer sample is cut in two */
#define PART_BYTES   ((size_t)4 << 20)	/* least that is worth a thread */
#define AHEAD	     4096		/* bytes that are fetched before they are read */
#define FAST_BODY    16384		/* bytes below a header in which its end is looked for */

struct script_reader {
	struct profile *profile;
	struct script_stacks *stacks;
	struct script_heads heads;
	struct map threads;			     /* hash of comm, pid and tid → thread id */
	VEC(struct slice) lines;		     /* of the current sample, leaf first */
	struct profile_sample sample[SCRIPT_BODIES]; /* not yet in the profile */
	struct script_body body[SCRIPT_BODIES];	     /* their stacks */
	size_t samples;
	char event_name[256]; /* of the last header */
	size_t event_len;
	bool event_period;
	uint16_t event;
	uint64_t bad_lines;
	bool last; /* no more text follows what is being read */
};

static thread_id intern_thread(struct script_reader *reader, const struct script_header *header)
{
	struct strtab *strings = reader->profile->strings;
	uint64_t key = hash_bytes(header->comm.s, header->comm.len);
	uint64_t *place;
	bool added;

	key ^= (uint64_t)header->comm.len << 40 ^
	       hash_u64((uint64_t)header->pid << 32 | header->tid);
	place = map_add(&reader->threads, key, &added);
	if (added) {
		bool unknown = !header->comm.len ||
			       (header->pid == PROFILE_NO_ID && header->comm.len == 1 &&
				header->comm.s[0] == '?'); /* as perf_script_write() says it */
		string_id comm =
			strtab_intern(strings, header->comm.s, unknown ? 0 : header->comm.len);

		*place = profile_thread(reader->profile, header->pid, header->tid,
					strtab_get(strings, comm))
				 .v;
	}
	return (thread_id){ (uint32_t)*place };
}

static const char *unit_of_event(const char *name, bool has_period)
{
	if (!has_period)
		return "samples";
	return event_kind_of_name(name) == EVENT_KIND_CPU_TIME ? "ns" : "";
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
	reader->event = text_event(reader->profile, reader->event_name,
				   unit_of_event(reader->event_name, has_period));
	return reader->event;
}

static void flush_samples(struct script_reader *reader)
{
	script_stacks_texts(reader->stacks, reader->body, reader->samples, &reader->bad_lines);
	for (size_t i = 0; i < reader->samples; i++)
		reader->sample[i].stack = reader->body[i].stack;
	profile_add_all(reader->profile, reader->sample, reader->samples);
	reader->samples = 0;
}

static struct profile_sample add_sample(struct script_reader *reader,
					const struct script_head *head, struct script_body body)
{
	struct profile_meta *meta = &reader->profile->meta;
	struct profile_sample sample = {
		.stack = body.stack,
		.thread = head->thread,
		.event = head->event,
		.cpu = head->cpu == SCRIPT_UNKNOWN ? PROFILE_NO_CPU : head->cpu,
		.time_ns = head->time_ns,
		.weight = head->period ? head->period : 1,
		.count = 1,
	};

	/* The text has no reason for the end of a stack: STACK_STOP_NONE. */
	reader->body[reader->samples] = body;
	reader->sample[reader->samples++] = sample;
	if (reader->samples == SCRIPT_BODIES)
		flush_samples(reader);
	if (head->time_ns && (!meta->first_ns || head->time_ns < meta->first_ns))
		meta->first_ns = head->time_ns;
	if (head->time_ns > meta->last_ns)
		meta->last_ns = head->time_ns;
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
	return strtab_intern(reader->profile->strings, line.s + at, line.len - at);
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
	return reader->lines.count || (next == end ? reader->last : *next != '\t');
}

/* Collects the lines below a header in reader->lines. *ret_next is where the next sample starts. */
static enum body_end read_body(struct script_reader *reader, const char *text, const char *end,
			       const char **ret_next)
{
	struct script_header next_header;
	const char *next;

	reader->lines.count = 0;
	for (; text < end; text = next) {
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
		vec_push(&reader->lines, line);
	}
	*ret_next = end;
	if (!reader->last)
		return BODY_CUT_OFF;
	return reader->lines.count ? BODY_UNFINISHED : BODY_ENDED;
}

/* Bytes compared side by side; all supported CPUs have registers for it. */
typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint64_t words16 __attribute__((vector_size(16)));

/* All ones where this byte is a newline and the next is no tab. */
static bytes16 body_ends(const char *text)
{
	bytes16 here, next;

	memcpy(&here, text, sizeof(here));
	memcpy(&next, text + 1, sizeof(next));
	return (bytes16)((here == '\n') & (next != '\t'));
}

/* The newline behind the lines from `text` on that begin with a tab, which are most bodies; NULL
 * when it is not near. */
static const char *find_body_end(const char *text, const char *end)
{
	const char *limit = end - text > FAST_BODY ? text + FAST_BODY : end;

	for (; limit - text > 64; text += 64) {
		__builtin_prefetch(
			text + AHEAD); /* CPUs prefetch by themselves, but only to the page's end */
		words16 found = (words16)(body_ends(text) | body_ends(text + 16) |
					  body_ends(text + 32) | body_ends(text + 48));

		if (found[0] | found[1])
			break;
	}
	while (text + 1 < limit) {
		text = memchr(text, '\n', (size_t)(limit - 1 - text));
		if (!text || text[1] != '\t')
			return text;
		text++;
	}
	return NULL;
}

/* Adds a sample with a body of lines that begin with tabs and a blank line. Returns the start of
 * the next one, or NULL for another body. */
static const char *take_plain(struct script_reader *reader, const struct script_head *head,
			      const char *text, const char *end)
{
	const char *newline = text < end && *text == '\t' ? find_body_end(text, end) : NULL;
	struct script_body body;

	if (!newline || newline[1] != '\n')
		return NULL;
	body = script_stacks_expect(reader->stacks,
				    (struct slice){ text, (size_t)(newline + 1 - text) });
	(void)add_sample(reader, head, body);
	return newline + 2;
}

/* The header's line contains a stack of one frame; its source line may follow. */
static bool has_one_frame(const struct script_reader *reader, const struct script_header *header)
{
	struct script_frame frame;

	if (!header->rest.len || !script_frame_parse(header->rest, &frame))
		return false;
	return !reader->lines.count ||
	       (reader->lines.count == 1 && !script_frame_parse(reader->lines.item[0], &frame));
}

/* Reads the body below any header. Returns the start of the next sample, or NULL if this one
 * continues beyond `end`. */
static const char *take_any(struct script_reader *reader, const struct script_header *header,
			    const struct script_head *head, const char *text, const char *end)
{
	struct script_body body = { 0 };
	struct profile_sample sample;
	enum body_end how;
	const char *next;

	how = read_body(reader, text, end, &next);
	if (how == BODY_CUT_OFF)
		return NULL;
	if (has_one_frame(reader, header)) { /* "… cycles: ffff symbol (module)", no blank line */
		struct slice below = reader->lines.count ? reader->lines.item[0] : header->rest;

		vec_push(&reader->lines, below);
		reader->lines.item[0] = header->rest;
		how = BODY_ENDED;
	}
	flush_samples(reader); /* stacks in their order */
	body.stack = script_stacks_lines(reader->stacks, reader->lines.item, reader->lines.count,
					 &reader->bad_lines);
	sample = add_sample(reader, head, body);
	if (how == BODY_UNFINISHED)
		reader->profile->meta.unfinished = sample;
	return next;
}

/* Reads the sample with its header at `text`; it ends before `next`. Returns like take_any(). */
static const char *take_sample(struct script_reader *reader, const struct script_header *header,
			       struct slice text, const char *next)
{
	struct script_head head = { .thread = intern_thread(reader, header),
				    .event = intern_event(reader, header),
				    .cpu = header->cpu,
				    .time_ns = header->time_ns,
				    .period = header->period };
	const char *end = text.s + text.len, *after = take_plain(reader, &head, next, end);

	script_head_learn(&reader->heads, text.s, end, header, &head);
	return after ? after : take_any(reader, header, &head, next, end);
}

/* "PERF_RECORD_MMAP2 …", of --show-mmap-events and similar options, is in the position of the
 * event. */
static bool is_record(const struct script_header *header)
{
	struct slice what = header->event.len ? header->event : header->rest;

	return what.len > 12 && memcmp(what.s, "PERF_RECORD_", 12) == 0;
}

static bool frame_follows(const char *text, const char *end)
{
	struct script_frame frame;
	const char *next;

	return text < end && *text == '\t' && script_frame_parse(line_at(text, end, &next), &frame);
}

/* Reads what starts with the first line of `text`. Returns where to continue, or NULL if more
 * text is needed. */
static const char *take_line(struct script_reader *reader, struct slice text)
{
	const char *next;
	struct slice line = line_at(text.s, text.s + text.len, &next);
	struct script_header header;

	if (is_empty(line))
		return next;
	if (line.s[0] == '#') {
		read_comment(reader, line);
		return next;
	}
	if (!script_header_parse(line, false, &header)) {
		bool bare = script_header_parse_bare(line, &header);

		if (bare && next == text.s + text.len && !reader->last)
			return NULL;
		if (!bare || !frame_follows(next, text.s + text.len)) {
			reader->bad_lines++;
			return next;
		}
	}
	if (is_record(&header))
		return next;
	return take_sample(reader, &header, text, next);
}

size_t script_reader_feed(struct script_reader *reader, const char *data, size_t len, bool last)
{
	const char *text = data, *end = data + len, *next;

	if (!last) { /* only whole lines */
		end = memrchr(data, '\n', len);
		end = end ? end + 1 : data;
	}
	for (reader->last = last; text < end; text = next) {
		struct script_head head;

		next = script_head_find(&reader->heads, text, end, &head);
		next = next ? take_plain(reader, &head, next, end) : NULL;
		if (!next)
			next = take_line(reader, (struct slice){ text, (size_t)(end - text) });
		if (!next)
			break;
	}
	flush_samples(reader); /* they point into the data */
	return (size_t)(text - data);
}

struct script_reader *script_reader_new(struct profile *profile)
{
	struct script_reader *reader = mem_zalloc(sizeof(*reader));

	reader->profile = profile;
	reader->stacks = script_stacks_new(profile);
	return reader;
}

void script_reader_free(struct script_reader *reader)
{
	flush_samples(reader);
	reader->profile->meta.unknown_records += reader->bad_lines;
	script_stacks_free(reader->stacks);
	map_done(&reader->threads);
	vec_done(&reader->lines);
	free(reader);
}

/* A part of a mapped file: windows of it, so that what was read can be given back. */
static void read_part(struct profile *profile, const struct input *input, struct slice part)
{
	struct script_reader *reader = script_reader_new(profile);
	size_t at = 0, window = WINDOW_BYTES;

	while (at < part.len) {
		size_t len = part.len - at < window ? part.len - at : window;
		bool last = len == part.len - at || len >= MAX_SAMPLE;
		size_t used;

		input_fetch_part(input, part.s + at, len);
		used = script_reader_feed(reader, part.s + at, len, last);
		window = used ? WINDOW_BYTES : window * 2; /* a very long sample */
		input_release_part(input, part.s + at, used);
		at += used;
	}
	script_reader_free(reader);
}

/* The first sample at or behind `at` that follows a blank line: text before it and text from it on
 * can be read apart. */
static const char *next_sample(const char *at, const char *end)
{
	bool blank = false;
	const char *next;

	if (at >= end)
		return end;
	for ((void)line_at(at, end, &at); at < end; at = next) { /* the rest of a line */
		struct slice line = line_at(at, end, &next);
		struct script_header header;

		if (blank && line.len && starts_sample(line, &header))
			return at;
		blank = is_empty(line);
	}
	return end;
}

struct script_part {
	const struct input *input;
	struct slice text;
	struct profile *profile;
};

static void read_one_part(void *context, size_t i, size_t worker)
{
	struct script_part *part = (struct script_part *)context + i;

	(void)worker;
	read_part(part->profile, part->input, part->text);
}

static void merge_meta(struct profile_meta *meta, const struct profile_meta *from)
{
	if (from->first_ns && (!meta->first_ns || from->first_ns < meta->first_ns))
		meta->first_ns = from->first_ns;
	if (from->last_ns > meta->last_ns)
		meta->last_ns = from->last_ns;
	meta->unknown_records += from->unknown_records;
}

/* The parts in their order; comments, which become meta data, are in the first. */
static void read_parts(struct profile *profile, const struct input *input, struct slice text,
		       size_t count)
{
	struct script_part *part = mem_zalloc(count * sizeof(*part));
	const char *at = text.s, *end = text.s + text.len;

	for (size_t i = 0; i < count; i++) {
		const char *next = next_sample(text.s + text.len / count * (i + 1), end);

		if (i + 1 == count || next < at)
			next = i + 1 == count ? end : at;
		part[i].input = input;
		part[i].text = (struct slice){ at, (size_t)(next - at) };
		part[i].profile = i ? profile_new(profile->keep) : profile;
		at = next;
	}
	par_for(count, 1, read_one_part, part);
	for (size_t i = 1; i < count; i++) {
		profile_merge(profile, part[i].profile);
		merge_meta(&profile->meta, &part[i].profile->meta);
		profile_free(part[i].profile);
	}
	free(part);
}

static int read_mapped(struct profile *profile, struct input *input, struct err *err)
{
	const uint8_t *data;
	size_t len, parts;
	int r = input_map(input, &data, &len, err);

	if (r)
		return r;
	parts = len / PART_BYTES < par_threads() ? len / PART_BYTES : par_threads();
	if (parts > 1)
		read_parts(profile, input, (struct slice){ (const char *)data, len }, parts);
	else
		read_part(profile, input, (struct slice){ (const char *)data, len });
	return 0;
}

/* A pipe or compressed file: a buffer that keeps the sample that is cut off at its end. */
static int read_stream(struct profile *profile, struct input *input, struct err *err)
{
	struct script_reader *reader = script_reader_new(profile);
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
	script_reader_free(reader);
	return n < 0 ? err_set(err, (int)n, "%s: %s", input_name(input), strerror((int)-n)) : 0;
}

int perf_script_read(struct input *input, const struct format_read_options *options,
		     struct profile *profile, struct err *err)
{
	(void)options;
	return input_seekable(input) ? read_mapped(profile, input, err)
				     : read_stream(profile, input, err);
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
		else if (script_header_parse(line, false, &header) ||
			 (script_header_parse_bare(line, &header) && frame_follows(next, end)))
			sure = 1;
	}
	return sure;
}
