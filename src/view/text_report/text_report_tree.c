/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call tree as text (see answer.h):
 *
 *     total    self
 *    100.0%    0.0%  dd
 *     97.1%    0.3%  └─ main
 *      1.2%          └─ (3 smaller)
 *
 * Branches below the limit are gathered in one line, so rows always add up. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "view/text_report/text_report.h"

#define DEFAULT_LIMIT 0.5

struct tree_printer {
	const struct call_tree *tree;
	const struct text_report_names *names;
	const struct text_report_options *options;
	struct buf *out;
	struct buf prefix; /* lines of the branches that go on */
	double all;
	uint64_t least; /* weight of a branch that is shown */
};

const char *text_report_frame_name(const struct profile *profile, const struct frame *frame)
{
	if (frame->function.v)
		return profile_string(profile, frame->function);
	return frame->module ? profile_string(profile, profile->modules.item[frame->module].name)
			     : "[unknown]";
}

static uint32_t root_label(void *context, thread_id thread)
{
	const struct text_report_names *n = context;
	string_id comm = n->profile->threads.item[thread.v].comm;

	return comm.v ? strtab_puts(n->names, profile_string(n->profile, comm)).v : CALL_NO_LABEL;
}

static uint32_t label(void *context, frame_id id, uint32_t root)
{
	const struct text_report_names *n = context;
	const struct frame *frame = &n->profile->frames.item[id.v];
	struct buf name = { 0 };

	(void)root;
	if (n->label[id.v] != CALL_NO_LABEL)
		return n->label[id.v];
	(void)buf_puts(&name, text_report_frame_name(n->profile, frame));
	if (!frame->function.v && frame->module)
		(void)buf_puts(&name, " (no symbols)");
	if (frame->kind == FRAME_KERNEL)
		(void)buf_puts(&name, " [k]");
	if (frame->inlined)
		(void)buf_puts(&name, " (inlined)");
	n->label[id.v] = strtab_intern(n->names, name.data, name.len).v;
	buf_done(&name);
	return n->label[id.v];
}

static int by_weight(const struct call_node *a, const struct call_node *b, void *context)
{
	const struct text_report_names *n = context;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return strcmp(strtab_get(n->names, (string_id){ a->label }),
		      strtab_get(n->names, (string_id){ b->label }));
}

int text_report_tree_build(const struct profile *profile, const char *event,
			   struct text_report_names *ret, struct err *err)
{
	struct call_tree_options options = { .root_label = root_label,
					     .label = label,
					     .context = ret };
	AUTO_FREE bool *events = mem_zalloc(profile->events.count + 1);

	if (!profile_pick_events(profile, event, events))
		return event ? err_set(err, -ENOENT, "no event '%s'", event)
			     : err_set(err, -ENODATA, "no samples");
	*ret = (struct text_report_names){ .profile = profile, .names = strtab_new() };
	ret->label = mem_alloc((profile->frames.count + 1) * sizeof(*ret->label));
	memset(ret->label, 0xff, profile->frames.count * sizeof(*ret->label));
	options.events = events;
	call_tree_build(profile, &options, &ret->tree);
	call_tree_sort(&ret->tree, by_weight, ret);
	ret->picked = take_pointer(&events);
	return 0;
}

void text_report_names_done(struct text_report_names *names)
{
	call_tree_done(&names->tree);
	strtab_free(names->names);
	free(names->label);
	free(names->picked);
}

static void put_branch(struct tree_printer *p, bool top, bool last)
{
	const char *shape = p->options->ascii ? (last ? "`- " : "|- ") : (last ? "└─ " : "├─ ");

	if (p->prefix.len)
		(void)buf_append(p->out, p->prefix.data, p->prefix.len);
	if (!top)
		(void)buf_puts(p->out, shape);
}

/* The branches of a node that are too small, in one line. */
static void put_smaller(struct tree_printer *p, uint32_t first, bool top)
{
	uint64_t sum = 0;
	size_t count = 0;

	for (uint32_t id = first; id; id = p->tree->nodes.item[id].next_sibling) {
		sum += p->tree->nodes.item[id].total;
		count++;
	}
	(void)buf_printf(p->out, "%6.2f%%         ", (double)sum / p->all * 100);
	put_branch(p, top, true);
	(void)buf_printf(p->out, "(%zu smaller)\n", count);
}

static void put_node(struct tree_printer *p, uint32_t id, bool top, bool last)
{
	const struct call_node *node = &p->tree->nodes.item[id];

	(void)buf_printf(p->out, "%6.2f%% %6.2f%% ", (double)node->total / p->all * 100,
			 (double)node->self / p->all * 100);
	put_branch(p, top, last);
	(void)buf_puts(p->out, strtab_get(p->names->names, (string_id){ node->label }));
	(void)buf_putc(p->out, '\n');
}

/* A node in the process of printing its children. */
struct open_node {
	uint32_t next; /* child */
	size_t prefix; /* length for the children */
};

/* Prints one child; returns the node with the next children, 0: none. */
static uint32_t put_child(struct tree_printer *p, struct open_node *open, bool top)
{
	const struct call_node *nodes = p->tree->nodes.item;
	uint32_t id = open->next;
	bool last = !nodes[id].next_sibling;

	p->prefix.len = open->prefix;
	if (nodes[id].total < p->least && (!last || nodes[id].total == 0)) {
		put_smaller(p, id, top);
		open->next = 0;
		return 0;
	}
	put_node(p, id, top, last);
	open->next = nodes[id].next_sibling;
	if (!top)
		(void)buf_puts(&p->prefix, last ? "   " : p->options->ascii ? "|  " : "│  ");
	return nodes[id].first_child ? id : 0;
}

static void put_tree(struct tree_printer *p)
{
	VEC(struct open_node) open = { 0 };

	vec_push(&open, ((struct open_node){ p->tree->nodes.item[0].first_child, 0 }));
	while (open.count) {
		struct open_node *node = vec_last(&open);
		uint32_t child;

		if (!node->next) {
			open.count--;
			continue;
		}
		child = put_child(p, node, open.count == 1);
		if (child)
			vec_push(&open, ((struct open_node){ p->tree->nodes.item[child].first_child,
							     p->prefix.len }));
	}
	vec_done(&open);
	buf_done(&p->prefix);
}

int text_report_tree(const struct profile *profile, const struct text_report_options *options,
		     struct buf *ret, struct err *err)
{
	double limit = options->percent_limit > 0 ? options->percent_limit : DEFAULT_LIMIT;
	struct tree_printer p = { .options = options, .out = ret };
	struct text_report_names names;
	int r = text_report_tree_build(profile, options->event, &names, err);

	if (r)
		return r;
	p.tree = &names.tree;
	p.names = &names;
	p.all = (double)names.tree.nodes.item[0].total;
	if (p.all < 1)
		p.all = 1;
	p.least = (uint64_t)(p.all * limit / 100);
	for (size_t i = 0; i < profile->events.count; i++)
		if (names.picked[i])
			(void)buf_printf(ret, "# %s: %llu samples\n",
					 profile_string(profile, profile->events.item[i].name),
					 (unsigned long long)profile->events.item[i].samples);
	(void)buf_puts(ret, "#  total    self\n");
	put_tree(&p);
	text_report_names_done(&names);
	return 0;
}
