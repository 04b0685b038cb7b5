/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind/unwind, table: our own stack as libgcc sees it, from a sort callback and a signal handler;
 * frame pointer chains without a table; every ending has its reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <execinfo.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "proc/proc.h"
#include "unwind/table.h"
#include "unwind/unwind.h"

struct world {
	struct module_table *modules;
	struct proc_table *procs;
	struct unwinder *unwinder;
	struct unwind_cache *cache;
};

static struct world world;
static uint64_t stack_end;

static void map(uint64_t start, uint64_t len, uint64_t pgoff, const char *path)
{
	struct event event = { .type = EVENT_MMAP,
			       .misc = PERF_RECORD_MISC_USER,
			       .pid = (uint32_t)getpid(),
			       .tid = (uint32_t)getpid(),
			       .mmap = { .start = start,
					 .len = len,
					 .pgoff = pgoff,
					 .prot = PROT_READ | PROT_EXEC,
					 .path = path } };

	proc_table_apply(world.procs, &event);
}

static void map_self(void)
{
	struct buf text = { 0 };
	struct err err = { 0 };
	char *save = NULL, *line;

	assert_int_equal(0, fd_read_file("/proc/self/maps", &text, &err));
	for (line = strtok_r(text.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		uint64_t start, end, offset;
		char prot[8];
		int name = 0;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &start, &end,
			   prot, &offset, &name) < 4)
			continue;
		if (prot[2] == 'x')
			map(start, end - start, offset, line[name] ? line + name : "//anon");
		if ((uint64_t)(uintptr_t)&save >= start && (uint64_t)(uintptr_t)&save < end)
			stack_end = end;
	}
	buf_done(&text);
}

static int setup(void **state)
{
	(void)state;
	world.modules = module_table_new();
	world.procs = proc_table_new(world.modules);
	world.unwinder = unwinder_new(NULL);
	world.cache = unwind_cache_new();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unwind_cache_free(world.cache);
	unwinder_free(world.unwinder);
	proc_table_free(world.procs);
	module_table_free(world.modules);
	return 0;
}

static const struct address_space *own_space(void)
{
	return proc_table_thread(world.procs, (uint32_t)getpid(), (uint32_t)getpid())
		->process->space;
}

/* perf's order: ax bx cx dx si di bp sp ip, then r8–r15 from bit 16 on. */
#define MASK 0xff01ffu

static void walk(const ucontext_t *context, bool in_call, uint64_t *pcs, struct unwind_result *ret)
{
	const greg_t *g = context->uc_mcontext.gregs;
	const uint64_t regs[] = { (uint64_t)g[REG_RAX], (uint64_t)g[REG_RBX], (uint64_t)g[REG_RCX],
				  (uint64_t)g[REG_RDX], (uint64_t)g[REG_RSI], (uint64_t)g[REG_RDI],
				  (uint64_t)g[REG_RBP], (uint64_t)g[REG_RSP], (uint64_t)g[REG_RIP],
				  (uint64_t)g[REG_R8],	(uint64_t)g[REG_R9],  (uint64_t)g[REG_R10],
				  (uint64_t)g[REG_R11], (uint64_t)g[REG_R12], (uint64_t)g[REG_R13],
				  (uint64_t)g[REG_R14], (uint64_t)g[REG_R15] };
	const struct unwind_input input = {
		.space = own_space(),
		.mask = MASK,
		.regs = regs,
		.stack = (const uint8_t *)(uintptr_t)g[REG_RSP],
		.stack_len = stack_end - (uint64_t)g[REG_RSP],
		.in_syscall = in_call,
	};

	unwinder_walk(world.unwinder, world.cache, &input, pcs, ret);
}

