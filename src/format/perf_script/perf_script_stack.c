/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of call chains → stacks (see perf_script_stack.h). A body of text is looked up as a whole
 * first, then without its leaf's line, in which most new ones differ from known ones, and long ones
 * by halves. Unknown rest becomes ids of lines, and only frames above the longest known stack are
 * pushed. The caches are larger than the CPU's, so each step is done for all bodies before the
 * next, and their cache misses overlap. */
#include "format/perf_script/perf_script_stack.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/cache.h"
#include "base/map.h"
#include "base/vec.h"
#include "format/perf_script/module_kind.h"
#include "format/perf_script/perf_script_key.h"
#include "format/perf_script/rust_name.h"

#define OUTER_LEAST 256			/* bytes of outer lines that are looked up separately */
#define HALF_LEAST  2048		/* the same, of about half of the text */
#define MAX_STACK   65536		/* frames kept of one sample */
#define BAD_LINE    ((uint32_t)1 << 31) /* in ids of invalid lines */

enum line_kind { LINE_BAD, LINE_SKIP, LINE_FRAME, LINE_INLINED, LINE_SRCLINE };

/* A line seen before. */
struct known_line {
	enum line_kind kind;
	/* LINE_FRAME: in stacks->expansions, outermost first. LINE_INLINED, without its module, and
	 * LINE_SRCLINE, file and line: in stacks->frames. */
	uint32_t first, count;
};

/* One line or several equal ones in a row, of a body that is being numbered. */
struct mark {
	uint64_t hash;	   /* of the text, then of the lines from the root to this one */
	uint32_t id;	   /* of the line alone */
	uint32_t from_end; /* bytes from its start to the end of the text */
	uint32_t times;
};

#define OUTERS 2 /* without the leaf's line; about half of the text */

/* A new body. */
struct new_body {
	size_t first, count; /* in stacks->marks, leaf first: the lines inside of the known part */
	stack_id base;	     /* what is known */
	uint64_t bad;	     /* invalid lines */
	struct script_outer outer[OUTERS]; /* to be known from now on */
};

struct script_stacks {
	struct profile *profile;
	struct script_line_keys line_keys;
	struct cache bodies;   /* key of a body's text, or of its end → stack id */
	struct cache texts;    /* key of a line's text → index in known */
	struct cache prefixes; /* hash of the ids of lines from the root on → stack id */
	struct map lines;      /* key of a line's meaning → index in known */
	struct map modules;    /* hash of the path → module index */
	VEC(struct known_line) known;
	VEC(frame_id) expansions;
	VEC(struct frame) frames;
	VEC(struct mark) marks; /* lines of the bodies at hand */
	struct buf word;	/* NUL-terminated copies */
};

/* NUL bytes, which only damaged text has, end no string. */
static const char *copy(struct script_stacks *stacks, struct slice s)
{
	char *nul;

	buf_clear(&stacks->word);
	(void)buf_append(&stacks->word, s.s, s.len); /* cannot pass the limit: s is in memory */
	while (s.len && (nul = memchr(stacks->word.data, 0, s.len)))
		*nul = '?';
	return stacks->word.data ? stacks->word.data : "";
}

static uint64_t bytes_key(const char *s, size_t len)
{
	return hash_bytes(s, len) ^ (uint64_t)len << 40;
}

static uint32_t intern_module(struct script_stacks *stacks, struct slice path)
{
	bool added;
	uint64_t *place;

	if (!path.len)
		return 0;
	place = map_add(&stacks->modules, bytes_key(path.s, path.len), &added);
	if (added)
		*place = profile_module(stacks->profile, copy(stacks, path), "");
	return (uint32_t)*place;
}

static string_id intern(struct script_stacks *stacks, struct slice s)
{
	return strtab_intern(stacks->profile->strings, s.s, s.len);
}

