/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gperftools' profiles → profile. CPU profiles are machine words of either size and byte order:
 * 0, words that follow in the header (3), 0 (1 = Java), µs between samples, 0; then for each stack
 * a count, a depth and so many addresses; 0, 1, 0 ends them. Text follows: lines of /proc/PID/maps,
 * or names of Java methods. All other kinds are text from the start. Formats: the documents
 * "cpuprofile-fileformat" and "heapprofile" of gperftools, profile/legacy_profile.go of pprof.
 * Addresses are not resolved: modules only, and the names of functions where the profile has them.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "format/format.h"
#include "format/input.h"
#include "format/perf_script/module_kind.h"
#include "format/text/text.h"
#include "profile/profile.h"

#define MAX_DEPTH      65536
#define HEADER_WORDS   3
#define NS_PER_US      1000u
#define NS_PER_S       1e9
#define MAX_HEAP_RATE  (1ull << 40)
#define JAVA_HEAP_RATE 524288

struct map_range {
	uint64_t start, end, offset;
	uint32_t module;
};

struct gperf_reader {
	struct profile *profile;
	struct profile_sample sample;
	VEC(struct map_range) ranges;
	struct map names;     /* address → frame, of Java methods */
	VEC(frame_id) frames; /* leaf first */
};

/* A hexadecimal number at the front of *text, with or without 0x; *text moves behind it. */
static bool cut_hex(struct slice *text, uint64_t *ret)
{
	size_t at = text_starts(*text, "0x") ? 2 : 0, first = at;
	uint64_t value = 0;

	for (; at < text->len && at < first + 16; at++) {
		static const char digits[] = "0123456789abcdef";
		const char *digit = text->s[at] ? strchr(digits, text->s[at]) : NULL;

		if (!digit)
			break;
		value = value << 4 | (uint64_t)(digit - digits);
	}
	*ret = value;
	*text = (struct slice){ text->s + at, text->len - at };
	return at > first;
}

/* "00400000-00fcb000 r-xp 00000000 08:01 12 /bin/a", or "00400000-00fcb000: /bin/a". */
static bool read_map(struct gperf_reader *r, struct slice line)
{
	struct map_range range = { 0 };
	struct slice path;

	line = text_trim(line);
	if (!cut_hex(&line, &range.start) || text_cut(&line, '-').len ||
	    !cut_hex(&line, &range.end) || range.end <= range.start)
		return false;
	if (text_starts(line, ":")) {
		path = text_trim((struct slice){ line.s + 1, line.len - 1 });
	} else {
		line = text_trim(line);
		(void)text_cut(&line, ' '); /* rights */
		(void)cut_hex(&line, &range.offset);
		line = text_trim(line);
		(void)text_cut(&line, ' '); /* device */
		line = text_trim(line);
		(void)text_cut(&line, ' '); /* inode */
		path = text_trim(line);
	}
	if (path.len) {
		string_id name = strtab_intern(r->profile->strings, path.s, path.len);

		range.module = profile_module(r->profile, profile_string(r->profile, name), "");
	}
	vec_push(&r->ranges, range);
	return true;
}

/* " 0x0000006 com.example.function06 (source.java:06)" */
static bool read_java_name(struct gperf_reader *r, struct slice line)
{
	struct frame frame = { 0 };
	struct slice rest, name, file;
	uint64_t address, number;

	line = text_trim(line);
	if (!text_starts(line, "0x") || !cut_hex(&line, &address))
		return false;
	rest = text_trim(line);
	name = text_cut(&rest, '(');
	file = text_cut(&rest, ':');
	name = text_trim(name);
	if (!name.len)
		return false;
	frame.function = text_name(r->profile, name);
	if (file.len && text_number(text_cut(&rest, ')'), 1, &number) && number < UINT32_MAX) {
		frame.file = strtab_intern(r->profile->strings, file.s, file.len);
		frame.line = (uint32_t)number;
	}
	frame.pc = frame.offset = address;
	map_set(&r->names, address, profile_frame(r->profile, &frame).v);
	return true;
}

