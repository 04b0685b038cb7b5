/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profile → Firefox Profiler's processed format, version 55, which the profiler upgrades when it
 * opens a file. A thread per event and thread, each with separate tables. Members named "cupel",
 * which it ignores, hold what the format does not support. Format: see firefox_read.c. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "format/format.h"
#include "format/json/json_read.h"
#include "format/json/json_write.h"
#include "format/json/sample_groups.h"
#include "profile/profile.h"

enum category { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL, CATEGORY_JIT };

struct out_frame {
	frame_id frame;
	uint32_t depth;	   /* of inlining: 0 = a real frame */
	uint32_t function; /* index in functions */
};

struct out_stack {
	uint32_t prefix, frame; /* prefix UINT32_MAX = none */
};

struct firefox_writer {
	const struct profile *profile;
	struct buf *out;
	struct sample_groups samples;
	/* Of the thread at hand. */
	struct strtab *strings;
	struct map frame_ids;  /* frame and depth → index in frames */
	struct map func_ids;   /* hash of name, module and file → index in functions */
	struct map stack_ids;  /* stack → index in stacks */
	struct map module_ids; /* module → index in modules */
	VEC(struct out_frame) frames;
	VEC(frame_id) functions; /* a frame of each */
	VEC(struct out_stack) stacks;
	VEC(uint32_t) modules, path;
	VEC(uint32_t) order; /* samples by time, index */
};

static const struct frame *frame_of(const struct firefox_writer *w, size_t i)
{
	return &w->profile->frames.item[w->frames.item[i].frame.v];
}

/* Frames of one function differ in address and line. One without a name is its address. */
static uint32_t intern_function(struct firefox_writer *w, frame_id id)
{
	const struct frame *f = &w->profile->frames.item[id.v];
	uint64_t name = f->function.v ? f->function.v : ~f->offset;
	uint64_t key = hash_u64(name) ^ hash_u64(hash_u64((uint64_t)f->module << 32 | f->file.v));
	bool added;
	uint64_t *place = map_add(&w->func_ids, key, &added);

	if (added) {
		*place = w->functions.count;
		vec_push(&w->functions, id);
	}
	return (uint32_t)*place;
}

static uint32_t intern_frame(struct firefox_writer *w, frame_id frame, uint32_t depth)
{
	bool added;
	uint64_t *place = map_add(&w->frame_ids, (uint64_t)depth << 32 | frame.v, &added);
	uint32_t module = w->profile->frames.item[frame.v].module;

	if (!added)
		return (uint32_t)*place;
	*place = w->frames.count;
	vec_push(&w->frames, ((struct out_frame){ frame, depth, intern_function(w, frame) }));
	if (module) {
		place = map_add(&w->module_ids, module, &added);
		if (added) {
			*place = w->modules.count;
			vec_push(&w->modules, module);
		}
	}
	return (uint32_t)w->frames.count - 1;
}

/* Index in w->stacks of a stack; UINT32_MAX for the empty one. */
static uint32_t intern_stack(struct firefox_writer *w, stack_id stack)
{
	const struct stack_node *nodes = w->profile->nodes.item;
	uint32_t prefix = UINT32_MAX;
	uint64_t found;

	w->path.count = 0;
	for (; stack.v; stack = nodes[stack.v].parent) {
		if (map_get(&w->stack_ids, stack.v, &found)) {
			prefix = (uint32_t)found;
			break;
		}
		vec_push(&w->path, stack.v);
	}
	while (w->path.count) {
		uint32_t id = w->path.item[--w->path.count], depth = 0;
		frame_id frame = nodes[id].frame;

		if (w->profile->frames.item[frame.v].inlined)
			depth = 1 + (prefix == UINT32_MAX
					     ? 0
					     : w->frames.item[w->stacks.item[prefix].frame].depth);
		vec_push(&w->stacks, ((struct out_stack){ prefix, intern_frame(w, frame, depth) }));
		prefix = (uint32_t)w->stacks.count - 1;
		map_set(&w->stack_ids, id, prefix);
	}
	return prefix;
}

static enum category category_of(const struct frame *frame)
{
	return frame->kind == FRAME_KERNEL ? CATEGORY_KERNEL
	       : frame->kind == FRAME_JIT  ? CATEGORY_JIT
					   : CATEGORY_USER;
}

