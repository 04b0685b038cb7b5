/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded text: "root;…;leaf weight" per line, the interchange format of FlameGraph. Read: also
 * UTF-16 with a byte order mark, CRLF, "# " comments, fractional weights, and the two columns of
 * difffolded (then two events, "after" first). Written sorted by bytes, as stackcollapse-perf.pl
 * does. The annotations _[k], _[j] and _[i] become kinds of frames and come back when written. */
#include "format/folded/folded.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/vec.h"
#include "format/input.h"
#include "format/input_window.h"
#include "format/text/text.h"
#include "profile/profile.h"
#include "profile/sample_weight.h"

#define WINDOW_BYTES (4u << 20)
#define MAX_DECIMALS 6
#define MAX_FRAMES   65536
#define HEAD_BYTES   65536	      /* of a longer input, that are examined */
#define MAX_WEIGHT   (UINT64_MAX / 4) /* of an event: sums of a few must not wrap */
#define AT_ONCE	     64		      /* samples that are added together */

struct weight {
	uint64_t value; /* in 1/10^decimals */
	unsigned decimals;
};

struct folded_line {
	const char *stack;
	size_t stack_len;
	struct weight weight[2]; /* last column first */
	size_t columns;
};

/* A frame of the previous line, by the end of its text. In sorted input most frames are shared. */
struct open_frame {
	size_t end;
	stack_id stack;
};

struct folded_reader {
	struct profile *profile;
	struct map frames; /* hash of the name → frame id */
	VEC(struct open_frame) open;
	/* Of this line, from the first difference to the previous one: keys in `frames`, frames. */
	VEC(uint64_t) key;
	VEC(frame_id) frame;
	VEC(stack_id) stack;
	const char *previous;
	size_t previous_len;
	bool two_columns;
	uint16_t event[2];
	struct line_weights weights[2]; /* by column */
	thread_id thread;
	struct profile_sample waiting[AT_ONCE]; /* to be added */
	size_t waiting_count;
	uint64_t waiting_weight[2]; /* of them, by event */
	double period;		    /* of a header, see folded_header(); 0 = there is none */
	bool periods_differ;
};

static const uint64_t power_of_ten[MAX_DECIMALS + 1] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };

