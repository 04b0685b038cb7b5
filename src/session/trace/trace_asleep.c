/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of sleeping threads by name (see trace_asleep.h). */
#include "session/trace/trace_asleep.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "event/sink.h"
#include "event/syscall.h"
#include "proc/scan.h"
#include "session/capture.h"
#include "session/trace/trace_stack.h"
#include "source/arch.h"
#include "symbol/symbolizer.h"
#include "unwind/unwind.h"

struct trace_asleep {
	struct sink sink; /* first; of what processes have mapped */
	struct capture capture;
	struct map scanned; /* processes */
	struct symbol_options options;
	VEC(struct symbolizer *) symbolizer; /* by module; NULL = not opened yet */
	struct unwinder *unwinder;
	struct unwind_cache *cache;
	uint64_t pc[UNWIND_MAX_FRAMES];
};

static int take_event(struct sink *sink, const struct event *event, struct err *err)
{
	struct trace_asleep *asleep = (struct trace_asleep *)sink;

	(void)err;
	proc_table_apply(asleep->capture.procs, event);
	return 0;
}

struct trace_asleep *trace_asleep_new(void)
{
	struct trace_asleep *asleep = mem_zalloc(sizeof(*asleep));

	asleep->sink.event = take_event;
	capture_open(&asleep->capture);
	asleep->options = (struct symbol_options){ .inlines = true,
						   .demangle = true,
						   .symfs = "",
						   .shared = symbol_shared_new(),
						   .modules = asleep->capture.modules };
	asleep->unwinder = unwinder_new(NULL);
	asleep->cache = unwind_cache_new();
	return asleep;
}

void trace_asleep_free(struct trace_asleep *asleep)
{
	if (!asleep)
		return;
	for (size_t i = 0; i < asleep->symbolizer.count; i++)
		symbolizer_close(asleep->symbolizer.item[i]);
	vec_done(&asleep->symbolizer);
	symbol_shared_free(asleep->options.shared);
	unwind_cache_free(asleep->cache);
	unwinder_free(asleep->unwinder);
	map_done(&asleep->scanned);
	capture_close(&asleep->capture);
	free(asleep);
}

/* A process that has just ended has no mappings. */
static const struct address_space *space_of(struct trace_asleep *asleep, uint32_t pid, uint32_t tid)
{
	const struct scan_options options = { 0 };
	struct err ignored = { 0 };
	bool added;

	(void)map_add(&asleep->scanned, pid, &added);
	if (added)
		(void)scan_process((pid_t)pid, &options, &asleep->sink, &ignored);
	return proc_table_thread(asleep->capture.procs, pid, tid)->process->space;
}

static struct symbolizer *symbolizer_of(struct trace_asleep *asleep, const struct module *module)
{
	while (asleep->symbolizer.count <= module->id.v)
		vec_push(&asleep->symbolizer, NULL);
	if (!asleep->symbolizer.item[module->id.v])
		asleep->symbolizer.item[module->id.v] = symbolizer_open(module, &asleep->options);
	return asleep->symbolizer.item[module->id.v];
}

/* The function of a return address is that of the call before it. */
static void add_place(struct trace_asleep *asleep, const struct address_space *space, size_t i,
		      struct trace_stack *stack)
{
	struct capture_place place;
	struct symbol symbol;
	bool known;

	capture_locate(&asleep->capture, space, asleep->pc[i], CAPTURE_USER, &place);
	known = symbolizer_resolve(symbolizer_of(asleep, place.module),
				   place.offset - capture_is_caller(i), &symbol);
	trace_stack_add(stack, place.module, known ? &symbol : NULL);
}

void trace_asleep_read(const struct syscall_line *line, struct trace_asleep_thread *ret)
{
	ret->pid = line->tgid;
	ret->tid = line->tid;
	ret->start_ns = line->start_ns;
	memcpy(&ret->place, line + 1, sizeof(ret->place));
	ret->stack_len = thread_stack_read(line->tgid, line->tid, ret->place.sp,
					   ret->place.stack_top, ret->stack);
}

struct trace_stack *trace_asleep_stack(struct trace_asleep *asleep,
				       const struct trace_asleep_thread *thread, uint64_t most)
{
	struct unwind_input input = { .mask = sample_registers_unwind, .stack = thread->stack };
	struct unwind_result result;
	struct trace_stack *stack;

	if (!thread->stack_len || thread->stack_len > sizeof(thread->stack))
		return trace_stack_empty(STACK_STOP_READ_FAULT);
	input.space = space_of(asleep, thread->pid, thread->tid);
	input.regs = (const uint64_t *)thread->place.reg;
	input.in_syscall = thread->place.in_syscall != 0;
	input.stack_len = thread->stack_len;
	unwinder_walk(asleep->unwinder, asleep->cache, &input, asleep->pc, &result);
	stack = trace_stack_empty(result.stop);
	for (size_t i = 0; i < result.count; i++)
		add_place(asleep, input.space, i, stack);
	trace_stack_cut(stack, most);
	return stack;
}
