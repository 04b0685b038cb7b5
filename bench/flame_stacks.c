/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flame_stacks COUNT: prints folded text with so many distinct stacks, as programs make them: a
 * call graph of 6,000 functions with few callees each, some of which are called far more often,
 * walked at random from main. The same text every time. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS 6000
#define CALLEES	  9
#define DEPTH	  48

static uint64_t state = 20140;

static uint32_t draw(uint32_t below) /* xorshift* */
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * 0x2545f4914f6cdd1dull >> 32) % below);
}

static char names[FUNCTIONS][48];
static uint16_t callees[FUNCTIONS][CALLEES];
static uint8_t counts[FUNCTIONS];

static void make_graph(void)
{
	static const char *const words[] = { "parse",  "read",	 "write", "lookup", "insert",
					     "update", "alloc",	 "free",  "hash",   "copy",
					     "encode", "decode", "visit", "emit",   "flush",
					     "poll",   "lock",	 "send",  "recv",   "sort" };
	static const char *const spaces[] = { "app", "core", "net", "store", "std" };
	static const uint8_t fans[] = { 0, 1, 2, 3, 3, 4, 6, 9 };

	for (int i = 0; i < FUNCTIONS; i++) {
		snprintf(names[i], sizeof(names[i]), "%s::%s_%s<%d>::%s", spaces[draw(5)],
			 words[draw(20)], words[draw(20)], i, words[draw(20)]);
		counts[i] = i ? fans[draw(8)] : CALLEES;
		for (int j = 0; j < counts[i]; j++)
			callees[i][j] = (uint16_t)draw(FUNCTIONS);
	}
}

/* Callees at the front are twice as likely as the next one. */
static int walk(uint16_t *stack)
{
	int depth = 1;

	stack[0] = 0;
	while (depth < DEPTH) {
		uint16_t at = stack[depth - 1];
		int pick = 0;

		if (!counts[at] || draw(100) < 7)
			break;
		while (pick + 1 < counts[at] && draw(2))
			pick++;
		stack[depth++] = callees[at][pick];
	}
	return depth;
}

static void print_stack(const uint16_t *stack, int depth)
{
	static char line[DEPTH * 48 + 64];
	char *at = stpcpy(line, "app");

	for (int i = 0; i < depth; i++) {
		*at++ = ';';
		at = stpcpy(at, names[stack[i]]);
	}
	snprintf(at, 24, " %u\n", 1 + draw(3));
	fputs(line, stdout);
}

int main(int argc, char **argv)
{
	long wanted = argc > 1 ? strtol(argv[1], NULL, 10) : 0, made = 0;
	size_t size = 1;
	uint64_t *seen;

	while (size < (size_t)wanted * 2 + 2)
		size *= 2;
	seen = calloc(size, sizeof(*seen)); /* hashes; two stacks with one hash count as one */
	make_graph();
	while (seen && made < wanted) {
		uint16_t stack[DEPTH];
		int depth = walk(stack);
		uint64_t hash = 1469598103934665603ull;
		size_t at;

		for (int i = 0; i < depth; i++)
			hash = (hash ^ stack[i]) * 1099511628211ull;
		hash |= 1;
		for (at = hash >> 20 & (size - 1); seen[at] && seen[at] != hash;)
			at = (at + 1) & (size - 1);
		if (seen[at])
			continue;
		seen[at] = hash;
		made++;
		print_stack(stack, depth);
	}
	free(seen);
	return made < wanted;
}
