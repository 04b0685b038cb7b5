/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/kallsyms (see kallsyms.h). Addresses read as 0 under kptr_restrict; kallsyms_parse()
 * reports that as -EPERM instead of naming every frame wrong. Which of several names for one
 * address is kept follows perf. */
#include "symbol/kernel/kallsyms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "symbol/address_table.h"

/* A list with every module loaded is about 15 MB. */
#define MAX_FILE   ((size_t)512 << 20)
#define PAGE_BYTES 4096u

struct line {
	uint64_t address;
	char type;
	char *name, *module; /* module NULL = the kernel */
	size_t name_len;
};

/* A table, because no branch predictor foresees the digits of addresses. */
static int hex_digit(char c)
{
	static const int8_t value_1[256] = {
		['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,
		['6'] = 7,  ['7'] = 8,	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
		['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
	};

	return value_1[(unsigned char)c] - 1;
}

/* Cuts the line at `p` into its fields; `end` is where its newline was. */
static bool cut_line(char *p, char *end, struct line *ret)
{
	char *digits = p;
	int digit;

	ret->address = 0;
	while ((digit = hex_digit(*p)) >= 0) {
		ret->address = ret->address << 4 | (uint64_t)digit;
		p++;
	}
	if (p == digits || p - digits > 16 || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	ret->type = p[1];
	ret->name = p += 3;
	for (; p < end && *p != '\t'; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			return false;
	if (p == ret->name)
		return false;
	ret->name_len = (size_t)(p - ret->name);
	ret->module = NULL;
	if (p == end)
		return true;
	*p++ = '\0';
	if (end - p < 3 || p[0] != '[' || end[-1] != ']')
		return false;
	end[-1] = '\0';
	ret->module = p + 1;
	return true;
}

static char binding_of(char type)
{
	if (type == 'W' || type == 'w')
		return 'w';
	return type == 'T' ? 'g' : 'l';
}

static bool is_text(char type)
{
	return type == 'T' || type == 't' || type == 'W' || type == 'w';
}

/* kallsyms has no sizes: a symbol reaches to the next one, the last of a module to its page's end.
 * Of several names for one address the last listed is kept, as perf does. */
static void set_ends(struct kallsyms *kallsyms)
{
	struct range *item = kallsyms->ranges.item;
	size_t kept = 0;

	for (size_t i = 0; i < kallsyms->ranges.count; i++) {
		if (kept && item[kept - 1].start == item[i].start)
			kept--;
		item[kept++] = item[i];
	}
	kallsyms->ranges.count = kept;
	for (size_t i = 0; i < kept; i++) {
		bool last = i + 1 == kept || item[i].tag >> 8 != item[i + 1].tag >> 8;
		uint64_t page_end = (item[i].start | (PAGE_BYTES - 1)) + 1;

		item[i].end = i + 1 < kept ? item[i + 1].start : UINT64_MAX;
		if (last && page_end > item[i].start && page_end < item[i].end)
			item[i].end = page_end;
	}
}

struct parser {
	struct kallsyms *out;
	const char *module; /* of the previous line */
	size_t zeros, lines;
	size_t kept; /* bytes of out->text with names that are wanted */
};

static void take_line(struct parser *parser, const struct line *line)
{
	struct kallsyms *out = parser->out;
	bool same = line->module == parser->module ||
		    (line->module && parser->module && !strcmp(line->module, parser->module));

	parser->lines++;
	parser->zeros += line->address == 0;
	if (!same)
		out->modules++;
	parser->module = line->module;
	if (!is_text(line->type) || line->address == 0 || line->address == UINT64_MAX)
		return; /* no range can begin at the last address */
	if (!line->module &&
	    (!strcmp(line->name, "_text") || (!out->text_start && !strcmp(line->name, "_stext"))))
		out->text_start = line->address;
	/* the text becomes a list of names, never longer than what was read of it */
	memmove(out->text + parser->kept, line->name, line->name_len + 1);
	range_table_add(&out->ranges,
			&(struct range){ .start = line->address,
					 .name = (uint32_t)parser->kept,
					 .tag = (uint32_t)binding_of(line->type) |
						(uint32_t)(line->module ? out->modules : 0) << 8 });
	parser->kept += line->name_len + 1;
}

int kallsyms_parse(char *text, size_t len, struct kallsyms *ret, struct err *err)
{
	struct kallsyms out = { .text = text };
	struct parser parser = { .out = &out };
	char *end = text + len;

	for (char *p = text; p < end;) {
		char *newline = memchr(p, '\n', (size_t)(end - p));
		char *stop = newline ? newline : end;
		struct line line;

		*stop = '\0';
		if (cut_line(p, stop, &line))
			take_line(&parser, &line);
		else
			out.malformed++;
		p = stop + 1;
	}
	if (out.ranges.count == 0) {
		kallsyms_done(&out);
		return parser.zeros ? err_set(err, -EPERM,
					      "kernel addresses are hidden "
					      "(kptr_restrict)")
				    : err_set(err, -ENODATA, "no kernel symbols");
	}
	out.text = mem_realloc(out.text, parser.kept);
	out.text_len = parser.kept;
	address_sort(out.ranges.item, out.ranges.count, sizeof(*out.ranges.item));
	set_ends(&out);
	range_table_index(&out.ranges);
	*ret = out;
	return 0;
}

int kallsyms_read(const char *path, struct kallsyms *ret, struct err *err)
{
	struct buf text = { .limit = MAX_FILE };
	size_t len;
	int code = fd_read_file(path, &text, err);

	if (!code && text.len == 0)
		code = err_set(err, -ENODATA, "%s: empty", path);
	if (code) {
		buf_done(&text);
		return code;
	}
	len = text.len;
	return kallsyms_parse(take_pointer(&text.data), len, ret, err);
}

const struct range *kallsyms_find(const struct kallsyms *kallsyms, uint64_t address)
{
	const struct range *range = range_table_find(&kallsyms->ranges, address);

	return range && range->name < kallsyms->text_len ? range : NULL;
}

void kallsyms_done(struct kallsyms *kallsyms)
{
	if (!kallsyms->borrowed) {
		range_table_done(&kallsyms->ranges);
		free(kallsyms->text);
	}
	file_map_close(&kallsyms->file);
	*kallsyms = (struct kallsyms){ 0 };
}