enum column {
	FRAME_ADDRESS,
	FRAME_DEPTH,
	FRAME_CATEGORY,
	FRAME_ZERO,
	FRAME_FUNCTION,
	FRAME_NULL,
	FRAME_LINE,
	FUNCTION_NAME,
	FUNCTION_FALSE,
	FUNCTION_LIB,
	FUNCTION_FILE,
	FUNCTION_NULL,
	STACK_PREFIX,
	STACK_FRAME,
	LIB_INDEX,
	LIB_NAME,
	LIB_NULL,
	LIB_TYPE,
};

static void put_string_index(struct firefox_writer *w, string_id id)
{
	if (id.v)
		(void)buf_put_u64(w->out,
				  strtab_puts(w->strings, profile_string(w->profile, id)).v);
	else
		(void)buf_puts(w->out, "null");
}

/* The name of a frame without a symbol: its address, as in the profiler. */
static void put_frame_name(struct firefox_writer *w, const struct frame *frame)
{
	struct buf name = { 0 };

	if (frame->function.v) {
		put_string_index(w, frame->function);
		return;
	}
	(void)buf_printf(&name, "0x%llx", (unsigned long long)frame->offset);
	(void)buf_put_u64(w->out, strtab_puts(w->strings, name.data).v);
	buf_done(&name);
}

static void put_frame_cell(struct firefox_writer *w, size_t i, enum column column)
{
	const struct frame *frame = frame_of(w, i);

	switch (column) {
	case FRAME_ADDRESS: /* for a return address the byte before, which is in the call */
		if (frame->module && frame->offset <= INT64_MAX)
			(void)buf_put_u64(w->out, frame->offset - (frame->caller && frame->offset));
		else
			(void)buf_puts(w->out, "-1");
		break;
	case FRAME_DEPTH:
		(void)buf_put_u64(w->out, w->frames.item[i].depth);
		break;
	case FRAME_CATEGORY:
		(void)buf_put_u64(w->out, category_of(frame));
		break;
	case FRAME_FUNCTION:
		(void)buf_put_u64(w->out, w->frames.item[i].function);
		break;
	case FRAME_LINE:
		(void)(frame->line ? buf_put_u64(w->out, frame->line) : buf_puts(w->out, "null"));
		break;
	case FRAME_ZERO:
		(void)buf_putc(w->out, '0');
		break;
	default:
		(void)buf_puts(w->out, "null");
	}
}

static void put_function_cell(struct firefox_writer *w, size_t i, enum column column)
{
	const struct frame *frame = &w->profile->frames.item[w->functions.item[i].v];
	uint64_t lib;

	if (column == FUNCTION_NAME)
		put_frame_name(w, frame);
	else if (column == FUNCTION_FALSE)
		(void)buf_puts(w->out, "false");
	else if (column == FUNCTION_FILE)
		put_string_index(w, frame->file);
	else if (column != FUNCTION_LIB)
		(void)buf_puts(w->out, "null");
	else if (map_get(&w->module_ids, frame->module, &lib))
		(void)buf_put_u64(w->out, lib);
	else
		(void)buf_puts(w->out, "-1");
}

static void put_stack_cell(struct firefox_writer *w, size_t i, enum column column)
{
	const struct out_stack *stack = &w->stacks.item[i];

	if (column == STACK_PREFIX && stack->prefix == UINT32_MAX)
		(void)buf_puts(w->out, "null");
	else
		(void)buf_put_u64(w->out, column == STACK_PREFIX ? stack->prefix : stack->frame);
}

static void put_lib_cell(struct firefox_writer *w, size_t i, enum column column)
{
	if (column == LIB_INDEX) /* libs holds all modules but the first, which is unknown */
		(void)buf_put_u64(w->out, w->modules.item[i] - 1);
	else if (column == LIB_NAME)
		put_string_index(w, w->profile->modules.item[w->modules.item[i]].name);
	else if (column == LIB_TYPE)
		(void)buf_putc(w->out, '1');
	else
		(void)buf_puts(w->out, "null");
}

