/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of call chains → stacks (see perf_script_stack.h). A body of text is looked up in a small
 * cache first, then by the keys of its lines, and pushed line by line only when it is new. */
#include "format/perf_script/perf_script_stack.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "format/perf_script/module_kind.h"
#include "format/perf_script/rust_name.h"

#define MAX_STACK   65536 /* frames kept of one sample */
#define RECENT_BITS 14	  /* of the cache of bodies: 256 KiB */
#define MODULE_ENDS 64

enum line_kind { LINE_BAD, LINE_SKIP, LINE_FRAME, LINE_INLINED, LINE_SRCLINE };

/* A line seen before. */
struct known_line {
	enum line_kind kind;
	uint32_t first, count; /* LINE_FRAME: in stacks->expansions, outermost first */
	struct frame frame;    /* LINE_INLINED, without its module; LINE_SRCLINE: file and line */
};

/* A body of text seen lately. */
struct recent {
	uint64_t key;
	stack_id stack;
	bool used;
};

/* The " (module)" at the end of a line. */
struct module_end {
	uint64_t key;
	ptrdiff_t len; /* 0 = free */
	char text[112];
};

struct script_stacks {
	struct profile *profile;
	struct module_end module_end[MODULE_ENDS];
	struct recent recent[1u << RECENT_BITS];
	struct map stacks;  /* hash of the keys of all lines → stack id */
	struct map lines;   /* key → index in known */
	struct map modules; /* hash of the path → module index */
	VEC(struct known_line) known;
	VEC(frame_id) expansions;
	VEC(uint64_t) keys; /* of the lines at hand */
	struct buf word;    /* NUL-terminated copies */
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

static const struct known_line *lookup_line(struct script_stacks *stacks, struct slice line,
					    uint64_t key)
{
	bool added;
	uint64_t *place = map_add(&stacks->lines, key, &added);

	if (added) {
		struct known_line known;

		*place = stacks->known.count;
		learn_line(stacks, line, &known);
		vec_push(&stacks->known, known);
	}
	return &stacks->known.item[*place];
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

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Where the module's " (…)" begins, at the end of the line; NULL when the last parenthesis closes
 * another one than the last that opens. */
static const char *find_module(const char *name, const char *end)
{
	const char *open = memrchr(name, '(', (size_t)(end - name));

	if (!open || open == name || open[-1] != ' ' ||
	    memchr(open, ')', (size_t)(end - open)) != end - 1)
		return NULL;
	return open - 1;
}

/* The same, and the module's key, for lines that mostly end like one seen lately. */
static const char *lookup_module(struct script_stacks *stacks, const char *name, const char *end,
				 uint64_t *ret_key)
{
	struct module_end *known;
	const char *open;
	uint64_t last;

	if (end - name < 8 || end[-1] != ')')
		return NULL;
	memcpy(&last, end - 8, sizeof(last));
	known = &stacks->module_end[hash_u64(last) % MODULE_ENDS];
	if (known->len && known->len < end - name &&
	    memcmp(end - known->len, known->text, (size_t)known->len) == 0) {
		*ret_key = known->key;
		return end - known->len;
	}
	open = find_module(name, end);
	if (!open)
		return NULL;
	*ret_key = hash_u64(bytes_key(open, (size_t)(end - open)));
	if (end - open >= 8 && end - open <= (ptrdiff_t)sizeof(known->text)) {
		*known = (struct module_end){ .key = *ret_key, .len = end - open };
		memcpy(known->text, open, (size_t)known->len);
	}
	return open;
}

/* Cuts "+0x1f" off the end of a name. */
static const char *cut_offset(const char *name, const char *end)
{
	const char *at = end;

	while (at > name && is_hex(at[-1]))
		at--;
	return at < end && at - name >= 3 && memcmp(at - 3, "+0x", 3) == 0 ? at - 3 : end;
}

/* Bytes compared side by side. */
typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint64_t words16 __attribute__((vector_size(16)));

/* True when the line begins with a tab and a pc in the 16 columns that perf gives it, right
 * aligned. */
static bool pc_in_columns(struct slice line)
{
	static const bytes16 all_but_last = { 255, 255, 255, 255, 255, 255, 255, 255,
					      255, 255, 255, 255, 255, 255, 255, 0 };
	bytes16 here, next, blank, hex;
	words16 bad;

	if (line.len < 18 || line.s[0] != '\t' || line.s[17] != ' ' || line.s[16] == ' ')
		return false;
	memcpy(&here, line.s + 1, sizeof(here));
	memcpy(&next, line.s + 2, sizeof(next));
	blank = (bytes16)(here == ' ');
	hex = (bytes16)(here - '0' <= 9) | (bytes16)(here - 'a' <= 5);
	bad = (words16)(~(blank | hex) | ((bytes16)(next == ' ') & ~blank & all_but_last));
	return !(bad[0] | bad[1]);
}

/* Where the pc at the front of a frame's line ends; NULL when there is none. *ret_high: it is in
 * the upper half of the address space, at which module_kind() looks. */
static const char *skip_pc(struct slice line, bool *ret_high)
{
	const char *at = line.s, *end = line.s + line.len, *pc;

	if (pc_in_columns(line)) {
		*ret_high = line.s[1] >= '8';
		return line.s + 17;
	}
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	for (pc = at; at < end && is_hex(*at);)
		at++;
	*ret_high = at - pc == 16 && *pc >= '8';
	return at == pc || at - pc > 16 || at == end || *at != ' ' ? NULL : at;
}

/* Lines with equal keys mean the same frames. Where addresses are not kept, a line's key is made of
 * what it says beside them: name and module. */
static uint64_t line_key(struct script_stacks *stacks, struct slice line)
{
	const char *end = line.s + line.len, *name, *open;
	uint64_t module;
	bool high;

	if (!(stacks->profile->keep & PROFILE_MERGE_NAMES))
		return bytes_key(line.s, line.len);
	name = skip_pc(line, &high);
	open = name ? lookup_module(stacks, name, end, &module) : NULL;
	if (!open)
		return bytes_key(line.s, line.len);
	return bytes_key(name, (size_t)(cut_offset(name, open) - name)) ^ (module + high);
}

static stack_id push_lines(struct script_stacks *stacks, const struct slice *line, size_t count,
			   uint64_t *bad_lines)
{
	struct push_state state = { .stack = STACK_EMPTY, .outer = { UINT32_MAX } };

	for (size_t i = count; i-- > 0;)
		if (!push_line(stacks, &state, lookup_line(stacks, line[i], stacks->keys.item[i])))
			++*bad_lines;
	return state.stack;
}

/* The stack of lines whose keys are known; false when there are bad ones, which are to be counted
 * again the next time. */
static bool find_stack(struct script_stacks *stacks, const struct slice *line, size_t count,
		       uint64_t *bad_lines, stack_id *ret)
{
	uint64_t key = bytes_key((char *)stacks->keys.item, count * sizeof(uint64_t));
	uint64_t found, bad = 0;

	if (map_get(&stacks->stacks, key, &found)) {
		ret->v = (uint32_t)found;
		return true;
	}
	*ret = push_lines(stacks, line, count, &bad);
	*bad_lines += bad;
	if (!bad)
		map_set(&stacks->stacks, key, ret->v);
	return !bad;
}

bool script_stacks_find(const struct script_stacks *stacks, struct slice text, uint64_t *ret_key,
			stack_id *ret)
{
	uint64_t key = *ret_key = bytes_key(text.s, text.len);
	const struct recent *recent = &stacks->recent[key & ((1u << RECENT_BITS) - 1)];

	if (!recent->used || recent->key != key)
		return false;
	*ret = recent->stack;
	return true;
}

stack_id script_stacks_get(struct script_stacks *stacks, const struct slice *line, size_t count,
			   const uint64_t *text_key, uint64_t *bad_lines)
{
	stack_id stack;

	stacks->keys.count = 0;
	vec_reserve(&stacks->keys, count);
	for (size_t i = 0; i < count; i++)
		stacks->keys.item[i] = line_key(stacks, line[i]);
	if (find_stack(stacks, line, count, bad_lines, &stack) && text_key)
		stacks->recent[*text_key & ((1u << RECENT_BITS) - 1)] =
			(struct recent){ *text_key, stack, true };
	return stack;
}

struct script_stacks *script_stacks_new(struct profile *profile)
{
	struct script_stacks *stacks = mem_zalloc(sizeof(*stacks));

	stacks->profile = profile;
	return stacks;
}

void script_stacks_free(struct script_stacks *stacks)
{
	map_done(&stacks->stacks);
	map_done(&stacks->lines);
	map_done(&stacks->modules);
	vec_done(&stacks->known);
	vec_done(&stacks->expansions);
	vec_done(&stacks->keys);
	buf_done(&stacks->word);
	free(stacks);
}
