/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heaptrack → profile: bytes allocated, allocations, bytes live at the end and when most were, and
 * what was freed by the very next call (heaptrack's "temporary"). Lines of hexadecimal numbers;
 * what a line defines is referred to by its place among those of its kind, from 1 on, 0 = nothing:
 *   v VERSION FORMAT                              s LENGTH TEXT (format 3; before without a length)
 *   i ADDRESS MODULE [FUNCTION FILE LINE]…        innermost first: all but the last are inlined
 *   t INSTRUCTION CALLER                          a stack
 *   a SIZE STACK                                  a kind of block, counted from 0
 *   + KIND, - KIND                                such a block begins and ends
 *   c TIME, R PAGES, X COMMAND, #…                and others, which do not matter here */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "event/kind.h"
#include "format/format.h"
#include "format/input.h"
#include "format/text/text.h"

#define MAX_FRAMES 256 /* inlined into one function */

struct kind {
	uint64_t size;
	stack_id stack;
	uint64_t begun, live, at_peak, temporary; /* blocks */
};

struct heaptrack_reader {
	struct profile *profile;
	uint64_t format;
	VEC(string_id) strings;
	VEC(uint32_t) instruction; /* its frames: the index of their number in `frames` */
	VEC(uint32_t) frames;	   /* number, then frame ids, outermost first */
	VEC(stack_id) stacks;
	VEC(struct kind) kinds;
	uint64_t live, peak;
	bool found_peak; /* in the second pass: the kinds have what is live there */
	size_t begun;	 /* the kind of the last line, if it began a block, + 1 */
};

/* A hexadecimal word; false if there is none. */
static bool take(struct slice *line, uint64_t *ret)
{
	struct slice word = text_cut(line, ' ');
	uint64_t value = 0;

	if (!word.len || word.len > 16)
		return false;
	for (size_t i = 0; i < word.len; i++) {
		const char *digits = "0123456789abcdef", *digit = strchr(digits, word.s[i]);

		if (!word.s[i] || !digit)
			return false;
		value = value << 4 | (uint64_t)(digit - digits);
	}
	*ret = value;
	return true;
}

/* Of something that was defined before. */
static bool take_place(struct slice *line, size_t count, uint64_t *ret)
{
	return take(line, ret) && *ret <= count;
}

static string_id string_of(const struct heaptrack_reader *r, uint64_t place)
{
	return place ? r->strings.item[place - 1] : STRING_EMPTY;
}

static bool add_string(struct heaptrack_reader *r, struct slice line)
{
	uint64_t length;

	if (r->format >= 3 && (!take(&line, &length) || length != line.len))
		return false;
	vec_push(&r->strings, strtab_intern(r->profile->strings, line.len ? line.s : "", line.len));
	return true;
}

static bool add_instruction(struct heaptrack_reader *r, struct slice line)
{
	struct frame frame[MAX_FRAMES] = { 0 };
	uint64_t address, module, function, file, number;
	size_t count = 0;

	if (!take(&line, &address) || !take_place(&line, r->strings.count, &module))
		return false;
	while (count < MAX_FRAMES && take_place(&line, r->strings.count, &function)) {
		frame[count] = (struct frame){ .function = string_of(r, function) };
		if (take_place(&line, r->strings.count, &file) && take(&line, &number)) {
			frame[count].file = string_of(r, file);
			frame[count].line = number < UINT32_MAX ? (uint32_t)number : 0;
		}
		count++;
	}
	count = count ? count : 1; /* one without a name */
	vec_push(&r->instruction, (uint32_t)r->frames.count);
	vec_push(&r->frames, (uint32_t)count);
	for (size_t i = count; i-- > 0;) {
		frame[i].inlined = i + 1 < count;
		frame[i].module =
			module ? profile_module(r->profile,
						profile_string(r->profile, string_of(r, module)),
						"")
			       : 0;
		frame[i].offset = i + 1 < count || frame[i].function.v ? 0 : address;
		vec_push(&r->frames, profile_frame(r->profile, &frame[i]).v);
	}
	return true;
}

static bool add_stack(struct heaptrack_reader *r, struct slice line)
{
	uint64_t instruction, caller;
	stack_id stack = STACK_EMPTY;

	if (!take_place(&line, r->instruction.count, &instruction) || !instruction ||
	    !take_place(&line, r->stacks.count, &caller))
		return false;
	if (caller)
		stack = r->stacks.item[caller - 1];
	for (uint32_t at = r->instruction.item[instruction - 1], i = 1; i <= r->frames.item[at];
	     i++)
		stack = profile_stack_push(r->profile, stack, (frame_id){ r->frames.item[at + i] });
	vec_push(&r->stacks, stack);
	return true;
}

static bool add_kind(struct heaptrack_reader *r, struct slice line)
{
	struct kind kind = { 0 };
	uint64_t stack;

	if (!take(&line, &kind.size) || !take_place(&line, r->stacks.count, &stack))
		return false;
	kind.stack = profile_stack_or_unknown(r->profile,
					      stack ? r->stacks.item[stack - 1] : STACK_EMPTY);
	vec_push(&r->kinds, kind);
	return true;
}

static bool begin_block(struct heaptrack_reader *r, struct slice line)
{
	uint64_t place;

	if (!take(&line, &place) || place >= r->kinds.count)
		return false;
	r->kinds.item[place].begun++;
	r->kinds.item[place].live++;
	r->live += r->kinds.item[place].size;
	r->peak = r->live > r->peak ? r->live : r->peak;
	r->begun = place + 1;
	return true;
}

static bool end_block(struct heaptrack_reader *r, struct slice line)
{
	uint64_t place;

	if (!take(&line, &place) || place >= r->kinds.count || !r->kinds.item[place].live)
		return false;
	r->kinds.item[place].live--;
	r->kinds.item[place].temporary += r->begun == place + 1;
	r->live -= r->kinds.item[place].size;
	r->begun = 0;
	return true;
}

static bool take_line(struct heaptrack_reader *r, struct slice line)
{
	struct slice rest = line, word = text_cut(&rest, ' ');

	if (word.len != 1)
		return !word.len || *word.s == '#';
	switch (*word.s) {
	case 's':
		return add_string(r, rest);
	case 'i':
		return add_instruction(r, rest);
	case 't':
		return add_stack(r, rest);
	case 'a':
		return add_kind(r, rest);
	case '+':
		return begin_block(r, rest);
	case '-':
		return end_block(r, rest);
	default:
		return true;
	}
}

/* Once more from the first block to the moment when most was live. */
static void find_peak(struct heaptrack_reader *r, struct slice text)
{
	uint64_t peak = r->peak;
	struct slice line;

	for (size_t i = 0; i < r->kinds.count; i++)
		r->kinds.item[i].at_peak = 0;
	for (r->live = 0; r->live < peak && text_line(&text, &line);) {
		struct slice rest = line, word = text_cut(&rest, ' ');
		uint64_t place;

		if (word.len != 1 || (*word.s != '+' && *word.s != '-') || !take(&rest, &place) ||
		    place >= r->kinds.count)
			continue;
		if (*word.s == '-' && !r->kinds.item[place].at_peak)
			continue;
		r->kinds.item[place].at_peak += *word.s == '+' ? 1 : (uint64_t)-1;
		r->live += *word.s == '+' ? r->kinds.item[place].size
					  : (uint64_t)0 - r->kinds.item[place].size;
	}
}

/* heaptrack does not say why a stack ends. */
static enum stack_stop stop_of(const struct profile *profile, stack_id stack)
{
	static const char *const roots[] = { "_start", "clone", "clone3", "__clone", "__clone3" };
	const char *name = "";

	for (; stack.v; stack = profile->nodes.item[stack.v].parent)
		name = profile_string(
			profile,
			profile->frames.item[profile->nodes.item[stack.v].frame.v].function);
	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++)
		if (strcmp(name, roots[i]) == 0)
			return STACK_STOP_ROOT;
	return STACK_STOP_NONE;
}

