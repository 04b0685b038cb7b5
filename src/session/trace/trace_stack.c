/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User stacks of calls (see trace_stack.h). */
#include "session/trace/trace_stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "proc/module.h"
#include "session/replay.h"

static size_t put_name(struct trace_stack *stack, const char *name)
{
	size_t at = stack->names.len;

	(void)buf_append(&stack->names, name, strlen(name) + 1);
	return at;
}

void trace_stack_add_frame(struct trace_stack *stack, const char *function, const char *module,
			   bool inlined)
{
	struct trace_stack_frame *frame = vec_add(&stack->frame);

	frame->function = put_name(stack, function);
	frame->module = put_name(stack, module);
	frame->inlined = inlined;
}

void trace_stack_add(struct trace_stack *stack, const struct module *module,
		     const struct symbol *symbol)
{
	const char *path = module && module->kind != MODULE_UNKNOWN ? module->path : "[unknown]";
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	if (!symbol)
		trace_stack_add_frame(stack, "[unknown]", name, false);
	for (size_t i = 0; symbol && i < symbol->count; i++) {
		const struct symbol_frame *at = &symbol->frame[i];

		trace_stack_add_frame(stack, at->name ? at->name : "[unknown]", name, at->inlined);
	}
}

void trace_stack_cut(struct trace_stack *stack, uint64_t most)
{
	if (!most || stack->frame.count <= most)
		return;
	stack->frame.count = most;
	stack->stop = STACK_STOP_DEPTH;
}

struct trace_stack *trace_stack_empty(enum stack_stop stop)
{
	struct trace_stack *stack = mem_zalloc(sizeof(*stack));

	stack->stop = stop;
	return stack;
}

struct trace_stack *trace_stack_new(const struct replay_sample *sample, uint64_t most)
{
	struct trace_stack *stack = trace_stack_empty(sample->stop);

	for (size_t i = 0; i < sample->count; i++)
		if (!sample->frame[i].kernel)
			trace_stack_add(stack, sample->frame[i].module, sample->frame[i].symbol);
	trace_stack_cut(stack, most);
	return stack;
}

struct trace_stack *trace_stack_copy(const struct trace_stack *stack)
{
	struct trace_stack *copy = mem_zalloc(sizeof(*copy));

	copy->stop = stack->stop;
	(void)buf_append(&copy->names, stack->names.data, stack->names.len);
	for (size_t i = 0; i < stack->frame.count; i++)
		vec_push(&copy->frame, stack->frame.item[i]);
	return copy;
}

void trace_stack_free(struct trace_stack *stack)
{
	if (!stack)
		return;
	buf_done(&stack->names);
	vec_done(&stack->frame);
	free(stack);
}

void trace_stack_text(const struct trace_stack *stack, struct buf *out)
{
	for (size_t i = 0; i < stack->frame.count; i++) {
		const struct trace_stack_frame *frame = &stack->frame.item[i];

		(void)buf_puts(out, "             ");
		(void)buf_put_tidy(out, stack->names.data + frame->function);
		(void)buf_puts(out, " (");
		(void)buf_put_tidy(out, stack->names.data + frame->module);
		(void)buf_puts(out, frame->inlined ? ", inlined)\n" : ")\n");
	}
	if (stack->stop != STACK_STOP_ROOT)
		(void)buf_printf(out, "             [%s]\n", stack_stop_text(stack->stop));
}

void trace_stack_json(const struct trace_stack *stack, struct buf *out)
{
	(void)buf_puts(out, "\"stack\":[");
	for (size_t i = 0; i < stack->frame.count; i++) {
		const struct trace_stack_frame *frame = &stack->frame.item[i];

		(void)buf_puts(out, i ? ",{\"function\":" : "{\"function\":");
		(void)buf_put_json(out, stack->names.data + frame->function);
		(void)buf_puts(out, ",\"module\":");
		(void)buf_put_json(out, stack->names.data + frame->module);
		(void)buf_puts(out, frame->inlined ? ",\"inlined\":true}" : "}");
	}
	(void)buf_printf(out, "],\"stopped\":\"%s\"", stack_stop_name(stack->stop));
}