static string_id intern_name(struct script_stacks *stacks, struct slice name)
{
	buf_clear(&stacks->word);
	if (!rust_name_finish(name.s, name.len, &stacks->word))
		return intern(stacks, name);
	return intern(stacks, (struct slice){ stacks->word.data, stacks->word.len });
}

/* Java agents name inlined methods "outer->inner" in the perf map. C++ names hold "->" too
 * (operator->), so only names of JIT maps are split. */
static void expand_frame(struct script_stacks *stacks, struct slice name, struct frame frame)
{
	while (name.len) {
		const char *arrow = frame.kind == FRAME_JIT ? memmem(name.s, name.len, "->", 2)
							    : NULL;
		size_t len = arrow ? (size_t)(arrow - name.s) : name.len;

		if (len) {
			frame.function = intern_name(stacks, (struct slice){ name.s, len });
			vec_push(&stacks->expansions, profile_frame(stacks->profile, &frame));
			frame.inlined = true;
		}
		len += arrow ? 2 : 0;
		name = (struct slice){ name.s + len, name.len - len };
	}
}

static void learn_frame(struct script_stacks *stacks, const struct script_frame *parsed,
			struct known_line *ret)
{
	struct frame frame = { .offset = parsed->pc, .pc = parsed->pc };

	if (parsed->symbol_offset && parsed->symbol_offset <= parsed->pc)
		frame.symbol_start = parsed->pc - parsed->symbol_offset;
	if (parsed->inlined) {
		ret->kind = LINE_INLINED;
		frame.inlined = true;
		frame.function = intern_name(stacks, parsed->name);
		ret->first = (uint32_t)stacks->frames.count;
		vec_push(&stacks->frames, frame);
		return;
	}
	/* Old versions of perf printed the comm as a first pseudo-frame: "(bash)". */
	if (parsed->name.len && parsed->name.s[0] == '(' &&
	    memchr(parsed->name.s, ')', parsed->name.len) ==
		    parsed->name.s + parsed->name.len - 1) {
		ret->kind = LINE_SKIP;
		return;
	}
	frame.module = intern_module(stacks, parsed->module);
	frame.kind = module_kind(copy(stacks, parsed->module), parsed->pc);
	ret->kind = LINE_FRAME;
	ret->first = (uint32_t)stacks->expansions.count;
	expand_frame(stacks, parsed->name, frame);
	if (stacks->expansions.count == ret->first) /* no name, or only arrows */
		vec_push(&stacks->expansions, profile_frame(stacks->profile, &frame));
	ret->count = (uint32_t)(stacks->expansions.count - ret->first);
}

static void learn_line(struct script_stacks *stacks, struct slice line, struct known_line *ret)
{
	struct script_frame parsed;
	struct frame where = { 0 };
	struct slice file;

	*ret = (struct known_line){ .kind = LINE_BAD };
	if (script_frame_parse(line, &parsed)) {
		learn_frame(stacks, &parsed, ret);
	} else if (script_srcline_parse(line, &file, &where.line)) {
		ret->kind = LINE_SRCLINE;
		where.file = intern(stacks, file);
		ret->first = (uint32_t)stacks->frames.count;
		vec_push(&stacks->frames, where);
	} else if (line.len && line.s[0] == '#') {
		ret->kind = LINE_SKIP;
	}
}

/* The index of the line in `known`, with BAD_LINE, by what it means. `text_key` is the line's,
 * which may end with a carriage return, and is remembered. */
static uint32_t meaning_id(struct script_stacks *stacks, struct slice line, uint64_t text_key)
{
	struct known_line known;
	uint64_t *place;
	uint32_t id;
	bool added;

	if (line.len && line.s[line.len - 1] == '\r')
		line.len--;
	place = map_add(&stacks->lines, script_line_key(&stacks->line_keys, line), &added);
	if (added) {
		learn_line(stacks, line, &known);
		*place = stacks->known.count | (known.kind == LINE_BAD ? BAD_LINE : 0);
		vec_push(&stacks->known, known);
	}
	id = (uint32_t)*place;
	cache_put(&stacks->texts, text_key, id);
	return id;
}