/* Our frames from the caller of this function on equal libgcc's, and end at the root. */
static __attribute__((noinline)) void compare_with_libgcc(void)
{
	static uint64_t pcs[UNWIND_MAX_FRAMES];
	void *expected[256];
	struct unwind_result result;
	ucontext_t context;
	int count = backtrace(expected, 256), more;

	assert_int_equal(0, getcontext(&context));
	walk(&context, true, pcs, &result);
	assert_int_equal(STACK_STOP_ROOT, result.stop);
	more = count - (int)result.count; /* the sanitizers' own backtrace() adds a frame */
	assert_in_range(more, 0, 1);
	for (int i = 1; i + more < count; i++)
		assert_int_equal((uintptr_t)expected[i + more], pcs[i]);
}

static int compare_in_callback(const void *a, const void *b)
{
	compare_with_libgcc();
	return *(const int *)a - *(const int *)b;
}

static void on_signal(int number)
{
	(void)number;
	compare_with_libgcc();
}

static void test_unwind__equals_libgcc(void **state)
{
	int numbers[] = { 3, 1, 2 };

	(void)state;
	map_self();
	compare_with_libgcc();
	qsort(numbers, 3, sizeof(*numbers), compare_in_callback);
	(void)signal(SIGUSR1, on_signal);
	(void)raise(SIGUSR1);
	(void)raise(SIGUSR1); /* with everything in the cache */
}

/* A copy of `len` bytes of the stack of a function that has 200 KB of local variables. */
static __attribute__((noinline)) enum stack_stop stop_of_large_frame(uint64_t len)
{
	static uint64_t pcs[UNWIND_MAX_FRAMES];
	volatile char large[200000];
	struct unwind_result result;
	ucontext_t context;
	uint64_t end = stack_end;

	large[0] = large[sizeof(large) - 1] = 0;
	assert_int_equal(0, getcontext(&context));
	stack_end = (uint64_t)context.uc_mcontext.gregs[REG_RSP] + len;
	walk(&context, true, pcs, &result);
	stack_end = end;
	return large[0] ? STACK_STOP_NONE : result.stop;
}

static void test_unwind__says_that_no_copy_is_enough(void **state)
{
	(void)state;
	map_self();
	assert_int_equal(STACK_STOP_BEYOND_COPY, stop_of_large_frame(65528));
	assert_int_equal(STACK_STOP_BEYOND_COPY, stop_of_large_frame(8192));
}

static uint64_t words[32];

static void walk_words(uint64_t pc, uint64_t bp, uint64_t *pcs, struct unwind_result *ret)
{
	const uint64_t regs[] = { bp, (uintptr_t)words, pc };
	const struct unwind_input input = { .space = own_space(),
					    .mask = 1u << 6 | 1u << 7 | 1u << 8,
					    .regs = regs,
					    .stack = (const uint8_t *)words,
					    .stack_len = sizeof(words) };

	unwinder_walk(world.unwinder, world.cache, &input, pcs, ret);
}

#define WORD(i) ((uint64_t)(uintptr_t)&words[i])

static void test_unwind__follows_frame_pointers_through_generated_code(void **state)
{
	uint64_t pcs[UNWIND_MAX_FRAMES];
	struct unwind_result result;

	(void)state;
	map(0x10000, 0x1000, 0, "//anon");
	memset(words, 0, sizeof(words));
	words[4] = WORD(8);
	words[5] = 0x10020;
	words[8] = 0;
	words[9] = 0;
	walk_words(0x10010, WORD(4), pcs, &result);
	assert_int_equal(STACK_STOP_ROOT, result.stop);
	assert_int_equal(2, result.count);
	assert_int_equal(0x10020, pcs[1]);
	words[9] = 0xdead0000; /* no code there */
	walk_words(0x10010, WORD(4), pcs, &result);
	assert_int_equal(STACK_STOP_FP_LOST, result.stop);
	assert_int_equal(2, result.count);
	assert_int_equal(0x10020, result.stop_pc);
	words[4] = WORD(2); /* downwards */
	walk_words(0x10010, WORD(4), pcs, &result);
	assert_int_equal(STACK_STOP_FP_LOST, result.stop);
	assert_int_equal(2, result.count);
}