/* "#\t0x44c6a9\tmain.f+0x28\t\t/src/x.go:12": a frame of the sample before, leaf first. */
static bool push_go_frame(struct gperf_reader *r, struct slice line)
{
	struct frame frame = { 0 };
	struct slice name, file;
	uint64_t number;
	const char *offset, *colon;

	if (!text_starts(line, "#\t0x") || r->frames.count >= MAX_DEPTH)
		return false;
	(void)text_cut(&line, '\t');
	(void)text_cut(&line, '\t');
	name = text_cut(&line, '\t');
	file = text_trim(line);
	offset = name.len ? memrchr(name.s, '+', name.len) : NULL;
	colon = file.len ? memrchr(file.s, ':', file.len) : NULL;
	if (offset)
		name.len = (size_t)(offset - name.s);
	if (!name.len)
		return false;
	frame.function = text_name(r->profile, name);
	if (colon &&
	    text_number((struct slice){ colon + 1, (size_t)(file.s + file.len - colon) - 1 }, 1,
			&number)) {
		frame.file = strtab_intern(r->profile->strings, file.s, (size_t)(colon - file.s));
		frame.line = number < UINT32_MAX ? (uint32_t)number : 0;
	}
	vec_push(&r->frames, profile_frame(r->profile, &frame));
	return true;
}

static void push_address(struct gperf_reader *r, uint64_t address, bool caller, struct slice name)
{
	struct frame frame = { .pc = address, .offset = address, .caller = caller };
	uint64_t known;

	if (r->frames.count >= MAX_DEPTH)
		return;
	if (map_get(&r->names, address, &known)) {
		vec_push(&r->frames, ((frame_id){ (uint32_t)known }));
		return;
	}
	for (size_t i = 0; i < r->ranges.count; i++) {
		const struct map_range *range = &r->ranges.item[i];

		if (address < range->start || address >= range->end)
			continue;
		frame.module = range->module;
		frame.offset = address - range->start + range->offset;
		frame.kind = module_kind(
			profile_string(r->profile, r->profile->modules.item[range->module].path),
			address);
		break;
	}
	if (name.len)
		frame.function = text_name(r->profile, name);
	vec_push(&r->frames, profile_frame(r->profile, &frame));
}

/* What follows "@": addresses, leaf first, each behind a call. */
static void push_addresses(struct gperf_reader *r, struct slice text)
{
	uint64_t address;

	for (text = text_trim(text); text.len; text = text_trim(text))
		if (cut_hex(&text, &address))
			push_address(r, address, true, (struct slice){ 0 });
		else
			text_cut(&text, ' ');
}

/* The frames of a sample: names if the lines after it have them, else addresses. */
static void take_frames(struct gperf_reader *r, struct slice addresses, struct slice behind)
{
	struct slice line;

	r->frames.count = 0;
	while (text_line(&behind, &line) && push_go_frame(r, line))
		continue;
	if (!r->frames.count)
		push_addresses(r, addresses);
}

static void add_stack(struct gperf_reader *r, uint64_t weight, uint64_t count)
{
	stack_id stack = STACK_EMPTY;

	for (size_t i = r->frames.count; i-- > 0;)
		stack = profile_stack_push(r->profile, stack, r->frames.item[i]);
	r->sample.stack = profile_stack_or_unknown(r->profile, stack);
	r->sample.weight = weight;
	r->sample.count = count ? count : 1;
	if (weight)
		profile_add(r->profile, &r->sample);
}

/* The layout of machine words, found by the header. */
struct words {
	const uint8_t *data;
	size_t count; /* words in the data */
	unsigned size;
	bool big_endian;
};

static uint64_t word_at(const struct words *w, size_t i)
{
	uint64_t value = 0;

	for (unsigned b = 0; b < w->size; b++)
		value |= (uint64_t)w->data[i * w->size + b]
			 << 8 * (w->big_endian ? w->size - 1 - b : b);
	return value;
}

static bool find_words(const uint8_t *data, size_t len, struct words *ret)
{
	for (unsigned form = 0; form < 4; form++) {
		struct words w = { .data = data, .size = form & 1 ? 4 : 8, .big_endian = form & 2 };

		w.count = len / w.size;
		if (w.count < 8 || word_at(&w, 0) != 0 || word_at(&w, 1) != HEADER_WORDS ||
		    word_at(&w, 2) > 1 || !word_at(&w, 3) || word_at(&w, 3) > UINT32_MAX ||
		    word_at(&w, 4) != 0)
			continue;
		*ret = w;
		return true;
	}
	return false;
}