/* Pushes one line's frames. Lines come outermost first, so that an inlined frame finds the module
 * of the function it was inlined into, and a source line comes before the frame it belongs to. */
struct push_state {
	stack_id stack;
	string_id file; /* source line waiting for its frame */
	uint32_t line, frames;
};

static void push_frame(struct script_stacks *stacks, struct push_state *state, frame_id id)
{
	struct profile *profile = stacks->profile;

	if (state->frames++ >= MAX_STACK)
		return;
	if (state->line || state->file.v) {
		struct frame frame = profile->frames.item[id.v];

		frame.file = state->file;
		frame.line = state->line;
		id = profile_frame(profile, &frame);
	}
	state->stack = profile_stack_push(profile, state->stack, id);
}

/* An inlined frame is in the module of the function that it was inlined into. */
static void place_inlined(const struct profile *profile, stack_id stack, struct frame *frame)
{
	for (; stack.v; stack = profile->nodes.item[stack.v].parent) {
		const struct frame *outer =
			&profile->frames.item[profile->nodes.item[stack.v].frame.v];

		if (outer->inlined)
			continue;
		frame->module = outer->module;
		frame->kind = outer->kind;
		return;
	}
}

static bool push_line(struct script_stacks *stacks, struct push_state *state,
		      const struct known_line *known)
{
	uint32_t first = known->first, count = known->count;
	struct frame frame;

	switch (known->kind) {
	case LINE_FRAME:
		for (uint32_t i = 0; i < count; i++)
			push_frame(stacks, state, stacks->expansions.item[first + i]);
		break;
	case LINE_INLINED:
		frame = stacks->frames.item[first];
		place_inlined(stacks->profile, state->stack, &frame);
		push_frame(stacks, state, profile_frame(stacks->profile, &frame));
		break;
	case LINE_SRCLINE:
		state->file = stacks->frames.item[first].file;
		state->line = stacks->frames.item[first].line;
		return true;
	case LINE_BAD:
		return false;
	case LINE_SKIP:
		break;
	}
	state->file = STRING_EMPTY;
	state->line = 0;
	return true;
}

static const struct known_line *known_line(const struct script_stacks *stacks, uint32_t id)
{
	return &stacks->known.item[id & ~BAD_LINE];
}

/* One multiplication on the way from line to line: each waits for the one before. */
static uint64_t mix_line(uint64_t hash, uint32_t id, uint32_t times)
{
	hash = (hash << 29 | hash >> 35) ^ ((uint64_t)times << 32 | id) * 0x9e3779b97f4a7c15u;
	return hash * 0xd6e8feb86659fd93u;
}

/* Sets the hashes of the lines up to each of `count` marks from `first` on, with known ids; the
 * lines before them hash to `hash`. Returns the number of invalid lines. */
static uint64_t hash_marks(struct script_stacks *stacks, size_t first, size_t count, uint64_t hash)
{
	struct mark *mark = count ? stacks->marks.item + first : NULL;
	uint64_t bad = 0;

	while (count-- > 0) {
		hash = mix_line(hash, mark[count].id, mark[count].times);
		mark[count].hash = hash;
		cache_prefetch(&stacks->prefixes, hash);
		bad += mark[count].id & BAD_LINE ? mark[count].times : 0;
	}
	return bad;
}

/* The stack of `count` marks from `first` on, standing on `base`. What is found is remembered, but
 * not where a source line waits for its frame. */
static stack_id push_marks(struct script_stacks *stacks, size_t first, size_t count, stack_id base)
{
	const struct mark *mark = count ? stacks->marks.item + first : NULL;
	struct push_state state = { .stack = base,
				    .frames = stacks->profile->nodes.item[base.v].depth };

	for (size_t i = count; i-- > 0;) {
		for (uint32_t j = 0; j < mark[i].times; j++) /* bad are counted by others */
			(void)push_line(stacks, &state, known_line(stacks, mark[i].id));
		if (!state.line && !state.file.v)
			cache_put(&stacks->prefixes, mark[i].hash, state.stack.v);
	}
	return state.stack;
}