static void put_column(struct firefox_writer *w, const char *name, size_t count, enum column column)
{
	(void)buf_printf(w->out, ",\"%s\":[", name);
	for (size_t i = 0; i < count; i++) {
		if (i)
			(void)buf_putc(w->out, ',');
		if (column < FUNCTION_NAME)
			put_frame_cell(w, i, column);
		else if (column < STACK_PREFIX)
			put_function_cell(w, i, column);
		else if (column < LIB_INDEX)
			put_stack_cell(w, i, column);
		else
			put_lib_cell(w, i, column);
	}
	(void)buf_putc(w->out, ']');
}

struct column_row {
	const char *table, *name; /* table: a new one begins */
	enum column column;
};

static size_t rows_of(const struct firefox_writer *w, enum column column)
{
	return column < FUNCTION_NAME  ? w->frames.count
	       : column < STACK_PREFIX ? w->functions.count
	       : column < LIB_INDEX    ? w->stacks.count
				       : w->modules.count;
}

static void put_tables(struct firefox_writer *w)
{
	static const struct column_row rows[] = {
		{ "frameTable", "address", FRAME_ADDRESS },
		{ NULL, "inlineDepth", FRAME_DEPTH },
		{ NULL, "category", FRAME_CATEGORY },
		{ NULL, "subcategory", FRAME_ZERO },
		{ NULL, "func", FRAME_FUNCTION },
		{ NULL, "nativeSymbol", FRAME_NULL },
		{ NULL, "innerWindowID", FRAME_NULL },
		{ NULL, "line", FRAME_LINE },
		{ NULL, "column", FRAME_NULL },
		{ "funcTable", "name", FUNCTION_NAME },
		{ NULL, "isJS", FUNCTION_FALSE },
		{ NULL, "relevantForJS", FUNCTION_FALSE },
		{ NULL, "resource", FUNCTION_LIB },
		{ NULL, "fileName", FUNCTION_FILE },
		{ NULL, "lineNumber", FUNCTION_NULL },
		{ NULL, "columnNumber", FUNCTION_NULL },
		{ "stackTable", "prefix", STACK_PREFIX },
		{ NULL, "frame", STACK_FRAME },
		{ "resourceTable", "lib", LIB_INDEX },
		{ NULL, "name", LIB_NAME },
		{ NULL, "host", LIB_NULL },
		{ NULL, "type", LIB_TYPE },
	};
	size_t count = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].table) {
			count = rows_of(w, rows[i].column);
			(void)buf_printf(w->out, "%s,\"%s\":{\"length\":%zu", i ? "}" : "",
					 rows[i].table, count);
		}
		put_column(w, rows[i].name, count, rows[i].column);
	}
	(void)buf_putc(w->out, '}');
}

static int compare_times(const void *pa, const void *pb, void *context)
{
	const struct profile *p = context;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	uint64_t ta = p->samples.item[a].time_ns, tb = p->samples.item[b].time_ns;

	return ta != tb ? (ta < tb ? -1 : 1) : (a > b) - (a < b);
}

static void sort_samples(struct firefox_writer *w, const struct sample_group *group)
{
	w->order.count = 0;
	for (uint32_t at = group->first; at; at = w->samples.next[at - 1])
		vec_push(&w->order, at - 1);
	qsort_r(w->order.item, w->order.count, sizeof(uint32_t), compare_times,
		(void *)(uintptr_t)w->profile);
}

/* Without sample times, samples follow each other at one millisecond. */
static void put_times(struct firefox_writer *w)
{
	uint64_t first = w->profile->meta.first_ns;

	(void)buf_puts(w->out, ",\"time\":[");
	for (size_t i = 0; i < w->order.count; i++) {
		uint64_t ns = w->profile->samples.item[w->order.item[i]].time_ns;

		if (i)
			(void)buf_putc(w->out, ',');
		if (w->profile->keep & PROFILE_KEEP_TIME)
			json_put_scaled(ns > first ? ns - first : 0, 1000000, w->out);
		else
			(void)buf_put_u64(w->out, i);
	}
	(void)buf_putc(w->out, ']');
}

