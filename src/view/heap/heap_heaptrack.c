/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks as heaptrack's lines (see heap_export.h; the lines are listed in
 * format/text/heaptrack_read.c). Whatever a line refers to is defined by a line before it. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "profile/heap/heap.h"
#include "profile/profile.h"
#include "view/heap/heap_export.h"
#include "view/heap/heap_view.h"

#define VERSION	  "v 10400 3\n"
#define NS_PER_MS 1000000

struct writer {
	const struct profile *profile;
	struct buf *out;
	struct map strings, frames, kinds; /* to their numbers */
	uint64_t *stack;		   /* by node: its number, 0 = none yet */
	uint64_t stack_count;
};

/* A block begins or ends. */
struct change {
	uint64_t time_ns, kind;
	bool ends;
};

static uint64_t string_number(struct writer *w, string_id id)
{
	const char *text = strtab_get(w->profile->strings, id);
	uint64_t *number;
	bool added;

	if (!text[0])
		return 0;
	number = map_add(&w->strings, id.v, &added);
	if (added) {
		*number = w->strings.count;
		(void)buf_printf(w->out, "s %zx ", strlen(text));
		(void)buf_put_tidy(w->out, text);
		(void)buf_putc(w->out, '\n');
	}
	return *number;
}

static uint64_t frame_number(struct writer *w, frame_id id)
{
	const struct frame *frame = &w->profile->frames.item[id.v];
	uint64_t module, function, file, *number;
	bool added;

	number = map_add(&w->frames, id.v, &added);
	if (!added)
		return *number;
	*number = w->frames.count;
	module = string_number(w, w->profile->modules.item[frame->module].path);
	function = string_number(w, frame->function);
	file = string_number(w, frame->file);
	(void)buf_printf(w->out, "i %" PRIx64 " %" PRIx64,
			 frame->pc	 ? frame->pc
			 : frame->offset ? frame->offset
					 : 0x1000 + *number,
			 module);
	if (function)
		(void)buf_printf(w->out, " %" PRIx64, function);
	if (function && file)
		(void)buf_printf(w->out, " %" PRIx64 " %x", file, frame->line);
	(void)buf_putc(w->out, '\n');
	return *number;
}

/* A parent's node is before its children's. */
static uint64_t stack_number(struct writer *w, stack_id stack)
{
	VEC(stack_id) path = { 0 };
	uint64_t parent;

	while (stack.v && !w->stack[stack.v]) {
		vec_push(&path, stack);
		stack = w->profile->nodes.item[stack.v].parent;
	}
	parent = stack.v ? w->stack[stack.v] : 0;
	while (path.count) {
		stack = path.item[--path.count];
		uint64_t frame = frame_number(w, w->profile->nodes.item[stack.v].frame);

		(void)buf_printf(w->out, "t %" PRIx64 " %" PRIx64 "\n", frame, parent);
		parent = w->stack[stack.v] = ++w->stack_count;
	}
	vec_done(&path);
	return parent;
}

static uint64_t kind_number(struct writer *w, const struct heap_life *life)
{
	uint64_t size = (uint64_t)llround(life->size * life->blocks);
	uint64_t stack = stack_number(w, life->stack), *number;
	bool added;

	number = map_add(&w->kinds, hash_u64(size) ^ stack, &added);
	if (added) {
		*number = w->kinds.count - 1;
		(void)buf_printf(w->out, "a %" PRIx64 " %" PRIx64 "\n", size, stack);
	}
	return *number;
}

static int by_time(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->ends != y->ends ? x->ends - y->ends : 0;
}

static void put_changes(struct writer *w, const struct heap_lives *lives)
{
	struct change *change = mem_zalloc((2 * lives->life.count + 1) * sizeof(*change));
	uint64_t first_ns, ms = 0;
	size_t count = 0;

	for (size_t i = 0; i < lives->life.count; i++) {
		const struct heap_life *life = &lives->life.item[i];
		uint64_t kind = kind_number(w, life);

		change[count++] = (struct change){ life->begin_ns, kind, false };
		if (life->end_ns)
			change[count++] = (struct change){ life->end_ns, kind, true };
	}
	qsort(change, count, sizeof(*change), by_time);
	first_ns = count ? change[0].time_ns : 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t now = (change[i].time_ns - first_ns) / NS_PER_MS;

		if (now != ms)
			(void)buf_printf(w->out, "c %" PRIx64 "\n", now);
		ms = now;
		(void)buf_printf(w->out, "%c %" PRIx64 "\n", change[i].ends ? '-' : '+',
				 change[i].kind);
	}
	free(change);
}

void heap_heaptrack(const struct heap_view *view, struct buf *out)
{
	struct writer w = { .profile = view->profile, .out = out };

	w.stack = mem_zalloc(view->profile->nodes.count * sizeof(*w.stack));
	(void)buf_puts(out, VERSION "X");
	for (size_t i = 0; i < view->word_count; i++) {
		(void)buf_putc(out, ' ');
		(void)buf_put_tidy(out, view->words[i]);
	}
	(void)buf_puts(out, "\nI 1000 0\n");
	put_changes(&w, &view->summary->lives);
	map_done(&w.strings);
	map_done(&w.frames);
	map_done(&w.kinds);
	free(w.stack);
}
