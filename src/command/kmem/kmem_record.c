/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel kmem record: the kernel's allocations into perf.data, as perf kmem record does. */
#include "base/err.h"
#include "command/command.h"
#include "command/record/record_options.h"
#include "session/record/recording_options.h"
#include "source/event_spec/tracepoint.h"

extern const struct command cmd_record;

struct kmem_record {
	struct recording_options recording; /* first: cmd_record runs with it */
	bool page, slab;
};

static const struct option_def kmem_record_rows[] = {
	{ "page", 0, OPT_FLAG, NULL, OPT(kmem_record, page), "allocations of pages" },
	{ "slab", 0, OPT_FLAG, NULL, OPT(kmem_record, slab),
	  "allocations of small objects (the default)" },
	{ .type = OPT_INCLUDE, .include = record_option_rows },
	{ .type = OPT_INCLUDE, .include = record_output_rows },
	{ .type = OPT_END },
};

static const char *const events[] = { "kmem:kmalloc", "kmem:kmem_cache_alloc", "kmem:kfree",
				      "kmem:kmem_cache_free" };
static const char *const page_events[] = { "kmem:mm_page_alloc", "kmem:mm_page_free" };
/* Of kernels before 6.1. */
static const char *const node_events[] = { "kmem:kmalloc_node", "kmem:kmem_cache_alloc_node" };

static void add(struct recording_options *o, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		vec_push(&o->source.selector, ((struct record_selector){ .text = names[i] }));
}

static bool has_node_events(void)
{
	struct arena arena = { 0 };
	struct err ignored = { 0 };
	const char *tracefs;
	uint64_t id;
	bool ret = !tracefs_find("", &arena, &tracefs, &ignored) &&
		   !tracepoint_id(tracefs, "kmem", "kmalloc_node", &id, &ignored);

	arena_done(&arena);
	return ret;
}

static void kmem_record_defaults(void *options)
{
	struct recording_options *o = &((struct kmem_record *)options)->recording;

	o->source.system_wide = true;
	o->source.raw = true;
	o->source.period = 1;
	o->source.call_graph.mode = RECORDING_CALL_GRAPH_NONE;
}

static int kmem_record_run(void *options, int argc, char **argv, struct err *err)
{
	const struct kmem_record *asked = options;
	struct recording_options *o = &((struct kmem_record *)options)->recording;
	const bool slab = asked->slab || !asked->page;

	if (asked->page)
		add(o, page_events, sizeof(page_events) / sizeof(page_events[0]));
	if (slab)
		add(o, events, sizeof(events) / sizeof(events[0]));
	if (o->source.pids || o->source.tids || o->source.user)
		o->source.system_wide = false; /* what was asked for, not the default */
	if (slab && has_node_events())
		add(o, node_events, sizeof(node_events) / sizeof(node_events[0]));
	return cmd_record.run(o, argc, argv, err);
}

static void kmem_record_done(void *options)
{
	recording_options_done(&((struct kmem_record *)options)->recording);
}

const struct command cmd_kmem_record = {
	.name = "kmem record",
	.args = "[options] [-- program arguments]",
	.summary = "record allocations of the kernel",
	.options = kmem_record_rows,
	.options_size = sizeof(struct kmem_record),
	.defaults = kmem_record_defaults,
	.run = kmem_record_run,
	.done = kmem_record_done,
	.takes_program = true,
};
