/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of call chains → stacks (see perf_script_stack.h). A body of text is looked up as a whole
 * first. Else what it shares with an earlier one is cut off (perf_script_trail.h), the rest becomes
 * ids of lines, and only frames outside of which no stack is known yet are pushed. The caches are
 * larger than the CPU's, so each step is done for all bodies at hand before the next: while one
 * waits for memory the others do, too. */
#include "format/perf_script/perf_script_stack.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/cache.h"
#include "base/map.h"
#include "base/vec.h"
#include "format/perf_script/module_kind.h"
#include "format/perf_script/perf_script_key.h"
#include "format/perf_script/perf_script_trail.h"
#include "format/perf_script/rust_name.h"

#define MAX_STACK 65536 /* frames kept of one sample */
/* In ids of lines, so that the line itself need not be looked at: */
#define BAD_LINE  ((uint32_t)1 << 31) /* it makes no sense */
#define WAITING	  ((uint32_t)1 << 30) /* a source line, whose frame comes next */
#define LINE_BITS (BAD_LINE | WAITING)

enum line_kind { LINE_BAD, LINE_SKIP, LINE_FRAME, LINE_INLINED, LINE_SRCLINE };

/* A line seen before. */
struct known_line {
	enum line_kind kind;
	/* LINE_FRAME: in stacks->expansions, outermost first. LINE_INLINED, without its module, and
	 * LINE_SRCLINE, file and line: in stacks->frames. */
	uint32_t first, count;
};

/* A body that was not seen before: its lines, without those that a trail knows. */
struct new_body {
	size_t first, count; /* in stacks->marks, leaf first */
	uint64_t hash;	     /* of the lines that the trail knows; 0 = there are none */
	uint64_t bad;	     /* lines that make no sense */
};

