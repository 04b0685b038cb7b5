/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nesting of calls (see user_graph.h). */
#include "session/ftrace/user_graph.h"

#include <string.h>

#define LAST_PAGES 0x2000u /* of the address space; one of them is the kernel's for returns */

static struct user_thread *thread_of(struct user_graph *graph, uint32_t tid)
{
	bool added;
	uint64_t *at = map_add(&graph->by_tid, tid, &added);

	if (added) {
		vec_push(&graph->threads, ((struct user_thread){ 0 }));
		*at = graph->threads.count - 1;
	}
	return &graph->threads.item[*at];
}

static void put_line(const struct user_graph *graph, const struct function_call *call, size_t depth,
		     enum ftrace_line_kind kind, uint64_t duration_ns)
{
	const char *name = graph->names[call->number];
	const struct ftrace_line line = {
		.kind = kind,
		.comm = { call->comm, strnlen(call->comm, sizeof(call->comm)) },
		.name = { name, strlen(name) },
		.prefix = "",
		.pid = (int32_t)call->tid,
		.cpu = call->cpu,
		.time_ns = call->time_ns,
		.has_time = true,
		.has_duration = kind != FTRACE_LINE_ENTRY,
		.duration_ns = duration_ns,
		.depth = (uint32_t)depth,
	};

	if (graph->line)
		graph->line(graph->context, &line);
}

static void put_pending(struct user_graph *graph, struct user_thread *thread)
{
	if (thread->pending)
		put_line(graph, &thread->entry, thread->entry_depth, FTRACE_LINE_ENTRY, 0);
	thread->pending = false;
}

static bool is_replaced(uint64_t return_address)
{
	uint64_t end = (return_address | (LAST_PAGES - 1)) + 1;

	return end && (end & (end - 1)) == 0;
}

/* Whether a call that is still open has ended without a return: callers' frames are above those of
 * what they call, and a function that another one jumps to has the same. */
static bool is_gone(const struct user_call *open, const struct function_call *new)
{
	return open->sp < new->sp || (open->sp == new->sp && !is_replaced(new->return_address));
}

static bool is_shown(const struct user_graph *graph, size_t depth)
{
	return !graph->depth || depth < graph->depth;
}

static void enter(struct user_graph *graph, struct user_thread *thread,
		  const struct function_call *call)
{
	struct user_call new = { .start_ns = call->time_ns,
				 .sp = call->sp,
				 .number = call->number };

	while (thread->calls.count && is_gone(vec_last(&thread->calls), call)) {
		thread->calls.count--;
		graph->open++;
	}
	if (is_shown(graph, thread->calls.count)) {
		put_pending(graph, thread);
		thread->entry = *call;
		thread->entry_depth = thread->calls.count;
		thread->pending = true;
	}
	vec_push(&thread->calls, new);
}

static void add_stack(struct user_graph *graph, const struct user_thread *thread,
		      const struct function_call *call, uint64_t self_ns)
{
	buf_clear(&graph->stack);
	(void)buf_append(&graph->stack, call->comm, strnlen(call->comm, sizeof(call->comm)));
	for (size_t i = 0; i < thread->calls.count; i++)
		(void)buf_printf(&graph->stack, ";%s", graph->names[thread->calls.item[i].number]);
	function_times_add(graph->stacks, graph->stack.data, graph->stack.len, self_ns);
}

static void leave(struct user_graph *graph, struct user_thread *thread,
		  const struct function_call *call)
{
	size_t depth = thread->calls.count;
	uint64_t duration_ns, children_ns;

	/* Calls below that frame have ended without a return, also those of the same function. */
	while (depth && (thread->calls.item[depth - 1].number != call->number ||
			 thread->calls.item[depth - 1].sp != call->sp))
		depth--;
	if (!depth) /* it was called before the start, or it is another function's exit, too */
		return;
	if (thread->pending && thread->entry_depth >= depth)
		put_pending(graph, thread);
	graph->open += thread->calls.count - depth;
	thread->calls.count = depth;
	duration_ns = call->time_ns - vec_last(&thread->calls)->start_ns;
	children_ns = vec_last(&thread->calls)->children_ns;
	if (graph->stacks)
		add_stack(graph, thread, call,
			  duration_ns > children_ns ? duration_ns - children_ns : 0);
	thread->calls.count--;
	if (thread->calls.count)
		vec_last(&thread->calls)->children_ns += duration_ns;
	if (!is_shown(graph, depth - 1))
		return;
	put_line(graph, call, depth - 1, thread->pending ? FTRACE_LINE_LEAF : FTRACE_LINE_EXIT,
		 duration_ns);
	thread->pending = false;
}

void user_graph_add(struct user_graph *graph, const struct function_call *call)
{
	struct user_thread *thread = thread_of(graph, call->tid);

	if (thread->cpu_ns)
		graph->cpu_ns += call->cpu_ns - thread->cpu_ns;
	thread->cpu_ns = call->cpu_ns;
	if (call->returns)
		leave(graph, thread, call);
	else
		enter(graph, thread, call);
}

void user_graph_end(struct user_graph *graph)
{
	for (size_t i = 0; i < graph->threads.count; i++)
		put_pending(graph, &graph->threads.item[i]);
}

void user_graph_done(struct user_graph *graph)
{
	for (size_t i = 0; i < graph->threads.count; i++)
		vec_done(&graph->threads.item[i].calls);
	vec_done(&graph->threads);
	map_done(&graph->by_tid);
	buf_done(&graph->stack);
}