/* One stack; returns where the next one begins, or 0 when the data end inside. */
static size_t skip_stack(const struct words *w, size_t at)
{
	uint64_t depth = at + 2 <= w->count ? word_at(w, at + 1) : UINT64_MAX;

	return depth <= MAX_DEPTH && depth <= w->count - at - 2 ? at + 2 + (size_t)depth : 0;
}

static bool is_trailer(const struct words *w, size_t at)
{
	return at + 3 <= w->count && word_at(w, at) == 0 && word_at(w, at + 1) == 1 &&
	       word_at(w, at + 2) == 0;
}

static void read_stacks(struct gperf_reader *r, const struct words *w, size_t end)
{
	uint64_t period_ns = word_at(w, 3) * NS_PER_US;

	for (size_t at = HEADER_WORDS + 2, next; at < end; at = next) {
		uint64_t count = word_at(w, at), weight;

		next = skip_stack(w, at);
		r->frames.count = 0;
		for (size_t i = at + 2; i < next; i++)
			push_address(r, word_at(w, i), i > at + 2, (struct slice){ 0 });
		if (__builtin_mul_overflow(count, period_ns, &weight) || weight >> 62)
			r->profile->meta.unknown_records++;
		else
			add_stack(r, weight, count);
	}
}

static void read_cpu(struct gperf_reader *r, const struct words *w, size_t len)
{
	size_t end = HEADER_WORDS + 2, next;
	struct slice text = { 0 }, line;

	while (end && end < w->count && !is_trailer(w, end) && (next = skip_stack(w, end)))
		end = next;
	if (is_trailer(w, end))
		text = (struct slice){ (const char *)w->data + (end + 3) * w->size,
				       len - (end + 3) * w->size };
	else
		r->profile->meta.truncated_bytes += len - end * w->size;
	while (text_line(&text, &line))
		(void)(read_map(r, line) || read_java_name(r, line));
	r->sample = text_sample(r->profile, "cpu", "ns");
	read_stacks(r, w, end);
}

/* The estimated total for samples of this size, one about every `rate` bytes. */
static double heap_factor(uint64_t count, uint64_t bytes, uint64_t rate)
{
	return rate > 1 && count && bytes
		       ? 1 / (1 - exp(-(double)bytes / (double)count / (double)rate))
		       : 1;
}

/* "COUNT: BYTES" at the front of *text. */
static bool cut_amount(struct slice *text, uint64_t *ret_count, uint64_t *ret_bytes)
{
	struct slice count = text_trim(text_cut(text, ':')), bytes;

	*text = text_trim(*text);
	bytes = *text;
	while (text->len && text->s[0] >= '0' && text->s[0] <= '9')
		*text = (struct slice){ text->s + 1, text->len - 1 };
	bytes.len -= text->len;
	*text = text_trim(*text);
	return text_number(count, 1, ret_count) && text_number(bytes, 1, ret_bytes) &&
	       *ret_count >> 53 == 0 && *ret_bytes >> 53 == 0;
}

/* Two amounts, "COUNT: BYTES [COUNT: BYTES] @ …". */
static bool cut_amounts(struct slice *text, uint64_t amount[4])
{
	if (!cut_amount(text, &amount[0], &amount[1]) || !text_starts(*text, "["))
		return false;
	(void)text_cut(text, '[');
	if (!cut_amount(text, &amount[2], &amount[3]) || !memchr(text->s, '@', text->len))
		return false;
	(void)text_cut(text, '@');
	return true;
}

/* "heapz_v2/524288"; Go's "heap/1048576" is twice the rate; others were not sampled. */
static uint64_t heap_rate(struct slice kind)
{
	struct slice name = text_trim(text_cut(&kind, '/'));
	uint64_t rate;

	if (!text_number(text_trim(kind), 1, &rate) || rate > MAX_HEAP_RATE)
		return 1;
	if (name.len == 4 && text_starts(name, "heap"))
		return rate / 2;
	return name.len > 3 && memcmp(name.s + name.len - 3, "_v2", 3) == 0 ? rate : 1;
}

