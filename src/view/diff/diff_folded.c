/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded stacks with two columns, "root;…;leaf BEFORE AFTER", as difffolded.pl of FlameGraph
 * writes them, but sorted and without cutting what normalising makes of the first column. */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "profile/diff/diff.h"
#include "view/diff/diff_text.h"

struct folder {
	const struct diff *diff;
	const struct diff_folded_options *options;
	uint32_t *path;
	struct buf line;
};

/* One stack with its weights; equal ones may come more than once when addresses were cut. */
struct folded_stack {
	string_id text;
	double weight[2];
};

typedef VEC(struct folded_stack) stack_list;

/* What would end a frame or a line gives way, as when folding. */
static void put_name(struct folder *f, const char *name)
{
	for (; *name; name++) {
		if (f->options->strip_hex && strncmp(name, "0x", 2) == 0 &&
		    isxdigit((unsigned char)name[2])) {
			(void)buf_puts(&f->line, "0x...");
			name += 2;
			while (isxdigit((unsigned char)name[1]))
				name++;
			continue;
		}
		(void)buf_putc(&f->line, *name == ';' ? ':' : *name);
	}
}

/* The marks of stackcollapse-perf.pl, which readers take off. */
static const char *mark(const struct diff_label *label)
{
	if (label->command)
		return "";
	if (label->inlined)
		return "_[i]";
	return label->kind == FRAME_KERNEL ? "_[k]" : label->kind == FRAME_JIT ? "_[j]" : "";
}

static void put_stack(struct folder *f, uint32_t depth)
{
	buf_clear(&f->line);
	for (uint32_t i = 1; i <= depth; i++) {
		const struct diff_label *label = &f->diff->labels.item[f->path[i]];

		(void)buf_puts(&f->line, i > 1 ? ";" : "");
		put_name(f, strtab_get(f->diff->names, label->name));
		(void)buf_puts(&f->line, mark(label));
	}
}

static void collect(struct folder *f, struct strtab *texts, stack_list *ret)
{
	const struct diff_node *nodes = f->diff->nodes.item;
	struct map seen = { 0 };

	for (uint32_t id = 1; id < f->diff->nodes.count; id++) {
		struct folded_stack stack = { 0 };
		uint64_t *place;
		bool added;

		if (!nodes[id].self.weight[0] && !nodes[id].self.weight[1])
			continue;
		for (uint32_t at = id; at; at = nodes[at].parent)
			f->path[nodes[at].depth] = nodes[at].label;
		put_stack(f, nodes[id].depth);
		stack.text = strtab_intern(texts, f->line.data ? f->line.data : "", f->line.len);
		place = map_add(&seen, stack.text.v, &added);
		if (added) {
			*place = ret->count;
			vec_push(ret, stack);
		}
		for (int side = 0; side < 2; side++)
			ret->item[*place].weight[side] += (double)nodes[id].self.weight[side];
	}
	map_done(&seen);
}

static int compare_stacks(const void *pa, const void *pb, void *context)
{
	const struct folded_stack *a = pa, *b = pb;

	return strcmp(strtab_get(context, a->text), strtab_get(context, b->text));
}

static void put_weight(struct buf *out, double weight)
{
	(void)buf_printf(out, weight == floor(weight) ? " %.0f" : " %.15g", weight);
}

void diff_folded(const struct diff *diff, const struct diff_folded_options *options,
		 struct buf *ret)
{
	struct folder f = { .diff = diff, .options = options };
	struct strtab *texts = strtab_new();
	double before = diff->total[0].sums.weight, after = diff->total[1].sums.weight;
	double factor = options->normalize && before > 0 ? after / before : 1;
	stack_list stacks = { 0 };

	f.path = mem_alloc((diff->max_depth + 1) * sizeof(*f.path));
	collect(&f, texts, &stacks);
	if (stacks.count)
		qsort_r(stacks.item, stacks.count, sizeof(*stacks.item), compare_stacks, texts);
	for (size_t i = 0; i < stacks.count; i++) {
		const struct folded_stack *stack = &stacks.item[i];

		(void)buf_puts(ret, strtab_get(texts, stack->text));
		put_weight(ret, stack->weight[0] / diff->scale * factor);
		put_weight(ret, stack->weight[1] / diff->scale);
		(void)buf_putc(ret, '\n');
	}
	vec_done(&stacks);
	free(f.path);
	buf_done(&f.line);
	strtab_free(texts);
}
