/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instruction decoder against objdump: reads `objdump -d -w` from stdin and compares each
 * instruction's length, its target, and whether it writes the stack or the frame pointer. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/arch/instruction.h"

struct line {
	uint64_t addr;
	uint8_t bytes[16];
	size_t len;
	char *text; /* with operands, without prefixes */
};

static const char *const prefixes[] = { "rep ", "repz ",  "repnz ",    "lock ",	    "data16 ",
					"cs ",	"ds ",	  "es ",       "ss ",	    "notrack ",
					"bnd ", "rex.W ", "xacquire ", "xrelease ", "fs ",
					"gs ",	"addr32 " };

static void skip_prefixes(char **text)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t len = strlen(prefixes[i]);

		if (!strncmp(*text, prefixes[i], len)) {
			*text += len;
			i = (size_t)-1;
		}
	}
}

static bool parse_line(char *text, struct line *ret)
{
	char *at = strchr(text, ':'), *end;

	if (text[0] != ' ' || !at || at[1] != '\t')
		return false;
	ret->addr = strtoull(text, NULL, 16);
	at += 2;
	for (ret->len = 0; ret->len < sizeof(ret->bytes); at = end) {
		unsigned long byte = strtoul(at, &end, 16);

		if (end != at + 2 || *end != ' ')
			break;
		ret->bytes[ret->len++] = (uint8_t)byte;
		end++;
	}
	at = strchr(at, '\t');
	if (!at || !ret->len)
		return false;
	ret->text = at + 1;
	ret->text[strcspn(ret->text, "#\n<")] = '\0';
	skip_prefixes(&ret->text);
	return true;
}

static bool starts(const char *text, const char *what)
{
	return !strncmp(text, what, strlen(what));
}

static bool names(const char *operand, const char *const *name)
{
	size_t len = strcspn(operand, " ,");

	for (; *name; name++)
		if (strlen(*name) == len && !strncmp(operand, *name, len))
			return true;
	return false;
}

/* The last operand is the result of most instructions, both of some. */
static bool text_writes(const char *text, const char *const *name)
{
	static const char *const reads[] = { "cmp",  "test", "push",  "call",	"jmp",	  "bt ",
					     "btq ", "btl ", "comis", "ucomis", "mul ",	  "imul ",
					     "div ", "idiv", "wrfs",  "wrgs",	"incssp", "rstor" };
	const char *last = strrchr(text, ','), *first = strchr(text, ' ');

	if (!first)
		return false;
	while (*first == ' ')
		first++;
	if (starts(text, "xchg") || starts(text, "xadd"))
		return names(first, name) || (last && names(last + 1, name));
	if (starts(text, "cmpxchg") || (starts(text, "imul ") && last))
		return last && names(last + 1, name);
	for (size_t i = 0; i < sizeof(reads) / sizeof(*reads); i++)
		if (starts(text, reads[i]))
			return false;
	return names(last ? last + 1 : first, name);
}

static bool right(const struct line *line, const struct instruction *found)
{
	static const char *const sp[] = { "%rsp", "%esp", "%sp", "%spl", NULL };
	static const char *const bp[] = { "%rbp", "%ebp", "%bp", "%bpl", NULL };
	const char *target = strrchr(line->text, ' ');
	bool plain = found->kind == INSTRUCTION_PLAIN;

	if (found->len != line->len)
		return false;
	if (found->has_target && target &&
	    strtoull(target, NULL, 16) != line->addr + (uint64_t)found->target &&
	    strtoull(strchr(line->text, ' '), NULL, 16) != line->addr + (uint64_t)found->target)
		return false;
	if (starts(line->text, "push") || starts(line->text, "pop ") ||
	    starts(line->text, "call") || starts(line->text, "jmp") || starts(line->text, "ret") ||
	    starts(line->text, "leave") || starts(line->text, "enter"))
		return !plain;
	if (text_writes(line->text, sp) || text_writes(line->text, bp))
		return !plain;
	return found->kind != INSTRUCTION_PUSH && found->kind != INSTRUCTION_POP;
}

int main(void)
{
	unsigned long count = 0, wrong = 0, other = 0;
	static char text[4096];
	struct line line;

	while (fgets(text, sizeof(text), stdin)) {
		struct instruction found;
		bool known;

		if (!parse_line(text, &line) || strstr(line.text, "(bad)") ||
		    starts(line.text, "."))
			continue;
		count++;
		known = instruction_decode(line.bytes, line.len, &found);
		if (!known || !right(&line, &found)) {
			if (wrong++ < 20)
				printf("%" PRIx64 ": %s: %s, length %u not %zu, kind %u\n",
				       line.addr, line.text, known ? "wrong" : "not decoded",
				       found.len, line.len, found.kind);
		}
		other += known && found.kind == INSTRUCTION_OTHER && !strstr(line.text, "sp") &&
			 !strstr(line.text, "bp") && !starts(line.text, "enter");
	}
	printf("%lu instructions, %lu wrong, %lu without need taken for a write of the stack or "
	       "frame pointer\n",
	       count, wrong, other);
	return wrong || !count;
}
