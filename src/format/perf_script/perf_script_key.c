/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys of lines of call chains (see perf_script_key.h). */
#include "format/perf_script/perf_script_key.h"

#include <string.h>

#include "base/map.h"

#define PC_COLUMNS 17 /* a tab and the pc, as perf prints it */

static uint64_t bytes_key(const char *s, size_t len)
{
	return hash_bytes(s, len) ^ (uint64_t)len << 40;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Where the module's " (…)" begins, at the end of the line; NULL if the last two parentheses are
 * not a pair. */
static const char *find_module(const char *name, const char *end)
{
	const char *open = memrchr(name, '(', (size_t)(end - name));

	if (!open || open == name || open[-1] != ' ' ||
	    memchr(open, ')', (size_t)(end - open)) != end - 1)
		return NULL;
	return open - 1;
}

/* The same, and the module's key, for lines that mostly end like one seen lately. */
static const char *lookup_module(struct script_line_keys *keys, const char *name, const char *end,
				 uint64_t *ret_key)
{
	struct script_module_end *known;
	const char *open;
	uint64_t last;

	if (end - name < 8 || end[-1] != ')')
		return NULL;
	memcpy(&last, end - 8, sizeof(last));
	known = &keys->module_end[hash_u64(last) % SCRIPT_MODULE_ENDS];
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
		*known = (struct script_module_end){ .key = *ret_key, .len = end - open };
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
 * aligned. *ret_high: it is in the upper half of the address space. */
static bool pc_in_columns(struct slice line, bool *ret_high)
{
	static const bytes16 all_but_last = { 255, 255, 255, 255, 255, 255, 255, 255,
					      255, 255, 255, 255, 255, 255, 255, 0 };
	bytes16 here, next, blank, hex;
	words16 bad;

	if (line.len <= PC_COLUMNS || line.s[0] != '\t' || line.s[PC_COLUMNS] != ' ' ||
	    line.s[PC_COLUMNS - 1] == ' ')
		return false;
	memcpy(&here, line.s + 1, sizeof(here));
	memcpy(&next, line.s + 2, sizeof(next));
	blank = (bytes16)(here == ' ');
	hex = (bytes16)(here - '0' <= 9) | (bytes16)(here - 'a' <= 5);
	bad = (words16)(~(blank | hex) | ((bytes16)(next == ' ') & ~blank & all_but_last));
	*ret_high = line.s[1] >= '8';
	return !(bad[0] | bad[1]);
}

/* The same, for a line with an unknown function. */
static bool unknown_in_columns(struct slice line, bool *ret_high)
{
	return line.len > PC_COLUMNS + 10 && memcmp(line.s + PC_COLUMNS, " [unknown]", 10) == 0 &&
	       pc_in_columns(line, ret_high);
}

/* The end of the pc at the front of a frame's line; NULL if there is none. *ret_high: it is in the
 * upper half of the address space, which module_kind() examines. */
static const char *skip_pc(struct slice line, bool *ret_high)
{
	const char *at = line.s, *end = line.s + line.len, *pc;

	if (pc_in_columns(line, ret_high))
		return line.s + PC_COLUMNS;
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	for (pc = at; at < end && is_hex(*at);)
		at++;
	*ret_high = at - pc == 16 && *pc >= '8';
	return at == pc || at - pc > 16 || at == end || *at != ' ' ? NULL : at;
}

uint64_t script_line_key(struct script_line_keys *keys, struct slice line)
{
	const char *end = line.s + line.len, *name, *open;
	uint64_t module;
	bool high;

	if (!keys->merge_names)
		return bytes_key(line.s, line.len);
	name = skip_pc(line, &high);
	open = name ? lookup_module(keys, name, end, &module) : NULL;
	if (!open)
		return bytes_key(line.s, line.len);
	return bytes_key(name, (size_t)(cut_offset(name, open) - name)) ^ (module + high);
}

uint64_t script_text_key(const struct script_line_keys *keys, struct slice line)
{
	bool high;

	if (keys->merge_names && unknown_in_columns(line, &high))
		return bytes_key(line.s + PC_COLUMNS, line.len - PC_COLUMNS) ^ high;
	return bytes_key(line.s, line.len);
}

/* The line at `at` when it is like the last with an unknown function: its length, or 0. */
static size_t match_unknown(const struct script_unknown_end *unknown, const char *at,
			    const char *end, uint64_t *ret_key)
{
	size_t len = PC_COLUMNS + unknown->len;
	bool high;

	if (!unknown->len || (size_t)(end - at) < len ||
	    memcmp(at + PC_COLUMNS, unknown->text, unknown->len) != 0 ||
	    !pc_in_columns((struct slice){ at, len }, &high))
		return 0;
	*ret_key = unknown->key ^ high;
	return len;
}

/* Caches the line, which ends with a newline, if its function is unknown. */
static void learn_unknown(struct script_unknown_end *unknown, struct slice line, uint64_t key)
{
	size_t len = line.len + 1 - PC_COLUMNS;
	bool high;

	if (!unknown_in_columns(line, &high) || len > sizeof(unknown->text))
		return;
	unknown->key = key ^ high;
	unknown->len = len;
	memcpy(unknown->text, line.s + PC_COLUMNS, len);
}

const char *script_next_key(struct script_line_keys *keys, const char *at, const char *end,
			    uint64_t *ret_key)
{
	size_t len = match_unknown(&keys->unknown_end, at, end, ret_key);
	const char *newline;
	struct slice line;

	if (len)
		return at + len;
	newline = memchr(at, '\n', (size_t)(end - at));
	line = (struct slice){ at, (size_t)(newline - at) };
	if (line.len && newline[-1] == '\r')
		line.len--;
	*ret_key = script_text_key(keys, line);
	if (keys->merge_names && line.s + line.len == newline)
		learn_unknown(&keys->unknown_end, line, *ret_key);
	return newline + 1;
}