/* The index of the innermost mark with a known stack before it; `count` if there is none. */
static size_t find_known(const struct script_stacks *stacks, const struct new_body *body,
			 stack_id *ret)
{
	const struct mark *mark = body->count ? stacks->marks.item + body->first : NULL;
	size_t at = 0;

	while (at < body->count && !cache_get(&stacks->prefixes, mark[at].hash, &ret->v))
		at++;
	return at;
}

stack_id script_stacks_lines(struct script_stacks *stacks, const struct slice *line, size_t count,
			     uint64_t *bad_lines)
{
	struct new_body body = { .count = count };
	stack_id base = STACK_EMPTY;

	stacks->marks.count = 0;
	for (size_t i = 0; i < count; i++) {
		struct mark mark = { .times = 1 };
		uint64_t key = script_text_key(&stacks->line_keys, line[i]);

		if (!cache_get(&stacks->texts, key, &mark.id))
			mark.id = meaning_id(stacks, line[i], key);
		vec_push(&stacks->marks, mark);
	}
	*bad_lines += hash_marks(stacks, 0, count, 0);
	return push_marks(stacks, 0, find_known(stacks, &body, &base), base);
}

/* The line that begins so far from the end of the text. */
static struct slice first_line(struct slice text, size_t from_end)
{
	const char *line = text.s + text.len - from_end;
	const char *newline = memchr(line, '\n', from_end);

	return (struct slice){ line, (size_t)(newline - line) };
}

/* Adds marks of the first `len` bytes of a text, whole lines. */
static void mark_lines(struct script_stacks *stacks, struct slice text, size_t len)
{
	const char *at = text.s, *end = text.s + len, *text_end = text.s + text.len;
	size_t first = stacks->marks.count;

	while (at < end) {
		struct mark mark = { .from_end = (uint32_t)(text_end - at), .times = 1 };

		at = script_next_key(&stacks->line_keys, at, end, &mark.hash);
		if (stacks->marks.count > first && vec_last(&stacks->marks)->hash == mark.hash) {
			vec_last(&stacks->marks)->times++;
			continue;
		}
		cache_prefetch(&stacks->texts, mark.hash);
		vec_push(&stacks->marks, mark);
	}
}

/* The lines that begin in the largest half of a text, counted from its end in powers of two: many
 * texts have the same. */
static struct script_outer outer_half(struct slice text)
{
	size_t len = text.len > HALF_LEAST ? (size_t)1 << (63 - __builtin_clzll(text.len - 1)) : 0;
	const char *end = text.s + text.len, *newline;

	if (!len)
		return (struct script_outer){ 0 };
	newline = memchr(end - len - 1, '\n', len + 1);
	len = (size_t)(end - newline - 1);
	return (struct script_outer){ len, len ? hash_bytes(newline + 1, len) : 0 };
}

static bool outer_known(const struct script_stacks *stacks, const struct script_outer *outer,
			stack_id *ret)
{
	return outer->len && cache_get(&stacks->bodies, outer->key, &ret->v);
}

/* Marks those lines of a new text that are not known as a part of another. */
static struct new_body mark_body(struct script_stacks *stacks, const struct script_body *text)
{
	struct new_body body = { .first = stacks->marks.count };
	struct script_outer known = text->outer;

	for (size_t i = 0; i < OUTERS && !outer_known(stacks, &known, &body.base); i++) {
		body.outer[i] = known;
		known = i + 1 < OUTERS ? outer_half(text->text) : (struct script_outer){ 0 };
	}
	mark_lines(stacks, text->text, text->text.len - known.len);
	body.count = stacks->marks.count - body.first;
	return body;
}