/* Digits, and for fractions a dot and more digits; what is past the 6th is dropped. */
static bool parse_weight(const char *s, size_t len, struct weight *ret)
{
	struct weight weight = { 0 };
	bool dot = false, digit = false;

	for (size_t i = 0; i < len; i++) {
		if (s[i] == '.' && !dot) {
			dot = true;
			continue;
		}
		if (s[i] < '0' || s[i] > '9')
			return false;
		digit = true;
		if (dot && weight.decimals == MAX_DECIMALS)
			continue;
		weight.decimals += dot;
		if (__builtin_mul_overflow(weight.value, 10, &weight.value) ||
		    __builtin_add_overflow(weight.value, (uint64_t)(s[i] - '0'), &weight.value))
			return false;
	}
	while (weight.decimals && weight.value % 10 == 0) { /* "12.0" is whole */
		weight.value /= 10;
		weight.decimals--;
	}
	*ret = weight;
	return digit;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Takes a weight off the end of [s, s + *len). */
static bool cut_weight(const char *s, size_t *len, struct weight *ret)
{
	size_t end = *len, start;

	while (end && is_blank(s[end - 1]))
		end--;
	if (!end || !(s[end - 1] == '.' || (s[end - 1] >= '0' && s[end - 1] <= '9')))
		return false;
	for (start = end; start && !is_blank(s[start - 1]);)
		start--;
	if (!parse_weight(s + start, end - start, ret))
		return false;
	while (start && is_blank(s[start - 1]))
		start--;
	*len = start;
	return true;
}

static bool parse_line(const char *s, size_t len, struct folded_line *ret)
{
	*ret = (struct folded_line){ .stack = s, .stack_len = len };
	if (!cut_weight(s, &ret->stack_len, &ret->weight[0]))
		return false;
	ret->columns = 1;
	len = ret->stack_len;
	if (len && cut_weight(s, &len, &ret->weight[1]) && len)
		ret->columns = 2;
	return true;
}

static bool is_comment(const char *s, size_t len)
{
	return len == 0 || (s[0] == '#' && (len == 1 || is_blank(s[1]) || s[1] == '#'));
}

static size_t line_length(const char *s, const char *end, const char **ret_next)
{
	const char *newline = memchr(s, '\n', (size_t)(end - s));
	size_t len = (size_t)((newline ? newline : end) - s);

	*ret_next = newline ? newline + 1 : end;
	while (len && (s[len - 1] == '\r' || is_blank(s[len - 1])))
		len--;
	return len;
}

static bool cut_note(const char *name, size_t *len, const char *note)
{
	if (*len <= 4 || memcmp(name + *len - 4, note, 4) != 0)
		return false;
	*len -= 4;
	return true;
}

static frame_id make_frame(struct profile *profile, const char *name, size_t len)
{
	struct frame frame = { 0 };

	if ((len == 1 && name[0] == '-') || (len == 2 && name[0] == '-' && name[1] == '-'))
		frame.kind = FRAME_SEPARATOR;
	if (cut_note(name, &len, "_[k]"))
		frame.kind = FRAME_KERNEL;
	else if (cut_note(name, &len, "_[j]"))
		frame.kind = FRAME_JIT;
	else if (cut_note(name, &len, "_[i]"))
		frame.inlined = true;
	if (frame.kind || frame.inlined || len != 9 || memcmp(name, "[unknown]", 9) != 0)
		frame.function = strtab_intern(profile->strings, name, len);
	return profile_frame(profile, &frame);
}

static frame_id intern_frame(struct folded_reader *reader, uint64_t key, const char *name,
			     size_t len)
{
	bool added;
	uint64_t *place = map_add(&reader->frames, key, &added);

	if (added)
		*place = make_frame(reader->profile, name, len).v;
	return (frame_id){ (uint32_t)*place };
}

static size_t common_prefix(const char *a, const char *b, size_t len)
{
	size_t i = 0;

	while (i + 8 <= len && memcmp(a + i, b + i, 8) == 0)
		i += 8;
	while (i < len && a[i] == b[i])
		i++;
	return i;
}

/* Keeps the frames that this line shares with the previous one; returns the start of its own
 * frames. */
static size_t reuse_frames(struct folded_reader *reader, const char *s, size_t len)
{
	size_t shorter = len < reader->previous_len ? len : reader->previous_len;
	size_t same = common_prefix(s, reader->previous, shorter);

	while (reader->open.count) {
		size_t end = vec_last(&reader->open)->end;

		if (end < same && s[end] == ';')
			return end + 1;
		reader->open.count--;
	}
	return 0;
}

static stack_id read_stack(struct folded_reader *reader, const char *s, size_t len)
{
	size_t at = reuse_frames(reader, s, len), known = reader->open.count, from;
	stack_id stack = known ? vec_last(&reader->open)->stack : STACK_EMPTY;

	reader->previous = s;
	reader->previous_len = len;
	reader->frame.count = reader->key.count = 0;
	from = at;
	while (at < len && reader->open.count < MAX_FRAMES) {
		const char *semicolon = memchr(s + at, ';', len - at);
		size_t end = semicolon ? (size_t)(semicolon - s) : len;
		uint64_t key = hash_bytes(s + at, end - at) ^ (uint64_t)(end - at) << 40;

		map_prefetch(&reader->frames, key);
		vec_push(&reader->key, key);
		vec_push(&reader->open, ((struct open_frame){ end, STACK_EMPTY }));
		at = end + 1;
	}
	for (size_t i = 0; i < reader->key.count; i++) {
		size_t end = reader->open.item[known + i].end;

		vec_push(&reader->frame,
			 intern_frame(reader, reader->key.item[i], s + from, end - from));
		from = end + 1;
	}
	reader->stack.count = 0;
	vec_reserve(&reader->stack, reader->frame.count);
	profile_stack_push_all(reader->profile, stack, reader->frame.item, reader->frame.count,
			       reader->stack.item);
	for (size_t i = 0; i < reader->frame.count; i++)
		reader->open.item[known + i].stack = reader->stack.item[i];
	return reader->open.count ? vec_last(&reader->open)->stack : STACK_EMPTY;
}

static void add_waiting(struct folded_reader *reader)
{
	profile_add_all(reader->profile, reader->waiting, reader->waiting_count);
	reader->waiting_count = 0;
	memset(reader->waiting_weight, 0, sizeof(reader->waiting_weight));
}

/* Makes room for more decimals in all weights of an event. False when they would not fit. */
static bool rescale(struct folded_reader *reader, uint16_t event, uint64_t scale)
{
	struct profile *profile = reader->profile;
	struct profile_event *e = &profile->events.item[event];
	uint64_t factor = scale / (e->scale ? e->scale : 1);

	add_waiting(reader);
	if (e->weight > MAX_WEIGHT / factor)
		return false;
	for (size_t i = 0; i < profile->samples.count; i++)
		if (profile->samples.item[i].event == event)
			profile->samples.item[i].weight *= factor;
	e->weight *= factor;
	e->scale = (uint32_t)scale;
	return true;
}

/* Adds one weight; false when the sum of the event would not fit. */
static bool add_sample(struct folded_reader *reader, stack_id stack, size_t column,
		       const struct weight *weight)
{
	uint64_t *waiting = &reader->waiting_weight[column];
	uint16_t event = reader->event[column];
	struct profile_event *e = &reader->profile->events.item[event];
	uint64_t own = power_of_ten[weight->decimals], scale = e->scale ? e->scale : 1;
	struct profile_sample sample = { .stack = stack, .thread = reader->thread, .event = event };

	if (own > scale && !rescale(reader, event, own))
		return false;
	scale = e->scale ? e->scale : 1;
	if (__builtin_mul_overflow(weight->value, scale / own, &sample.weight) ||
	    sample.weight > MAX_WEIGHT - e->weight - *waiting)
		return false;
	sample.count = (weight->value + own / 2) / own;
	if (reader->period > 0) {
		sample.count = (uint64_t)round((double)sample.weight / reader->period);
		sample.count += !sample.count;
	}
	if (!weight->value)
		return true;
	*waiting += sample.weight;
	reader->waiting[reader->waiting_count++] = sample;
	if (reader->waiting_count == AT_ONCE)
		add_waiting(reader);
	return true;
}

/* The value of " KEY=" in a header; empty when it is not there. */
static struct slice header_field(struct slice line, const char *key)
{
	const char *at = memmem(line.s, line.len, key, strlen(key));
	size_t from = at ? (size_t)(at - line.s) + strlen(key) : line.len;
	struct slice rest = { line.s + from, line.len - from };

	return text_cut(&rest, ' ');
}

/* "# cupel: event=NAME unit=UNIT period=NUMBER samples=NUMBER", which collapse --header writes. */
static bool is_header(const char *s, size_t len)
{
	return len > strlen(FOLDED_HEADER) && memcmp(s, FOLDED_HEADER, strlen(FOLDED_HEADER)) == 0;
}

static double header_period(const char *s, size_t len)
{
	struct slice text = header_field((struct slice){ s, len }, " period=");
	uint64_t period;

	return text_number(text, 1000, &period) ? (double)period / 1000 : 0;
}

static void open_event(struct folded_reader *reader, const char *text, const char *end)
{
	struct profile *profile = reader->profile;
	struct slice line = { text, (size_t)(end - text) }, name, unit;
	const char *next;

	line.len = line_length(text, end, &next);
	if (reader->two_columns || !is_header(line.s, line.len)) {
		reader->event[0] = profile_event(profile, reader->two_columns ? "after" : "samples",
						 "samples");
		return;
	}
	reader->period = header_period(line.s, line.len);
	name = header_field(line, " event=");
	unit = header_field(line, " unit=");
	reader->event[0] = profile_event(
		profile,
		strtab_get(profile->strings, strtab_intern(profile->strings, name.s, name.len)),
		strtab_get(profile->strings, strtab_intern(profile->strings, unit.s, unit.len)));
}

static void read_line(struct folded_reader *reader, const char *s, size_t len)
{
	struct folded_line line;
	stack_id stack;

	if (is_header(s, len))
		reader->periods_differ |= header_period(s, len) != reader->period;
	if (is_comment(s, len))
		return;
	if (!parse_line(s, len, &line)) {
		reader->profile->meta.unknown_records++;
		return;
	}
	if (reader->two_columns && line.columns == 2)
		(void)cut_weight(s, &line.stack_len, &line.weight[1]);
	stack = read_stack(reader, line.stack, line.stack_len);
	for (size_t i = 0; i < (reader->two_columns ? line.columns : 1); i++)
		if (!add_sample(reader, stack, i, &line.weight[i]))
			reader->profile->meta.unknown_records++;
		else if (line.weight[i].value)
			line_weights_add(&reader->weights[i], line.weight[i].value);
}

/* Two columns only if every line at the front has them: a name may end in a number. */
static bool has_two_columns(const char *text, size_t len)
{
	const char *end = text + len, *next;
	struct folded_line line;
	size_t lines = 0;

	for (; text < end && lines < 1000; text = next) {
		size_t n = line_length(text, end, &next);

		if (is_comment(text, n) || !parse_line(text, n, &line))
			continue;
		if (line.columns != 2)
			return false;
		lines++;
	}
	return lines > 0;
}

/* A mapped file is read in windows, so that what was read can be given back. */
static void read_lines(struct folded_reader *reader, const struct input *input, struct slice text)
{
	const char *end = text.s + text.len, *next, *window = text.s, *window_end = text.s;

	for (const char *s = text.s; s < end; s = next) {
		if (input && s >= window_end) {
			input_release_part(input, window, (size_t)(s - window));
			window = s;
			window_end = (size_t)(end - s) < WINDOW_BYTES ? end : s + WINDOW_BYTES;
			input_fetch_part(input, window, (size_t)(window_end - window));
		}
		read_line(reader, s, line_length(s, end, &next));
	}
}

/* By the first lines. */
static void begin(struct folded_reader *reader, const char *text, size_t len)
{
	reader->two_columns = has_two_columns(text, len);
	open_event(reader, text, text + len);
	if (reader->two_columns)
		reader->event[1] = profile_event(reader->profile, "before", "samples");
	reader->thread = profile_thread(reader->profile, UINT32_MAX, UINT32_MAX, "");
}

static void finish(struct folded_reader *reader)
{
	struct profile *profile = reader->profile;

	add_waiting(reader);
	for (int i = 0; i <= reader->two_columns; i++)
		profile_find_sample_weight(profile, reader->event[i], &reader->weights[i]);
	if (reader->periods_differ)
		profile->events.item[reader->event[0]].sample_weight = SAMPLE_WEIGHT_UNKNOWN;
	else if (reader->period > 0)
		profile->events.item[reader->event[0]].sample_weight = SAMPLE_WEIGHT_COUNTED;
	map_done(&reader->frames);
	vec_done(&reader->open);
	vec_done(&reader->key);
	vec_done(&reader->frame);
	vec_done(&reader->stack);
}

/* The input is that of the text, mapped; NULL if the text is elsewhere. */
static void parse(const struct input *input, const char *text, size_t len, struct profile *profile)
{
	struct folded_reader reader = { .profile = profile };

	begin(&reader, text, len);
	read_lines(&reader, input, (struct slice){ text, len });
	finish(&reader);
}

void folded_parse(const char *text, size_t len, struct profile *profile)
{
	parse(NULL, text, len, profile);
}

/* Of UTF-8. */
#define BYTE_MARK 3

static bool has_byte_mark(const uint8_t *data, size_t len)
{
	return len >= BYTE_MARK && memcmp(data, "\xef\xbb\xbf", BYTE_MARK) == 0;
}

/* Bytes of the window up to the end of a line; 0: it holds less than one. */
static size_t whole_lines(const struct input_window *window)
{
	const char *data = window->bytes.data;
	const char *newline = data ? memrchr(data, '\n', window->bytes.len) : NULL;

	if (window->ended)
		return window->bytes.len;
	return newline ? (size_t)(newline + 1 - data) : 0;
}

/* A packed file. */
static int parse_pieces(struct input_window *window, struct profile *profile, struct err *err)
{
	struct folded_reader reader = { .profile = profile };
	const struct buf *bytes = &window->bytes;
	size_t skip = has_byte_mark((const uint8_t *)bytes->data, bytes->len) ? BYTE_MARK : 0;
	int code = 0;

	if (skip)
		code = input_window_fill(window, skip, err);
	begin(&reader, window->bytes.data, whole_lines(window));
	while (!code && window->bytes.len) {
		size_t len = whole_lines(window);

		read_lines(&reader, NULL, (struct slice){ window->bytes.data, len });
		reader.open.count = reader.previous_len = 0; /* the line before is gone */
		code = input_window_fill(window, len, err);
	}
	finish(&reader);
	return code;
}

/* After a byte order mark; a lone surrogate becomes U+FFFD. */
static void utf16_to_utf8(const uint8_t *s, size_t len, bool big_endian, struct buf *ret)
{
	for (size_t i = 0; i + 1 < len; i += 2) {
		uint32_t c = big_endian ? (uint32_t)s[i] << 8 | s[i + 1]
					: (uint32_t)s[i + 1] << 8 | s[i];

		if (c >= 0xd800 && c < 0xdc00 && i + 3 < len) {
			uint32_t low = big_endian ? (uint32_t)s[i + 2] << 8 | s[i + 3]
						  : (uint32_t)s[i + 3] << 8 | s[i + 2];

			if (low >= 0xdc00 && low < 0xe000) {
				(void)buf_put_utf8(ret,
						   0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff)));
				i += 2;
				continue;
			}
		}
		(void)buf_put_utf8(ret, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
	}
}

