/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user stack of a traced call or event, by name. */
#ifndef SESSION_TRACE_STACK_H
#define SESSION_TRACE_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "event/stop.h"

struct module;
struct replay_sample;
struct symbol;

struct trace_stack_frame {
	size_t function, module; /* offsets in names */
	bool inlined;		 /* into the next frame */
};

struct trace_stack {
	struct buf names;		     /* each with its NUL */
	VEC(struct trace_stack_frame) frame; /* the innermost first */
	enum stack_stop stop;
};

/* Of the sample's user frames; at most `most`, 0 = all. To be freed. */
struct trace_stack *trace_stack_new(const struct replay_sample *sample, uint64_t most);
/* An empty one. */
struct trace_stack *trace_stack_empty(enum stack_stop stop);
/* Adds the functions of a place: the caller of those before. symbol NULL = unknown. */
void trace_stack_add(struct trace_stack *stack, const struct module *module,
		     const struct symbol *symbol);
/* Adds one, which called those before. */
void trace_stack_add_frame(struct trace_stack *stack, const char *function, const char *module,
			   bool inlined);
/* At most `most` frames, 0 = all. */
void trace_stack_cut(struct trace_stack *stack, uint64_t most);
struct trace_stack *trace_stack_copy(const struct trace_stack *stack);
void trace_stack_free(struct trace_stack *stack); /* NULL is fine */
/* A line for each frame. */
void trace_stack_text(const struct trace_stack *stack, struct buf *out);
/* The members "stack" and "stopped". */
void trace_stack_json(const struct trace_stack *stack, struct buf *out);

#endif
