/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of call chains → stacks (see perf_script_stack.h). A body of text is looked up as a whole
 * first. Else what it shares with an earlier one is cut off (perf_script_trail.h), the rest becomes
 * ids of lines, and only frames outside of which no stack is known yet are pushed. */
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

#define MAX_STACK 65536		      /* frames kept of one sample */
#define BAD_LINE  ((uint32_t)1 << 31) /* in ids of lines that make no sense */

enum line_kind { LINE_BAD, LINE_SKIP, LINE_FRAME, LINE_INLINED, LINE_SRCLINE };

/* A line seen before. */
struct known_line {
	enum line_kind kind;
	uint32_t first, count; /* LINE_FRAME: in stacks->expansions, outermost first */
	struct frame frame;    /* LINE_INLINED, without its module; LINE_SRCLINE: file and line */
};

/* A line of the body at hand, and the hash of the ids of all lines from the root to it. */
struct body_line {
	uint32_t id;
	stack_id stack; /* once it is known */
	uint64_t hash;
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
	VEC(struct slice) split;    /* the body at hand, leaf first */
	VEC(struct body_line) line; /* the same */
	struct buf word;	    /* NUL-terminated copies */
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
	struct slice file;

	*ret = (struct known_line){ .kind = LINE_BAD };
	if (script_frame_parse(line, &parsed)) {
		learn_frame(stacks, &parsed, ret);
	} else if (script_srcline_parse(line, &file, &ret->frame.line)) {
		ret->kind = LINE_SRCLINE;
		ret->frame.file = intern(stacks, file);
	} else if (line.len && line.s[0] == '#') {
		ret->kind = LINE_SKIP;
	}
}

/* The index of the line in `known`, marked if it is bad. */
static uint32_t line_id(struct script_stacks *stacks, struct slice line)
{
	uint64_t text_key = script_text_key(&stacks->line_keys, line), *place;
	struct known_line known;
	uint32_t id;
	bool added;

	if (cache_get(&stacks->texts, text_key, &id))
		return id;
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
	frame_id outer; /* the last real frame; UINT32_MAX = none yet */
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
	if (!profile->frames.item[id.v].inlined)
		state->outer = id;
}

