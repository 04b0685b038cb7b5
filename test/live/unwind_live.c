/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwinds threads of live processes that the caller has stopped. Reads lines
 *
 *   PID SYSCALL AX BX CX DX SI DI BP SP IP R8 R9 R10 R11 R12 R13 R14 R15      (hexadecimal)
 *
 * where SYSCALL is 1 if the thread is in a system call, and prints "stop pc…" for each, leaf first.
 * Reads memory and mappings from /proc. x86-64.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "live_maps.h"
#include "unwind/unwind.h"

#define REGS	    17
#define REGS_MASK   0xff01ff
#define STACK_BYTES (8u << 20)

struct live {
	struct module_table *modules;
	struct proc_table *procs;
	struct unwinder *unwinder;
	struct unwind_cache *cache;
	uint8_t *stack;
};

static bool read_maps(struct live *live, uint32_t pid)
{
	struct buf text = { 0 };
	struct err err = { 0 };
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	if (fd_read_file(path, &text, &err)) {
		(void)fprintf(stderr, "%s\n", err.msg);
		return false;
	}
	live_maps_apply(live->procs, pid, text.data);
	buf_done(&text);
	return true;
}

/* From the stack pointer to the end of its mapping. */
static uint64_t read_stack(struct live *live, uint32_t pid, uint64_t sp)
{
	char path[64];
	uint64_t len = 0;

	(void)snprintf(path, sizeof(path), "/proc/%u/mem", pid);
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && len < STACK_BYTES) {
		ssize_t got = pread(fd, live->stack + len, STACK_BYTES - len, (off_t)(sp + len));

		if (got <= 0)
			break;
		len += (uint64_t)got;
	}
	return len;
}

static bool parse(const char *line, uint64_t *word, size_t count)
{
	char *end;

	for (size_t i = 0; i < count; i++) {
		word[i] = strtoull(line, &end, 16);
		if (end == line)
			return false;
		line = end;
	}
	return true;
}

static void answer(struct live *live, const char *line)
{
	static uint64_t pcs[UNWIND_MAX_FRAMES];
	uint64_t word[2 + REGS];
	struct unwind_result result;

	if (!parse(line, word, 2 + REGS) || !read_maps(live, (uint32_t)word[0])) {
		printf("bad-request\n");
		return;
	}
	uint32_t pid = (uint32_t)word[0];
	struct thread *thread = proc_table_thread(live->procs, pid, pid);
	struct unwind_input input = { .space = thread->process->space,
				      .mask = REGS_MASK,
				      .regs = word + 2,
				      .stack = live->stack,
				      .stack_len = read_stack(live, pid, word[2 + 7]),
				      .in_syscall = word[1] };

	unwinder_walk(live->unwinder, live->cache, &input, pcs, &result);
	printf("%s", stack_stop_name(result.stop));
	for (size_t i = 0; i < result.count; i++)
		printf(" %" PRIx64, pcs[i]);
	printf("\n");
}

int main(void)
{
	struct live live = { .modules = module_table_new(),
			     .unwinder = unwinder_new(""),
			     .cache = unwind_cache_new(),
			     .stack = malloc(STACK_BYTES) };
	char line[1024];

	live.procs = proc_table_new(live.modules);
	while (live.stack && fgets(line, sizeof(line), stdin)) {
		answer(&live, line);
		(void)fflush(stdout);
	}
	free(live.stack);
	unwind_cache_free(live.cache);
	unwinder_free(live.unwinder);
	proc_table_free(live.procs);
	module_table_free(live.modules);
	return 0;
}
