/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flame_stacks COUNT [SAMPLES]: prints folded text with so many distinct stacks, as programs make
 * them: a call graph of 6,000 functions with few callees each, some of them called far more
 * often, walked at random from main. With SAMPLES text as of perf script instead, so many samples
 * of those stacks, some far more often than others, in threads that differ and interrupted
 * anywhere, so that about a third are the same text, as in recordings. The same every time. */
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

struct stack {
	uint16_t function[DEPTH];
	int depth;
};

/* A function has a few places that call each other one, and is interrupted anywhere. */
static void print_frame(uint16_t function, int callee)
{
	uint32_t offset = callee < 0 ? 9 * draw(1 + draw(16))
				     : ((uint32_t)callee * 37 + (draw(200) == 0)) % 400;

	printf("\t    %12lx %s+0x%x (/usr/lib/%s/lib%u.so)\n",
	       0x55d0c0000000ul + function * 0x1000ul + offset, names[function], offset,
	       "x86_64-linux-gnu", function % 23u);
}

static void print_samples(const struct stack *stack, uint32_t stacks, long samples)
{
	for (long i = 0; i < samples; i++) {
		uint32_t most = 1 + draw(1 + draw(stacks)); /* the first ones come more often */
		const struct stack *at = &stack[draw(1 + draw(most))];

		printf("%s 4000/%u [%03u] %ld.%06ld:     250000 cpu-clock: \n",
		       draw(4) ? "worker" : "main", 4000 + draw(12), draw(8), 5000 + i / 8000,
		       i % 8000 * 125);
		for (int f = at->depth; f-- > 0;)
			print_frame(at->function[f], f + 1 < at->depth ? at->function[f + 1] : -1);
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	long wanted = argc > 1 ? strtol(argv[1], NULL, 10) : 0, made = 0;
	long samples = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	struct stack *kept = calloc((size_t)wanted + 1, sizeof(*kept));
	size_t size = 1;
	uint64_t *seen;

	while (size < (size_t)wanted * 2 + 2)
		size *= 2;
	seen = calloc(size, sizeof(*seen)); /* hashes; two stacks with one hash count as one */
	make_graph();
	while (seen && kept && made < wanted) {
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
		memcpy(kept[made].function, stack, sizeof(stack));
		kept[made++].depth = depth;
		if (!samples)
			print_stack(stack, depth);
	}
	if (kept && samples)
		print_samples(kept, (uint32_t)made, samples);
	free(kept);
	free(seen);
	return made < wanted;
}
