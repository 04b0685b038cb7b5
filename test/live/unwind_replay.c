/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwinds saved snapshots of programs, with the full walker and with the rules of compact tables as
 * in the BPF program, and compares the stacks with those of gdb.
 *
 * usage: unwind_replay FILES SNAPSHOT…
 *
 * FILES is a folder with the snapshots' binaries under their paths. A snapshot has these lines, all
 * numbers hexadecimal: `map START FILE_OFFSET PATH`, `syscall 0|1`, `registers` (order as in
 * unwind_live.c), `stack ADDRESS BYTES`, `expect PC…`, leaf first; the last pc is the root.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "proc/proc.h"
#include "unwind/compact/compact.h"
#include "unwind/table.h"
#include "unwind/unwind.h"

#define REGS	    17
#define REGS_MASK   0xff01ff
#define PID	    1
#define STACK_BYTES 16384
#define MODULES	    64

struct snapshot {
	struct module_table *modules;
	struct proc_table *procs;
	bool in_syscall;
	uint64_t regs[REGS], stack_start, stack_len;
	uint8_t stack[STACK_BYTES];
	uint64_t pcs[UNWIND_MAX_FRAMES];
	size_t count;
};

/* A walk with compact rules. */
struct walk {
	const struct snapshot *snapshot;
};

static int unwind_read(struct walk *walk, uint64_t addr, uint64_t *ret)
{
	uint64_t at = addr - walk->snapshot->stack_start;

	if (at > walk->snapshot->stack_len || walk->snapshot->stack_len - at < sizeof(*ret))
		return -1;
	memcpy(ret, walk->snapshot->stack + at, sizeof(*ret));
	return 0;
}

static int unwind_leaf(struct walk *walk, unsigned reg, uint64_t *ret)
{
	/* DWARF's register numbers in the order of the snapshot */
	static const uint8_t at[16] = { 0, 3, 2, 1, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16 };

	if (reg >= 16)
		return -1;
	*ret = walk->snapshot->regs[at[reg]];
	return 0;
}

#define UNWIND_CONTEXT struct walk
#include "unwind/walker.h"

static void add_map(struct snapshot *s, char *text)
{
	struct event event = {
		.type = EVENT_MMAP, .misc = PERF_RECORD_MISC_USER, .pid = PID, .tid = PID
	};
	char *path;

	event.mmap.start = strtoull(text, &text, 16);
	event.mmap.pgoff = strtoull(text, &path, 16);
	event.mmap.len = 64u << 20; /* the next one ends it */
	event.mmap.prot = PROT_READ | PROT_EXEC;
	event.mmap.path = path + 1;
	proc_table_apply(s->procs, &event);
}

static size_t parse_words(char *text, uint64_t *word, size_t max)
{
	size_t count = 0;
	char *end;

	for (; count < max; count++, text = end) {
		word[count] = strtoull(text, &end, 16);
		if (end == text)
			break;
	}
	return count;
}

static void parse_stack(struct snapshot *s, char *text)
{
	char byte[3] = "";

	s->stack_start = strtoull(text, &text, 16);
	for (text++; text[0] && text[1] && s->stack_len < STACK_BYTES; text += 2) {
		memcpy(byte, text, 2);
		s->stack[s->stack_len++] = (uint8_t)strtoul(byte, NULL, 16);
	}
}

static void parse_line(struct snapshot *s, char *line)
{
	char *rest = strchr(line, ' ');

	line[strcspn(line, "\n")] = '\0';
	if (!rest)
		return;
	*rest++ = '\0';
	if (!strcmp(line, "map"))
		add_map(s, rest);
	else if (!strcmp(line, "syscall"))
		s->in_syscall = *rest == '1';
	else if (!strcmp(line, "registers"))
		(void)parse_words(rest, s->regs, REGS);
	else if (!strcmp(line, "stack"))
		parse_stack(s, rest);
	else if (!strcmp(line, "expect"))
		s->count = parse_words(rest, s->pcs, UNWIND_MAX_FRAMES);
}