static void put_weights(struct firefox_writer *w, const struct profile_event *event)
{
	bool ms = event->unit_type == EVENT_UNIT_NS;
	uint64_t scale = ms ? 1000000 : event->scale ? event->scale : 1;

	(void)buf_printf(w->out, ",\"weightType\":\"%s\",\"weight\":[",
			 ms					? "tracing-ms"
			 : event->unit_type == EVENT_UNIT_BYTES ? "bytes"
								: "samples");
	for (size_t i = 0; i < w->order.count; i++) {
		if (i)
			(void)buf_putc(w->out, ',');
		json_put_scaled(w->profile->samples.item[w->order.item[i]].weight, scale, w->out);
	}
	(void)buf_puts(w->out, "],\"cupel\":{\"event\":");
	(void)buf_put_json(w->out, profile_string(w->profile, event->name));
	(void)buf_puts(w->out, ",\"unit\":");
	(void)buf_put_json(w->out, profile_string(w->profile, event->unit));
	if (event->scale > 1 && !ms)
		(void)buf_printf(w->out, ",\"scale\":%u", event->scale);
	(void)buf_puts(w->out, ",\"counts\":[");
	for (size_t i = 0; i < w->order.count; i++) {
		if (i)
			(void)buf_putc(w->out, ',');
		(void)buf_put_u64(w->out, w->profile->samples.item[w->order.item[i]].count);
	}
	(void)buf_puts(w->out, "]}");
}

static void put_samples(struct firefox_writer *w, const struct sample_group *group)
{
	(void)buf_printf(w->out, ",\"samples\":{\"length\":%zu,\"stack\":[", w->order.count);
	for (size_t i = 0; i < w->order.count; i++) {
		uint32_t stack = intern_stack(w, w->profile->samples.item[w->order.item[i]].stack);

		if (i)
			(void)buf_putc(w->out, ',');
		if (stack == UINT32_MAX)
			(void)buf_puts(w->out, "null");
		else
			(void)buf_put_u64(w->out, stack);
	}
	(void)buf_putc(w->out, ']');
	put_times(w);
	put_weights(w, &w->profile->events.item[group->event]);
	(void)buf_putc(w->out, '}');
}

static void put_thread_head(struct firefox_writer *w, const struct sample_group *group)
{
	const struct profile_thread *thread = &w->profile->threads.item[group->thread.v];
	const char *comm = profile_string(w->profile, thread->comm);
	struct buf name = { 0 };

	(void)buf_puts(&name, *comm ? comm : "all");
	if (w->profile->events.count > 1)
		(void)buf_printf(
			&name, " (%s)",
			profile_string(w->profile, w->profile->events.item[group->event].name));
	(void)buf_puts(w->out, "{\"name\":");
	(void)buf_put_json(w->out, name.data);
	(void)buf_puts(w->out, ",\"processName\":");
	(void)buf_put_json(w->out, *comm ? comm : "all");
	buf_done(&name);
	if (thread->pid != PROFILE_NO_ID)
		(void)buf_printf(w->out, ",\"pid\":\"%u\"", thread->pid);
	else
		(void)buf_puts(w->out, ",\"pid\":\"?\"");
	if (thread->tid != PROFILE_NO_ID)
		(void)buf_printf(w->out, ",\"tid\":%u", thread->tid);
	(void)buf_printf(w->out, ",\"isMainThread\":%s",
			 thread->pid == thread->tid ? "true" : "false");
	(void)buf_puts(w->out, ",\"cupel_comm\":");
	(void)buf_put_json(w->out, comm);
	(void)buf_puts(w->out,
		       ",\"processType\":\"default\",\"processStartupTime\":0,"
		       "\"processShutdownTime\":null,\"registerTime\":0,\"unregisterTime\":null,"
		       "\"pausedRanges\":[],\"markers\":{\"length\":0,\"category\":[],\"data\":[],"
		       "\"endTime\":[],\"name\":[],\"phase\":[],\"startTime\":[]},"
		       "\"nativeSymbols\":{\"length\":0,\"address\":[],\"libIndex\":[],\"name\":[],"
		       "\"functionSize\":[]}");
}