static void read_heap(struct gperf_reader *r, struct slice text)
{
	uint64_t amount[4], rate, memory;
	uint16_t in_use, allocated;
	struct slice line;
	bool both;

	(void)text_line(&text, &line);
	(void)text_cut(&line, ':');
	if (!cut_amounts(&line, amount)) {
		r->profile->meta.unknown_records++;
		return;
	}
	rate = heap_rate(line);
	both = amount[0] != amount[2] || amount[1] != amount[3];
	r->sample = text_sample(r->profile, both ? "inuse_space" : "space", "bytes");
	in_use = r->sample.event;
	allocated = both ? profile_event(r->profile, "alloc_space", "bytes") : in_use;
	while (text_line(&text, &line)) {
		if (!cut_amounts(&line, amount)) {
			if (text_starts(line, "MAPPED_LIBRARIES") || text_starts(line, "---"))
				break;
			r->profile->meta.unknown_records += text_trim(line).len && line.s[0] != '#';
			continue;
		}
		take_frames(r, line, text);
		for (unsigned i = 0; i < (both ? 4 : 2); i += 2) {
			double factor = heap_factor(amount[i], amount[i + 1], rate);

			memory = (uint64_t)((double)amount[i + 1] * factor);
			r->sample.event = i ? allocated : in_use;
			add_stack(r, memory, (uint64_t)((double)amount[i] * factor));
		}
	}
}

/* "cycles/second = 3201000000", "sampling period=100" */
static void read_setting(struct slice line, const char *key, uint64_t *value)
{
	uint64_t number;

	if (!text_starts(line, key))
		return;
	(void)text_cut(&line, '=');
	if (text_number(text_trim(line), 1, &number) && number)
		*value = number;
}

static void read_contention(struct gperf_reader *r, struct slice text)
{
	uint64_t hz = 1000000000, period = 1, delay, count;
	struct slice line;

	r->sample = text_sample(r->profile, "delay", "ns");
	while (text_line(&text, &line)) {
		struct slice word, rest = text_trim(line);
		double ns;

		read_setting(rest, "cycles/second", &hz);
		read_setting(rest, "sampling period", &period);
		if (text_starts(rest, "resolution = microseconds"))
			hz = 1000000;
		word = text_cut(&rest, ' ');
		rest = text_trim(rest);
		if (!text_number(word, 1, &delay) ||
		    !text_number(text_cut(&rest, ' '), 1, &count) || !text_starts(rest, "@"))
			continue;
		(void)text_cut(&rest, '@');
		take_frames(r, rest, text);
		ns = (double)delay * (double)period * (NS_PER_S / (double)hz);
		if (ns >= 1e18 || count > UINT32_MAX || period > UINT32_MAX)
			r->profile->meta.unknown_records++;
		else
			add_stack(r, (uint64_t)ns, count * period);
	}
}

/* Java's: "BYTES COUNT @ …", sampled. */
static void read_java_heap(struct gperf_reader *r, struct slice text)
{
	uint64_t bytes, count;
	struct slice line;

	r->sample = text_sample(r->profile, "inuse_space", "bytes");
	while (text_line(&text, &line)) {
		struct slice rest = text_trim(line), word = text_cut(&rest, ' ');
		double factor;

		if (!text_number(word, 1, &bytes) || bytes >> 53 ||
		    !text_number(text_trim(text_cut(&rest, '@')), 1, &count) || count >> 32)
			continue;
		take_frames(r, rest, text);
		factor = heap_factor(count, bytes, JAVA_HEAP_RATE);
		add_stack(r, (uint64_t)((double)bytes * factor),
			  (uint64_t)((double)count * factor));
	}
}

/* Go's "goroutine profile: total 7": "COUNT @ …". */
static void read_counts(struct gperf_reader *r, struct slice text)
{
	struct slice line, name;
	uint64_t count;

	(void)text_line(&text, &line);
	name = text_cut(&line, ' ');
	r->sample = text_sample(r->profile,
				strtab_get(r->profile->strings,
					   strtab_intern(r->profile->strings, name.s, name.len)),
				"count");
	while (text_line(&text, &line)) {
		if (!text_number(text_trim(text_cut(&line, '@')), 1, &count) || count >> 32)
			continue;
		take_frames(r, line, text);
		if (r->frames.count)
			add_stack(r, count, count);
	}
}