static bool is_expected(const struct snapshot *s, const char *how, enum stack_stop stop,
			const uint64_t *pcs, size_t count)
{
	bool same = stop == STACK_STOP_ROOT && count == s->count &&
		    !memcmp(pcs, s->pcs, count * sizeof(*pcs));

	printf("  %s: %zu frames, %s%s\n", how, count, stack_stop_name(stop),
	       same ? "" : ", WRONG:");
	for (size_t i = 0; !same && i < count; i++)
		printf("  %llx%s", (unsigned long long)pcs[i], i + 1 < count ? "" : "\n");
	return same;
}

static bool walk_full(const struct snapshot *s, const struct address_space *space,
		      const char *files)
{
	static uint64_t pcs[UNWIND_MAX_FRAMES];
	struct unwinder *unwinder = unwinder_new(files);
	struct unwind_cache *cache = unwind_cache_new();
	struct unwind_input input = { .space = space,
				      .mask = REGS_MASK,
				      .regs = s->regs,
				      .stack = s->stack,
				      .stack_len = s->stack_len,
				      .in_syscall = s->in_syscall };
	struct unwind_result result;

	unwinder_walk(unwinder, cache, &input, pcs, &result);
	unwind_cache_free(cache);
	unwinder_free(unwinder);
	return is_expected(s, "full walk", result.stop, pcs, result.count);
}

/* Tables by module, built at the first pc in it. */
static struct unwind_rule find_rule(struct compact **tables, const char *files,
				    const struct mapping *mapping, uint64_t pc, bool returns)
{
	struct compact **slot = tables + mapping->module->id.v % MODULES;

	if (!*slot) {
		struct unwind_table *table = unwind_table_open(mapping->module, files);

		*slot = compact_build(table);
		unwind_table_close(table);
	}
	return compact_rule(*slot, pc - mapping->start + mapping->pgoff, returns);
}

static bool walk_compact(const struct snapshot *s, const struct address_space *space,
			 const char *files)
{
	struct compact *tables[MODULES] = { 0 };
	struct walk walk = { s };
	struct unwind_frame frame = {
		.pc = s->regs[8], .sp = s->regs[7], .bp = s->regs[6], .leaf = true, .exact = true
	};
	enum stack_stop stop = STACK_STOP_NONE;
	uint64_t pcs[UNWIND_MAX_FRAMES];
	size_t count = 0;

	if (s->in_syscall)
		frame.exact = false;
	while (stop == STACK_STOP_NONE && count < UNWIND_MAX_FRAMES) {
		uint64_t pc = unwind_lookup_pc(&frame);
		const struct mapping *mapping = address_space_find(space, pc);
		struct unwind_rule rule;

		pcs[count++] = frame.pc;
		if (!mapping) {
			stop = STACK_STOP_NO_MAPPING;
			break;
		}
		rule = find_rule(tables, files, mapping, pc, !frame.exact);
		stop = unwind_step(&rule, &frame, &walk);
	}
	for (size_t i = 0; i < MODULES; i++)
		compact_free(tables[i]);
	return is_expected(s, "compact rules", stop, pcs, count);
}

static bool replay(const char *files, const char *path)
{
	struct snapshot *s = calloc(1, sizeof(*s));
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	bool right;

	if (!s || !file) {
		printf("%s: cannot be read\n", path);
		exit(1);
	}
	s->modules = module_table_new();
	s->procs = proc_table_new(s->modules);
	while (getline(&line, &room, file) > 0)
		parse_line(s, line);
	printf("%s:\n", path);
	const struct address_space *space = proc_table_thread(s->procs, PID, PID)->process->space;

	right = s->count && walk_full(s, space, files);
	right &= s->count && walk_compact(s, space, files);
	proc_table_free(s->procs);
	module_table_free(s->modules);
	free(line);
	(void)fclose(file);
	free(s);
	return right;
}

int main(int argc, char **argv)
{
	int wrong = 0;

	for (int i = 2; i < argc; i++)
		wrong += !replay(argv[1], argv[i]);
	return wrong || argc < 3;
}