static bool has_utf16_mark(const uint8_t *data, size_t len)
{
	return len >= 2 &&
	       ((data[0] == 0xff && data[1] == 0xfe) || (data[0] == 0xfe && data[1] == 0xff));
}

/* The text without its byte order mark, in UTF-8; *converted owns it if it had to be converted. */
static const char *decode(const uint8_t *data, size_t *len, struct buf *converted)
{
	if (has_utf16_mark(data, *len)) {
		utf16_to_utf8(data + 2, *len - 2, data[0] == 0xfe, converted);
		*len = converted->len;
		return converted->data ? converted->data : "";
	}
	if (has_byte_mark(data, *len)) {
		*len -= BYTE_MARK;
		data += BYTE_MARK;
	}
	return (const char *)data;
}

static int read_whole(struct input *input, struct profile *profile, struct err *err)
{
	struct buf converted = { 0 };
	const uint8_t *data;
	const char *text;
	size_t len;
	int r = input_map(input, &data, &len, err);

	if (r)
		return r;
	text = decode(data, &len, &converted);
	parse(converted.data ? NULL : input, text, len, profile);
	buf_done(&converted);
	return 0;
}

int folded_read(struct input *input, const struct format_read_options *options,
		struct profile *profile, struct err *err)
{
	struct input_window window;
	bool other;
	int code;