/* "--- Thread 7f79 (name: main/14748) stack: ---" */
static thread_id read_thread_name(struct gperf_reader *r, struct slice line)
{
	uint64_t tid = PROFILE_NO_ID;
	string_id comm;
	struct slice name;

	(void)text_cut(&line, ':');
	name = text_trim(text_cut(&line, ')'));
	line = name;
	name = text_cut(&line, '/');
	if (!text_number(line, 1, &tid) || tid > PROFILE_NO_ID)
		tid = PROFILE_NO_ID;
	comm = strtab_intern(r->profile->strings, name.s ? name.s : "", name.len);
	return profile_thread(r->profile, PROFILE_NO_ID, (uint32_t)tid,
			      profile_string(r->profile, comm));
}

/* "PC:  0x00bc8f1c: helper(arg *)", "0x0040be31: main", "creator: 0xa45b96 0xa460b4" */
static void read_thread_line(struct gperf_reader *r, struct slice line, bool *fresh)
{
	uint64_t address;

	line = text_trim(line);
	if (text_starts(line, "[same as previous")) {
		*fresh = false; /* the frames are still there */
		return;
	}
	if (*fresh)
		r->frames.count = 0;
	*fresh = false;
	if (text_starts(line, "creator:")) {
		(void)text_cut(&line, ':');
		push_addresses(r, line);
		return;
	}
	if (text_starts(line, "PC:")) {
		(void)text_cut(&line, ':');
		line = text_trim(line);
	}
	if (!text_starts(line, "0x") || !cut_hex(&line, &address))
		return;
	(void)text_cut(&line, ':');
	push_address(r, address, r->frames.count > 0, text_trim(line));
}

static void read_threads(struct gperf_reader *r, struct slice text)
{
	bool open = false, fresh = false;
	struct slice line;

	r->sample = text_sample(r->profile, "threads", "threads");
	while (text_line(&text, &line)) {
		if (!text_starts(line, "---")) {
			if (open && text_trim(line).len)
				read_thread_line(r, line, &fresh);
			continue;
		}
		if (open)
			add_stack(r, 1, 1);
		open = fresh = text_starts(line, "--- Thread ");
		if (open)
			r->sample.thread = read_thread_name(r, line);
	}
	if (open)
		add_stack(r, 1, 1);
}

static const struct {
	const char *start;
	void (*read)(struct gperf_reader *r, struct slice text);
} kinds[] = {
	{ "heap profile:", read_heap },	       { "--- contention", read_contention },
	{ "--- mutex", read_contention },      { "--- threadz", read_threads },
	{ "--- Thread ", read_threads },       { "--- heapz", read_java_heap },
	{ "goroutine profile:", read_counts }, { "threadcreate profile:", read_counts },
};

static bool read_text(struct gperf_reader *r, struct slice text)
{
	bool java = text_has(text, "format = java");
	struct slice maps = text, line;

	while (text_line(&maps, &line)) /* they are at the end, but needed first */
		if (java)
			(void)read_java_name(r, line);
		else if (text_has(line, "-") && !text_starts(line, "---"))
			(void)read_map(r, line);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (text_starts(text, kinds[i].start)) {
			kinds[i].read(r, text);
			return true;
		}
	return false;
}

static int gperftools_read(struct input *input, const struct format_read_options *options,
			   struct profile *profile, struct err *err)
{
	struct gperf_reader r = { .profile = profile };
	struct words words;
	const uint8_t *data;
	size_t len;
	int code = input_map(input, &data, &len, err);

	(void)options;
	if (code)
		return code;
	if (find_words(data, len, &words))
		read_cpu(&r, &words, len);
	else if (!read_text(&r, (struct slice){ (const char *)data, len }))
		code = err_set(err, -EINVAL, "not a gperftools profile");
	vec_done(&r.ranges);
	vec_done(&r.frames);
	map_done(&r.names);
	return code;
}

static int gperftools_sniff(const uint8_t *head, size_t len)
{
	struct slice text = { (const char *)head, len };
	struct words words;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (text_starts(text, kinds[i].start))
			return 3;
	return find_words(head, len, &words) ? 3 : 0;
}

const struct format_ops format_gperftools = {
	.name = "gperftools",
	.help = "gperftools profiles: CPU, heap, contention, threads",
	.sniff = gperftools_sniff,
	.read = gperftools_read,
};