static void put_thread(struct firefox_writer *w, const struct sample_group *group)
{
	w->strings = strtab_new();
	w->frames.count = w->functions.count = w->stacks.count = w->modules.count = 0;
	sort_samples(w, group);
	put_thread_head(w, group);
	put_samples(w, group);
	put_tables(w);
	(void)buf_puts(w->out, ",\"stringArray\":[");
	for (uint32_t i = 0; i < strtab_count(w->strings); i++) {
		if (i)
			(void)buf_putc(w->out, ',');
		(void)buf_put_json(w->out, strtab_get(w->strings, (string_id){ i }));
	}
	(void)buf_puts(w->out, "]}");
	strtab_free(w->strings);
	map_done(&w->frame_ids);
	map_done(&w->func_ids);
	map_done(&w->stack_ids);
	map_done(&w->module_ids);
}

static void put_libs(struct firefox_writer *w)
{
	for (size_t i = 1; i < w->profile->modules.count; i++) {
		const struct profile_module *m = &w->profile->modules.item[i];

		(void)buf_puts(w->out, i > 1 ? ",\n{\"name\":" : "\n{\"name\":");
		(void)buf_put_json(w->out, profile_string(w->profile, m->name));
		(void)buf_puts(w->out, ",\"path\":");
		(void)buf_put_json(w->out, profile_string(w->profile, m->path));
		(void)buf_puts(w->out, ",\"debugName\":");
		(void)buf_put_json(w->out, profile_string(w->profile, m->name));
		(void)buf_puts(w->out, ",\"debugPath\":");
		(void)buf_put_json(w->out, profile_string(w->profile, m->path));
		(void)buf_printf(w->out, ",\"breakpadId\":\"\",\"codeId\":%s%s%s,\"arch\":null}",
				 m->build_id[0] ? "\"" : "", m->build_id[0] ? m->build_id : "null",
				 m->build_id[0] ? "\"" : "");
	}
}

static void put_meta(struct firefox_writer *w)
{
	const char *command = profile_string(w->profile, w->profile->meta.command);
	const char *host = profile_string(w->profile, w->profile->meta.hostname);

	(void)buf_puts(w->out,
		       "{\"meta\":{\"categories\":["
		       "{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
		       "{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
		       "{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]},"
		       "{\"name\":\"JIT\",\"color\":\"green\",\"subcategories\":[\"Other\"]}],"
		       "\"debug\":false,\"extensions\":{\"baseURL\":[],\"id\":[],\"length\":0,"
		       "\"name\":[]},\"interval\":1,\"preprocessedProfileVersion\":55,"
		       "\"processType\":0,\"product\":");
	(void)buf_put_json(w->out, *command ? command : "cupel");
	(void)buf_puts(w->out, ",\"oscpu\":");
	(void)buf_put_json(w->out, host);
	(void)buf_puts(w->out, ",\"sampleUnits\":{\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\","
			       "\"time\":\"ms\"},\"startTime\":0,\"symbolicated\":true,"
			       "\"pausedRanges\":[],\"version\":24,\"stackwalk\":1,"
			       "\"importedFrom\":\"cupel\",\"markerSchema\":[]},\"libs\":[");
	put_libs(w);
	(void)buf_puts(w->out,
		       "],\"pages\":[],\"profilerOverhead\":[],\"counters\":[],\"threads\":[");
}

static int firefox_write(const struct profile *profile, const struct format_write_options *options,
			 struct buf *ret, struct err *err)
{
	struct firefox_writer w = { .profile = profile, .out = ret };

	(void)options; /* names stay as they are */
	(void)err;     /* the caller checks the buffer's limit */
	sample_groups_make(profile, &w.samples);
	put_meta(&w);
	for (size_t i = 0; i < w.samples.groups.count; i++) {
		(void)buf_puts(ret, i ? ",\n" : "\n");
		put_thread(&w, &w.samples.groups.item[i]);
	}
	(void)buf_puts(ret, "]}\n");
	sample_groups_done(&w.samples);
	vec_done(&w.frames);
	vec_done(&w.functions);
	vec_done(&w.stacks);
	vec_done(&w.modules);
	vec_done(&w.path);
	vec_done(&w.order);
	return 0;
}

const struct format_ops format_firefox = {
	.name = "firefox",
	.suffix = ".firefox.json",
	.help = "Firefox Profiler's processed format",
	.is_json = firefox_is_json,
	.read_json = firefox_read,
	.write = firefox_write,
	.places = true,
	.keep = PROFILE_KEEP_TIME,
};