	(void)options;
	if (!input_rewinds(input))
		return read_whole(input, profile, err);
	code = input_window_open(&window, input, err);
	other = has_utf16_mark((const uint8_t *)window.bytes.data, window.bytes.len);
	if (!code && !other)
		code = parse_pieces(&window, profile, err);
	input_window_close(&window);
	return code || !other ? code : read_whole(input, profile, err);
}

int folded_sniff(const uint8_t *head, size_t len)
{
	struct buf converted = { 0 };
	struct folded_line line;
	size_t good = 0, stacks = 0, bad = 0, size = len;
	const char *text = decode(head, &size, &converted), *end = text + size, *next;

	for (; text < end && good + bad < 200; text = next) {
		size_t n = line_length(text, end, &next);

		if (next == end && text + n == end && (good + bad || len >= HEAD_BYTES)) {
			/* cut off: in a single line only the frames are evidence */
			good += !bad && memchr(text, ';', n) && !memchr(text, 0, n);
			break;
		}
		if (is_comment(text, n))
			continue;
		if (!parse_line(text, n, &line) || !line.stack_len) {
			bad++;
			continue;
		}
		good++;
		stacks += memchr(line.stack, ';', line.stack_len) != NULL;
	}
	buf_done(&converted);
	/* One stack and a line of something else: stacks have semicolons. */
	return good > bad || (good && good == bad && stacks) ? 1 : 0;
}