static void add_samples(struct heaptrack_reader *r, enum event_kind event, size_t offset,
			bool bytes)
{
	const char *name = event_kind_name(event);
	struct profile_sample sample =
		text_sample(r->profile, name, event_unit_name(event_kind_unit(event)));
	for (size_t i = 0; i < r->kinds.count; i++) {
		const struct kind *kind = &r->kinds.item[i];
		uint64_t blocks = *(const uint64_t *)((const char *)kind + offset);

		sample.stack = kind->stack;
		sample.stop = (uint8_t)stop_of(r->profile, kind->stack);
		sample.count = blocks;
		if (!blocks ||
		    __builtin_mul_overflow(blocks, bytes ? kind->size : 1, &sample.weight))
			continue;
		profile_add(r->profile, &sample);
	}
}

static int heaptrack_read(struct input *input, const struct format_read_options *options,
			  struct profile *profile, struct err *err)
{
	struct heaptrack_reader r = { .profile = profile };
	struct slice text, all, line, word;
	const uint8_t *data;
	uint64_t version;
	int code = input_map(input, &data, &text.len, err);

	(void)options;
	if (code)
		return code;
	text.s = (const char *)data;
	all = text;
	if (text_line(&text, &line)) {
		(void)text_cut(&line, ' ');
		if (!take(&line, &version) || !take(&line, &r.format))
			r.format = 0;
	}
	while (text_line(&text, &line)) {
		if (text_starts(line, "X ")) {
			word = (struct slice){ line.s + 2, line.len - 2 };
			profile->meta.command = strtab_intern(profile->strings, word.s, word.len);
		}
		profile->meta.unknown_records += !take_line(&r, line);
	}
	if (r.kinds.count) {
		find_peak(&r, all);
		add_samples(&r, EVENT_KIND_HEAP_ALLOC, offsetof(struct kind, begun), true);
		add_samples(&r, EVENT_KIND_HEAP_COUNT, offsetof(struct kind, begun), false);
		add_samples(&r, EVENT_KIND_HEAP_LIVE, offsetof(struct kind, live), true);
		add_samples(&r, EVENT_KIND_HEAP_PEAK, offsetof(struct kind, at_peak), true);
		add_samples(&r, EVENT_KIND_HEAP_TEMPORARY, offsetof(struct kind, temporary), true);
	} else {
		code = err_set(err, -ENODATA, "no allocation with a stack");
		(void)err_hint(err, "a raw file becomes readable with: heaptrack --interpret FILE");
	}
	vec_done(&r.strings);
	vec_done(&r.instruction);
	vec_done(&r.frames);
	vec_done(&r.stacks);
	vec_done(&r.kinds);
	return code;
}

static int heaptrack_sniff(const uint8_t *head, size_t len)
{
	struct slice text = { (const char *)head, len }, line, rest;
	uint64_t version, format;

	if (!text_line(&text, &line) || !text_starts(line, "v "))
		return 0;
	rest = (struct slice){ line.s + 2, line.len - 2 };
	return take(&rest, &version) && take(&rest, &format) && !rest.len &&
			       (text_starts(text, "X ") || text_starts(text, "x "))
		       ? 3
		       : 0;
}

const struct format_ops format_heaptrack = {
	.name = "heaptrack",
	.help = "allocations of heaptrack",
	.sniff = heaptrack_sniff,
	.read = heaptrack_read,
};
