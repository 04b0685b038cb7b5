/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Advice on reading flame graphs (see flame_advice.h). */
#include "view/flame/flame_advice.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "profile/nameless.h"
#include "profile/profile.h"
#include "profile/sample_weight.h"
#include "profile/share_interval.h"
#include "view/flame/flame_options.h"
#include "view/flame/flame_tree.h"

static void put_width(const struct profile *profile, const struct flame_tree *tree,
		      const struct flame_graph_options *o, struct buf *ret)
{
	static const char *const widths[EVENT_KIND_COUNT] = {
		[EVENT_KIND_CPU_TIME] = "CPU time",
		[EVENT_KIND_OFF_CPU] = "time off the CPU, waiting",
		[EVENT_KIND_WAKEUP] = "the time that woken threads had waited",
		[EVENT_KIND_WAIT_CHAIN] = "time off the CPU, waiting",
		[EVENT_KIND_WALL_TIME] = "wall-clock time of all threads",
	};
	const struct profile_event *event = &profile->events.item[tree->main_event];
	const char *name = profile_string(profile, event->name);

	if (tree->other)
		(void)buf_puts(ret, "of the second profile");
	else if (widths[event->kind])
		(void)buf_puts(ret, widths[event->kind]);
	else if (event->unit_type == EVENT_UNIT_NS)
		(void)buf_printf(ret, "time (%s)", name);
	else if (event->unit_type == EVENT_UNIT_BYTES)
		(void)buf_printf(ret, "bytes (%s)", name);
	else if (o->countname)
		(void)buf_puts(ret, o->countname);
	else if (!profile_event_is_counted(event))
		(void)buf_puts(ret, "weight, in units that the input does not name (--countname)");
	else
		(void)buf_printf(ret, "the number of %s", *name ? name : "samples");
}

void flame_advice_hint(const struct profile *profile, const struct flame_tree *tree,
		       const struct flame_graph_options *o, struct buf *ret)
{
	(void)buf_puts(ret, o->flamechart ? "From left to right is the order of time; width is "
					  : "Width is ");
	put_width(profile, tree, o, ret);
	if (tree->other)
		(void)buf_puts(ret, ", red grew, blue shrank: look first at the widest red frames");
	else if (o->states)
		(void)buf_puts(ret, ": look first at the widest waits and who ended them");
	else if (o->reverse)
		(void)buf_puts(ret, ": look first at the widest functions next to the root");
	else
		(void)buf_puts(ret, ": look first at the widest frames with nothing beyond them");
	(void)buf_puts(ret, o->no_javascript ? "." : "; click a frame to zoom.");
}

static void put_stop(const struct profile *profile, const struct flame_tree *tree, struct buf *ret)
{
	uint64_t stops[STACK_STOP_COUNT] = { 0 };
	int most = STACK_STOP_NONE;

	for (size_t i = 0; i < profile->events.count; i++)
		for (int stop = 0; tree->events[i] && stop < STACK_STOP_COUNT; stop++)
			if (stop != STACK_STOP_ROOT && stop != STACK_STOP_NONE)
				stops[stop] += profile->events.item[i].stop[stop];
	for (int stop = 0; stop < STACK_STOP_COUNT; stop++)
		most = stops[stop] > stops[most] ? stop : most;
	if (stops[most])
		(void)buf_printf(ret, "incomplete stacks: mostly %s; %s\n",
				 stack_stop_text((enum stack_stop)most),
				 stack_stop_advice((enum stack_stop)most));
}

/* The label without a symbol that is in most of the picture. */
static const struct flame_label *find_nameless(const struct flame_tree *tree)
{
	uint64_t *sum = mem_zalloc(tree->labels.count * sizeof(*sum));
	uint32_t most = 0;

	for (size_t i = 0; i < tree->nodes.count; i++) {
		uint32_t label = tree->nodes.item[i].label;

		if (tree->labels.item[label].kind == FLAME_UNKNOWN)
			sum[label] += tree->nodes.item[i].total;
	}
	for (uint32_t i = 0; i < tree->labels.count; i++)
		most = sum[i] > sum[most] ? i : most;
	free(sum);
	return most ? &tree->labels.item[most] : NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void put_nameless(const struct profile *profile, const struct flame_tree *tree,
			 struct buf *ret)
{
	const struct flame_label *label = find_nameless(tree);
	struct nameless known;
	const char *module;

	if (!label)
		return;
	module = strtab_get(tree->names, label->module);
	(void)buf_puts(ret, "frames without a symbol: ");
	if (nameless_find(profile, &known)) {
		(void)buf_printf(ret, "mostly in %s; %s\n", base_name(known.path), known.advice);
		return;
	}
	if (strncmp(module, "[kernel", 7) == 0)
		(void)buf_puts(ret, "record as root, or with sysctl kernel.kptr_restrict=0\n");
	else if (!*module || *module == '[' || strncmp(module, "//anon", 6) == 0)
		(void)buf_puts(ret,
			       "mostly outside all files; have the runtime write a perf map\n");
	else
		(void)buf_printf(ret,
				 "mostly in %s; install its debug package (-dbgsym) or add "
				 "--debuginfod\n",
				 base_name(module));
}

void flame_advice_remedies(const struct profile *profile, const struct flame_tree *tree,
			   struct buf *ret)
{
	const struct profile_meta *meta = &profile->meta;
	double effective = share_effective_of(profile, tree->events);

	if (effective > 0 && effective < SHARE_FEW_SAMPLES)
		(void)buf_puts(ret, "few samples: record longer, or at a higher rate (-F)\n");
	if (meta->lost_samples || meta->lost_events)
		(void)buf_puts(ret, "losses: record with a larger buffer (-m) or a lower rate "
				    "(-F)\n");
	if (meta->throttled)
		(void)buf_puts(ret, "throttling: lower the rate (-F), or raise sysctl "
				    "kernel.perf_cpu_time_max_percent\n");
	put_stop(profile, tree, ret);
	put_nameless(profile, tree, ret);
	if (meta->truncated_bytes)
		(void)buf_puts(ret, "missing bytes: the recorder was killed or the copy is not "
				    "whole; copy or record again\n");
	if (meta->unknown_records)
		(void)buf_puts(ret, "unrecognized lines: cupel convert --list names the formats "
				    "that can be read\n");
	if (meta->unfinished.count)
		(void)buf_puts(ret, "the last stack: copy the text whole; an empty line ends a "
				    "stack\n");
}
