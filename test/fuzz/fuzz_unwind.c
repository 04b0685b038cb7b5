/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The walk itself over a real binary's tables (this program's): registers, frame kinds and stack
 * come from the input, and words may point into the stack or into code. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proc/proc.h"
#include "unwind/unwind.h"

#define REGS	    17 /* all but flags and segments */
#define STACK_WORDS 256
#define STACK_ADDR  0x7ff000000000u
#define CODE_ADDR   0x400000u
#define CODE_BYTES  0x200000u
#define JIT_ADDR    0x10000u

struct world {
	struct module_table *modules;
	struct proc_table *procs;
	struct unwinder *unwinder;
	struct unwind_cache *cache;
};

static void map(struct world *world, uint64_t start, uint64_t len, const char *path)
{
	struct event event = {
		.type = EVENT_MMAP,
		.misc = PERF_RECORD_MISC_USER,
		.pid = 1,
		.tid = 1,
		.mmap = { .start = start, .len = len, .prot = PROT_READ | PROT_EXEC, .path = path }
	};

	proc_table_apply(world->procs, &event);
}

static struct world *world_get(void)
{
	static struct world world;
	char self[4096];
	ssize_t len;

	if (world.modules)
		return &world;
	len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[len > 0 ? len : 0] = '\0';
	world.modules = module_table_new();
	world.procs = proc_table_new(world.modules);
	world.unwinder = unwinder_new("");
	world.cache = unwind_cache_new();
	map(&world, CODE_ADDR, CODE_BYTES, self);
	map(&world, JIT_ADDR, 0x1000, "//anon");
	return &world;
}

/* A third of all words become stack addresses, a third addresses of code. */
static uint64_t shape(uint64_t word)
{
	switch (word % 5) {
	case 0:
		return STACK_ADDR + word / 5 % (STACK_WORDS * 8);
	case 1:
		return CODE_ADDR + word / 5 % CODE_BYTES;
	case 2:
		return JIT_ADDR + word / 5 % 0x1000;
	default:
		return word;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint64_t pcs[UNWIND_MAX_FRAMES];
	uint64_t word[1 + REGS + STACK_WORDS] = { 0 };
	struct world *world = world_get();
	struct unwind_result result;
	struct unwind_input input;

	memcpy(word, data, size < sizeof(word) ? size : sizeof(word));
	for (size_t i = 1; i < sizeof(word) / sizeof(*word); i++)
		word[i] = shape(word[i]);
	word[1 + 7] = STACK_ADDR; /* sp: where the copy starts */
	input = (struct unwind_input){
		.space = proc_table_thread(world->procs, 1, 1)->process->space,
		.mask = 0xff01ff,
		.regs = word + 1,
		.stack = (const uint8_t *)(word + 1 + REGS),
		.stack_len = word[0] % (STACK_WORDS * 8 + 1),
		.in_syscall = word[0] >> 63
	};
	unwinder_walk(world->unwinder, world->cache, &input, pcs, &result);
	if (result.count > UNWIND_MAX_FRAMES || result.stop >= STACK_STOP_COUNT)
		abort();
	return 0;
}