/* Numbers the lines of a body that is marked. */
static void number_body(struct script_stacks *stacks, struct slice text, struct new_body *body)
{
	struct mark *mark = stacks->marks.item + body->first;

	for (size_t i = body->count; i-- > 0;)
		if (!cache_get(&stacks->texts, mark[i].hash, &mark[i].id))
			mark[i].id = meaning_id(stacks, first_line(text, mark[i].from_end),
						mark[i].hash);
	body->bad = hash_marks(stacks, body->first, body->count, hash_u64(body->base.v));
}

/* The stack of a body with numbered lines. */
static stack_id push_body(struct script_stacks *stacks, const struct new_body *body)
{
	stack_id base = body->base;
	size_t count = find_known(stacks, body, &base);

	return push_marks(stacks, body->first, count, base);
}

/* Remembers the stack of a body, and those of its outer lines where they begin with a mark. */
static void keep_body(struct script_stacks *stacks, const struct script_body *text,
		      const struct new_body *body)
{
	const struct mark *mark = stacks->marks.item + body->first, *end = mark + body->count;
	stack_id stack;

	cache_put(&stacks->bodies, text->key, text->stack.v);
	for (size_t i = 0; i < OUTERS; i++) {
		const struct script_outer *outer = &body->outer[i];

		while (mark < end && mark->from_end > outer->len)
			mark++;
		if (mark < end && mark->from_end == outer->len &&
		    cache_get(&stacks->prefixes, mark->hash, &stack.v))
			cache_put(&stacks->bodies, outer->key, stack.v);
	}
}

struct script_body script_stacks_expect(const struct script_stacks *stacks, struct slice text)
{
	struct script_body body = { .text = text };
	const char *newline = memchr(text.s, '\n', text.len);
	size_t leaf_len = newline ? (size_t)(newline + 1 - text.s) : text.len;

	if (text.len - leaf_len < OUTER_LEAST)
		leaf_len = text.len;
	body.key = hash_bytes(text.s, leaf_len);
	if (leaf_len < text.len) {
		body.outer.len = text.len - leaf_len;
		body.outer.key = hash_bytes(text.s + leaf_len, body.outer.len);
		body.key ^= body.outer.key << 29 | body.outer.key >> 35;
		cache_prefetch(&stacks->bodies, body.outer.key);
	}
	cache_prefetch(&stacks->bodies, body.key);
	return body;
}

void script_stacks_texts(struct script_stacks *stacks, struct script_body *body, size_t count,
			 uint64_t *bad_lines)
{
	struct new_body new_body[SCRIPT_BODIES];
	bool known[SCRIPT_BODIES];

	stacks->marks.count = 0;
	for (size_t i = 0; i < count; i++) {
		known[i] = !body[i].text.len ||
			   cache_get(&stacks->bodies, body[i].key, &body[i].stack.v);
		if (!known[i])
			new_body[i] = mark_body(stacks, &body[i]);
	}
	for (size_t i = 0; i < count; i++)
		if (!known[i])
			number_body(stacks, body[i].text, &new_body[i]);
	for (size_t i = 0; i < count; i++) {
		if (known[i])
			continue;
		body[i].stack = push_body(stacks, &new_body[i]);
		*bad_lines += new_body[i].bad;
		if (!new_body[i].bad) /* else counted again the next time */
			keep_body(stacks, &body[i], &new_body[i]);
	}
}

struct script_stacks *script_stacks_new(struct profile *profile)
{
	struct script_stacks *stacks = mem_zalloc(sizeof(*stacks));

	stacks->profile = profile;
	stacks->line_keys.merge_names = profile->keep & PROFILE_MERGE_NAMES;
	return stacks;
}

void script_stacks_free(struct script_stacks *stacks)
{
	cache_done(&stacks->bodies);
	cache_done(&stacks->texts);
	cache_done(&stacks->prefixes);
	map_done(&stacks->lines);
	map_done(&stacks->modules);
	vec_done(&stacks->known);
	vec_done(&stacks->expansions);
	vec_done(&stacks->frames);
	vec_done(&stacks->marks);
	buf_done(&stacks->word);
	free(stacks);
}