static void test_unwind__names_every_ending(void **state)
{
	uint64_t pcs[UNWIND_MAX_FRAMES];
	struct unwind_result result;
	struct unwind_input nothing = { .space = own_space() };

	(void)state;
	map(0x10000, 0x1000, 0, "//anon");
	map(0x20000, 0x1000, 0, "/proc/nonexistent/library.so");
	walk_words(0x999000, 0, pcs, &result);
	assert_int_equal(STACK_STOP_NO_MAPPING, result.stop);
	assert_int_equal(1, result.count);
	walk_words(0x20010, 0, pcs, &result);
	assert_int_equal(STACK_STOP_NO_TABLE, result.stop);
	unwinder_walk(world.unwinder, world.cache, &nothing, pcs, &result);
	assert_int_equal(STACK_STOP_NONE, result.stop);
	assert_int_equal(0, result.count);
}

static void test_unwind__stops_at_the_frame_limit(void **state)
{
	static uint64_t pcs[UNWIND_MAX_FRAMES], stack[4 * UNWIND_MAX_FRAMES];
	const uint64_t regs[] = { (uintptr_t)stack, (uintptr_t)stack, 0x10010 };
	struct unwind_input input = { .mask = 1u << 6 | 1u << 7 | 1u << 8,
				      .regs = regs,
				      .stack = (const uint8_t *)stack,
				      .stack_len = sizeof(stack) };
	struct unwind_result result;

	(void)state;
	map(0x10000, 0x1000, 0, "//anon");
	for (size_t i = 0; i < 2 * UNWIND_MAX_FRAMES - 1; i++) {
		stack[2 * i] = (uintptr_t)&stack[2 * i + 2];
		stack[2 * i + 1] = 0x10020;
	}
	input.space = own_space();
	unwinder_walk(world.unwinder, world.cache, &input, pcs, &result);
	assert_int_equal(STACK_STOP_DEPTH, result.stop);
	assert_int_equal(UNWIND_MAX_FRAMES, result.count);
}

static void test_table__vsyscall_and_missing_files(void **state)
{
	struct module vsyscall = { .kind = MODULE_VSYSCALL, .path = "[vsyscall]" };
	struct module missing = { .kind = MODULE_FILE, .path = "/proc/nonexistent/library.so" };
	struct unwind_table *table = unwind_table_open(&vsyscall, NULL);
	struct unwind_place place = { .offset = 0x400 };

	(void)state;
	assert_int_equal(UNWIND_SP, unwind_table_rule(table, place).cfa);
	unwind_table_close(table);
	table = unwind_table_open(&missing, NULL);
	assert_false(unwind_table_has_rows(table));
	assert_int_equal(UNWIND_FP, unwind_table_rule(table, place).cfa);
	unwind_table_close(table);
}

static void test_table__vdso_comes_from_this_process(void **state)
{
	struct module vdso = { .kind = MODULE_VDSO, .path = "[vdso]" };
	struct unwind_table *table = unwind_table_open(&vdso, NULL);

	(void)state;
	assert_true(unwind_table_has_rows(table));
	unwind_table_close(table);
	vdso.build_id = (struct build_id){ .len = 20, .bytes = "another kernel's one" };
	table = unwind_table_open(&vdso, NULL);
	assert_false(unwind_table_has_rows(table));
	unwind_table_close(table);
}

int main(void)
{
#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		WITH_WORLD(test_unwind__equals_libgcc),
		WITH_WORLD(test_unwind__follows_frame_pointers_through_generated_code),
		WITH_WORLD(test_unwind__says_that_no_copy_is_enough),
		WITH_WORLD(test_unwind__names_every_ending),
		WITH_WORLD(test_unwind__stops_at_the_frame_limit),
		cmocka_unit_test(test_table__vsyscall_and_missing_files),
		cmocka_unit_test(test_table__vdso_comes_from_this_process),
	};

	return cmocka_run_group_tests_name("unwind/unwind", tests, NULL, NULL);
}