static bool push_line(struct script_stacks *stacks, struct push_state *state,
		      const struct known_line *known)
{
	struct frame frame = known->frame;
	uint32_t first = known->first, count = known->count;

	switch (known->kind) {
	case LINE_FRAME:
		for (uint32_t i = 0; i < count; i++)
			push_frame(stacks, state, stacks->expansions.item[first + i]);
		break;
	case LINE_INLINED:
		if (state->outer.v != UINT32_MAX) {
			frame.module = stacks->profile->frames.item[state->outer.v].module;
			frame.kind = stacks->profile->frames.item[state->outer.v].kind;
		}
		push_frame(stacks, state, profile_frame(stacks->profile, &frame));
		break;
	case LINE_SRCLINE:
		state->file = frame.file;
		state->line = frame.line;
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

/* As if the stack's lines had just been pushed. */
static struct push_state resume(const struct script_stacks *stacks, stack_id stack)
{
	const struct profile *profile = stacks->profile;
	struct push_state state = { .stack = stack,
				    .outer = { UINT32_MAX },
				    .frames = profile->nodes.item[stack.v].depth };

	for (; stack.v; stack = profile->nodes.item[stack.v].parent) {
		frame_id frame = profile->nodes.item[stack.v].frame;

		if (profile->frames.item[frame.v].inlined)
			continue;
		state.outer = frame;
		break;
	}
	return state;
}

static const struct known_line *known_line(const struct script_stacks *stacks, uint32_t id)
{
	return &stacks->known.item[id & ~BAD_LINE];
}

/* Numbers the lines of stacks->split, which follow what hashes to `hash`. Returns how many make no
 * sense. */
static uint64_t number_lines(struct script_stacks *stacks, uint64_t hash)
{
	size_t count = stacks->split.count;
	uint64_t bad = 0;

	stacks->line.count = 0;
	vec_reserve(&stacks->line, count);
	stacks->line.count = count;
	for (size_t i = count; i-- > 0;) {
		uint32_t id = line_id(stacks, stacks->split.item[i]);

		hash = hash_u64(hash + (id + 1) * 0x9e3779b97f4a7c15u);
		stacks->line.item[i] = (struct body_line){ .id = id, .hash = hash };
		cache_prefetch(&stacks->prefixes, hash);
		bad += (id & BAD_LINE) != 0;
	}
	return bad;
}

/* How many frames the line pushes. */
static uint32_t frames_of(const struct known_line *known)
{
	return known->kind == LINE_FRAME ? known->count : known->kind == LINE_INLINED;
}

/* Hands the numbered lines to the trail. Stacks of lines that were not pushed are found by climbing
 * from the innermost line that was known, line[from]. */
static void leave_trail(struct script_stacks *stacks, size_t from, struct script_trail *trail)
{
	struct body_line *line = stacks->line.item;
	size_t count = stacks->line.count;

	for (size_t i = from; i + 1 < count; i++) {
		line[i + 1].stack = line[i].stack;
		for (uint32_t n = frames_of(known_line(stacks, line[i].id)); n > 0; n--)
			line[i + 1].stack = stacks->profile->nodes.item[line[i + 1].stack.v].parent;
	}
	for (size_t i = count; i-- > 0;) {
		bool waits = known_line(stacks, line[i].id)->kind == LINE_SRCLINE;

		script_trail_add(trail, stacks->split.item[i],
				 (struct script_mark){ line[i].hash,
						       waits ? SCRIPT_NO_STACK : line[i].stack });
	}
}

/* The stack of the numbered lines, standing on `base`. What is found is remembered, but not where a
 * source line waits for its frame. */
static stack_id push_lines(struct script_stacks *stacks, stack_id base, struct script_trail *trail)
{
	struct body_line *line = stacks->line.item;
	size_t count = stacks->line.count, from = 0;
	struct push_state state;

	while (from < count && !cache_get(&stacks->prefixes, line[from].hash, &base.v))
		from++;
	if (from < count)
		line[from].stack = base;
	state = resume(stacks, base);
	for (size_t i = from; i-- > 0;) {
		const struct known_line *known = known_line(stacks, line[i].id);

		(void)push_line(stacks, &state, known); /* bad lines are counted by others */
		line[i].stack = state.stack;
		if (!state.line && !state.file.v)
			cache_put(&stacks->prefixes, line[i].hash, state.stack.v);
	}
	if (trail && state.frames < MAX_STACK)
		leave_trail(stacks, from, trail);
	return state.stack;
}

stack_id script_stacks_lines(struct script_stacks *stacks, const struct slice *line, size_t count,
			     uint64_t *bad_lines)
{
	stacks->split.count = 0;
	vec_reserve(&stacks->split, count);
	for (size_t i = 0; i < count; i++)
		vec_push(&stacks->split, line[i]);
	*bad_lines += number_lines(stacks, 0);
	return push_lines(stacks, STACK_EMPTY, NULL);
}

/* Splits text into lines; false when one does not begin with a tab. */
static bool split_text(struct script_stacks *stacks, struct slice text)
{
	const char *at = text.s, *end = text.s + text.len;

	for (stacks->split.count = 0; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((newline ? newline : end) - at);

		if (*at != '\t')
			return false;
		vec_push(&stacks->split, ((struct slice){ at, len - (at[len - 1] == '\r') }));
		at += len + 1;
	}
	return true;
}

bool script_stacks_text(struct script_stacks *stacks, struct slice text, uint64_t *bad_lines,
			stack_id *ret)
{
	uint64_t key = hash_bytes(text.s, text.len), bad;
	struct script_mark mark;
	struct script_trail *trail;
	size_t shared;

	if (cache_get(&stacks->bodies, key, &ret->v))
		return true;
	trail = script_trail_find(stacks->trails, text);
	shared = script_trail_shared(trail, text, &mark);
	if (!split_text(stacks, (struct slice){ text.s, text.len - shared }))
		return false;
	bad = number_lines(stacks, mark.hash);
	*bad_lines += bad;
	if (bad) { /* to be counted again the next time */
		*ret = push_lines(stacks, mark.stack, NULL);
		return true;
	}
	script_trail_cut(trail, shared);
	*ret = push_lines(stacks, mark.stack, trail);
	cache_put(&stacks->bodies, key, ret->v);
	return true;
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
	vec_done(&stacks->split);
	vec_done(&stacks->line);
	buf_done(&stacks->word);
	free(stacks);
}
