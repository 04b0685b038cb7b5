/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the readers of plain text share (see text.h). */
#include "format/text/text.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "format/perf_script/rust_name.h"

bool text_line(struct slice *text, struct slice *ret)
{
	const char *newline = text->len ? memchr(text->s, '\n', text->len) : NULL;
	size_t len = newline ? (size_t)(newline - text->s) : text->len;

	if (!text->len)
		return false;
	*ret = (struct slice){ text->s, len };
	text->s += len + (newline != NULL);
	text->len -= len + (newline != NULL);
	while (ret->len && ret->s[ret->len - 1] == '\r')
		ret->len--;
	return true;
}

struct slice text_trim(struct slice s)
{
	while (s.len && (s.s[0] == ' ' || s.s[0] == '\t')) {
		s.s++;
		s.len--;
	}
	while (s.len && (s.s[s.len - 1] == ' ' || s.s[s.len - 1] == '\t'))
		s.len--;
	return s;
}

struct slice text_cut(struct slice *s, char c)
{
	const char *at = s->len ? memchr(s->s, c, s->len) : NULL;
	struct slice front = { s->s, at ? (size_t)(at - s->s) : s->len };
	size_t used = front.len + (at != NULL);

	if (!s->len)
		return front;

	*s = (struct slice){ s->s + used, s->len - used };
	return front;
}

bool text_starts(struct slice s, const char *start)
{
	size_t len = strlen(start);

	return s.len >= len && memcmp(s.s, start, len) == 0;
}

bool text_has(struct slice s, const char *part)
{
	return s.len && memmem(s.s, s.len, part, strlen(part));
}

bool text_number(struct slice s, uint64_t scale, uint64_t *ret)
{
	uint64_t value = 0, unit = scale;
	bool dot = false, digit = false;

	for (size_t i = 0; i < s.len; i++) {
		uint64_t d = (uint64_t)(unsigned char)s.s[i] - '0';

		if (s.s[i] == ',' && digit && !dot)
			continue;
		if (s.s[i] == '.' && !dot) {
			dot = true;
			continue;
		}
		if (d > 9 || value > UINT64_MAX / 1000)
			return false;
		digit = true;
		if (dot) {
			unit /= 10;
			value += d * unit;
		} else if (__builtin_mul_overflow(value, 10, &value) ||
			   __builtin_add_overflow(value, d * scale, &value)) {
			return false;
		}
	}
	*ret = value;
	return digit;
}

string_id text_name(struct profile *profile, struct slice name)
{
	const char *llvm = name.len ? memmem(name.s, name.len, " (.llvm.", 8) : NULL;
	struct slice rest = name, module = text_cut(&rest, '`');
	struct buf word = { 0 }, finished = { 0 };
	string_id ret;

	if (llvm) /* a suffix against name clashes */
		name.len = (size_t)(llvm - name.s);
	if (module.len < name.len) {
		(void)buf_append(&word, name.s, module.len + 1);
		name = (struct slice){ rest.s, name.len - module.len - 1 };
	}
	if (rust_name_finish(name.s, name.len, &finished)) /* "_<" is how "<" is mangled */
		name = finished.len > 1 && memcmp(finished.data, "_<", 2) == 0
			       ? (struct slice){ finished.data + 1, finished.len - 1 }
			       : (struct slice){ finished.data, finished.len };
	(void)buf_append(&word, name.s, name.len);
	ret = strtab_intern(profile->strings, word.data ? word.data : "", word.len);
	buf_done(&word);
	buf_done(&finished);
	return ret;
}

frame_id text_frame(struct profile *profile, struct slice name)
{
	struct frame frame = { .function = text_name(profile, name) };

	return profile_frame(profile, &frame);
}

frame_id text_module_frame(struct profile *profile, struct slice module, struct slice function)
{
	struct buf name = { 0 };
	frame_id ret;

	if (!module.len)
		return text_frame(profile, function);
	(void)buf_append(&name, module.s, module.len);
	(void)buf_putc(&name, '`');
	(void)buf_append(&name, function.s, function.len);
	ret = text_frame(profile, (struct slice){ name.data, name.len });
	buf_done(&name);
	return ret;
}

/* A power of ten up to PROFILE_MAX_SCALE in decimal. 0: invalid. */
static uint32_t read_scale(const char *digits)
{
	size_t zeros = digits[0] == '1' ? strspn(digits + 1, "0") : 0;
	uint32_t scale = 1;

	static_assert(PROFILE_MAX_SCALE == 1000000, "six zeros");
	if (!zeros || zeros > 6 || digits[zeros + 1])
		return 0;
	while (zeros--)
		scale *= 10;
	return scale;
}

uint16_t text_event(struct profile *profile, const char *name, const char *unit)
{
	const char *slash = strrchr(name, '/');
	uint32_t scale = slash ? read_scale(slash + 1) : 0;
	struct buf plain = { 0 };
	uint16_t event;

	if (!scale)
		return profile_event(profile, name, unit);
	(void)buf_append(&plain, name, (size_t)(slash - name));
	event = profile_event(profile, plain.data ? plain.data : "", unit);
	(void)profile_event_scale(profile, event, scale);
	buf_done(&plain);
	return event;
}

struct profile_sample text_sample(struct profile *profile, const char *event, const char *unit)
{
	return (struct profile_sample){ .thread = profile_thread(profile, PROFILE_NO_ID,
								 PROFILE_NO_ID, ""),
					.event = profile_event(profile, event, unit),
					.cpu = PROFILE_NO_CPU,
					.weight = 1,
					.count = 1 };
}

/* Completes the lines at this depth and deeper: their self weight is the weight without that of
 * lines below. */
static void close_lines(struct indented *tree, size_t depth)
{
	while (tree->open.count && vec_last(&tree->open)->depth >= depth) {
		struct indented_line line = *vec_last(&tree->open);
		struct profile_sample sample = tree->sample;

		tree->open.count--;
		sample.stack = line.stack;
		sample.weight = line.total > line.below ? line.total - line.below : 0;
		if (line.below > line.total) /* a report of rounded numbers */
			tree->profile->meta.unknown_records++;
		sample.count = tree->counts ? sample.weight : 1;
		if (sample.weight)
			profile_add(tree->profile, &sample);
	}
}

stack_id indented_push(struct indented *tree, size_t depth, frame_id frame)
{
	stack_id parent = STACK_EMPTY;

	close_lines(tree, depth);
	if (tree->open.count)
		parent = vec_last(&tree->open)->stack;
	parent = profile_stack_push(tree->profile, parent, frame);
	vec_push(&tree->open, ((struct indented_line){ .depth = depth, .stack = parent }));
	return parent;
}

void indented_add(struct indented *tree, size_t depth, frame_id frame, uint64_t total)
{
	(void)indented_push(tree, depth, frame);
	vec_last(&tree->open)->total = total;
	if (tree->open.count > 1)
		tree->open.item[tree->open.count - 2].below += total;
}

void indented_finish(struct indented *tree)
{
	close_lines(tree, 0);
	vec_done(&tree->open);
}