struct script_stacks {
	struct profile *profile;
	struct script_line_keys line_keys;
	struct script_trails *trails;
	struct cache bodies;   /* hash of a body's text → stack id */
	struct cache texts;    /* key of a line's text → index in known */
	struct cache prefixes; /* hash of the ids of lines from the root on → stack id */
	struct map lines;      /* key of a line's meaning → index in known */
	struct map modules;    /* hash of the path → module index */
	VEC(struct known_line) known;
	VEC(frame_id) expansions;
	VEC(struct frame) frames;
	VEC(struct script_mark) marks; /* lines of the bodies at hand */
	struct buf word;	       /* NUL-terminated copies */
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
	return strtab_put_tidy(stacks->profile->strings, s.s, s.len);
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
	/* Perf of old printed the comm as a first pseudo-frame: "(bash)". */
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

/* The index of the line in `known`, with LINE_BITS. `text_key` is the line's, which may end with a
 * carriage return. */
static uint32_t line_id(struct script_stacks *stacks, struct slice line, uint64_t text_key)
{
	struct known_line known;
	uint64_t *place;
	uint32_t id;
	bool added;

	if (cache_get(&stacks->texts, text_key, &id))
		return id;
	if (line.len && line.s[line.len - 1] == '\r')
		line.len--;
	place = map_add(&stacks->lines, script_line_key(&stacks->line_keys, line), &added);
	if (added) {
		learn_line(stacks, line, &known);
		*place = stacks->known.count | (known.kind == LINE_BAD ? BAD_LINE : 0) |
			 (known.kind == LINE_SRCLINE ? WAITING : 0);
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
	return &stacks->known.item[id & ~LINE_BITS];
}

/* One multiplication on the way from line to line: each waits for the one before. */
static uint64_t mix_line(uint64_t hash, uint32_t id)
{
	hash = (hash << 29 | hash >> 35) ^ (id + 1) * 0x9e3779b97f4a7c15u;
	return hash * 0xd6e8feb86659fd93u;
}

/* Gives marks from `first` on, whose ids are known, the hashes of the lines up to them; what they
 * stand on hashes to `hash`. Returns how many make no sense. */
static uint64_t hash_marks(struct script_stacks *stacks, size_t first, uint64_t hash)
{
	uint64_t bad = 0;

	for (size_t i = stacks->marks.count; i-- > first;) {
		struct script_mark *mark = &stacks->marks.item[i];

		hash = mix_line(hash, mark->id);
		mark->hash = hash;
		mark->waits = mark->id & WAITING;
		cache_prefetch(&stacks->prefixes, hash);
		bad += (mark->id & BAD_LINE) != 0;
	}
	return bad;
}

/* The stack of `count` marks from `first` on, standing on `base`. What is found is remembered, but
 * not where a source line waits for its frame. */
static stack_id push_marks(struct script_stacks *stacks, size_t first, size_t count, stack_id base)
{
	const struct script_mark *mark = stacks->marks.item + first;
	struct push_state state = { .stack = base,
				    .frames = stacks->profile->nodes.item[base.v].depth };

	for (size_t i = count; i-- > 0;) {
		(void)push_line(stacks, &state, known_line(stacks, mark[i].id)); /* bad are counted
										    by others */
		if (!state.line && !state.file.v)
			cache_put(&stacks->prefixes, mark[i].hash, state.stack.v);
	}
	return state.stack;
}

/* The index of the innermost of the marks outside of which a stack is known; `count` for none. */
static size_t find_known(const struct script_stacks *stacks, const struct new_body *body,
			 stack_id *ret)
{
	const struct script_mark *mark = stacks->marks.item + body->first;
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
	for (size_t i = 0; i < count; i++)
		vec_push(&stacks->marks,
			 ((struct script_mark){
				 .id = line_id(stacks, line[i],
					       script_text_key(&stacks->line_keys, line[i])) }));
	*bad_lines += hash_marks(stacks, 0, 0);
	return push_marks(stacks, 0, find_known(stacks, &body, &base), base);
}

/* Adds marks of the first `len` bytes of a text, whole lines. */
static void number_lines(struct script_stacks *stacks, struct slice text, size_t len)
{
	const char *at = text.s, *end = text.s + len, *text_end = text.s + text.len;
	size_t first = stacks->marks.count;

	while (at < end) {
		struct script_mark mark = { .from_end = (uint32_t)(text_end - at) };

		at = script_next_key(&stacks->line_keys, at, end, &mark.hash);
		cache_prefetch(&stacks->texts, mark.hash);
		vec_push(&stacks->marks, mark);
	}
	for (size_t i = stacks->marks.count; i-- > first;) {
		struct script_mark *mark = &stacks->marks.item[i];
		const char *line = text_end - mark->from_end;
		size_t line_len = (size_t)(end - line) - 1;

		mark->id = line_id(stacks, (struct slice){ line, line_len }, mark->hash);
		end = line;
	}
}

/* Numbers the lines of a text that was not seen before. */
static struct new_body number_body(struct script_stacks *stacks, struct slice text)
{
	struct script_trail *trail = script_trail_find(stacks->trails, text);
	struct new_body body = { .first = stacks->marks.count };
	size_t shared = trail ? script_trail_shared(trail, text, &body.hash) : 0;

	number_lines(stacks, text, text.len - shared);
	body.count = stacks->marks.count - body.first;
	body.bad = hash_marks(stacks, body.first, body.hash);
	if (!body.count)
		cache_prefetch(&stacks->prefixes, body.hash);
	if (trail && !body.bad)
		script_trail_keep(trail, text, shared, stacks->marks.item + body.first, body.count);
	return body;
}

/* The stack of a body whose lines are numbered. */
static stack_id push_body(struct script_stacks *stacks, struct slice text, struct new_body body)
{
	stack_id base = STACK_EMPTY;
	size_t count = find_known(stacks, &body, &base);

	if (count == body.count && body.hash &&
	    !cache_get(&stacks->prefixes, body.hash, &base.v)) { /* forgotten: as if new */
		body = (struct new_body){ .first = stacks->marks.count };
		number_lines(stacks, text, text.len);
		count = stacks->marks.count - body.first;
		(void)hash_marks(stacks, body.first, 0);
	}
	return push_marks(stacks, body.first, count, base);
}

struct script_body script_stacks_expect(const struct script_stacks *stacks, struct slice text)
{
	struct script_body body = { .text = text, .key = hash_bytes(text.s, text.len) };

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
			new_body[i] = number_body(stacks, body[i].text);
	}
	for (size_t i = 0; i < count; i++) {
		if (known[i])
			continue;
		body[i].stack = push_body(stacks, body[i].text, new_body[i]);
		*bad_lines += new_body[i].bad;
		if (!new_body[i].bad) /* else to be counted again the next time */
			cache_put(&stacks->bodies, body[i].key, body[i].stack.v);
	}
}

struct script_stacks *script_stacks_new(struct profile *profile)
{
	struct script_stacks *stacks = mem_zalloc(sizeof(*stacks));

	stacks->profile = profile;
	stacks->line_keys.merge_names = profile->keep & PROFILE_MERGE_NAMES;
	stacks->trails = script_trails_new();
	return stacks;
}

void script_stacks_free(struct script_stacks *stacks)
{
	script_trails_free(stacks->trails);
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
