/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `cupel report --stacks` (see report_stacks.h). The outermost frame of a stack that is not whole
 * is where its walk came to: that frame's binary is what breaks it. */
#include "view/report/report_stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "profile/profile.h"

/* Places named for each binary and reason. */
#define MAX_PLACES 4

struct place {
	frame_id frame;
	uint64_t samples;
};

/* Stacks that end in one binary for one reason. */
struct broken {
	uint16_t event;
	uint32_t module;
	enum stack_stop stop;
	bool throwing; /* the unwinder of C++ was at work */
	uint64_t samples;
	VEC(struct place) places;
};

struct stacks {
	const struct profile *profile;
	uint32_t *root; /* by node: the outermost frame, of those in a module if there are any */
	bool *throwing; /* by node: a function of the C++ unwinder is in the stack */
	VEC(struct broken) broken;
	struct map groups; /* (event, module, stop, throwing) → index + 1 */
	struct map places; /* (group, what is shown of a frame) → index + 1 */
};

enum module_sort {
	SORT_FILE,
	SORT_MISSING, /* a file that was not there when the profile was loaded */
	SORT_JIT,
	SORT_UNKNOWN,
};

static enum module_sort sort_of(const struct profile *profile, uint32_t module)
{
	const char *path = profile_string(profile, profile->modules.item[module].path);

	if (module == 0 || !*path || strcmp(path, "[unknown]") == 0)
		return SORT_UNKNOWN;
	if (strncmp(path, "/tmp/perf-", 10) == 0 || strncmp(path, "//anon", 6) == 0)
		return SORT_JIT;
	if (*profile_string(profile, profile->modules.item[module].problem))
		return SORT_MISSING;
	return SORT_FILE;
}

static const char *advice_on_fp(const struct profile *profile, enum module_sort sort)
{
	if (sort == SORT_JIT)
		return "generated code without frame pointers: start java with "
		       "-XX:+PreserveFramePointer, node with --interpreted-frames-native-stack, "
		       "luajit with -joff, which is slower";
	if (sort == SORT_FILE && profile->meta.walks.walked)
		return "built without frame pointers, which 32-bit code and events without BPF "
		       "need: build with -fno-omit-frame-pointer";
	if (sort == SORT_UNKNOWN)
		return "the chain of frame pointers leaves all code: record with --call-graph auto "
		       "or dwarf, which do not need it";
	return stack_stop_advice(STACK_STOP_FP_LOST);
}

static const char *advice_on_table(const struct profile *profile, enum module_sort sort)
{
	if (sort == SORT_MISSING)
		return "the file and its unwind table could not be read: keep the file, or name "
		       "its folder with --symfs";
	if (profile->meta.walks.handed_up_refused)
		return "the unwind table was not built in time for so many samples: record again, "
		       "as built tables are cached, or at a lower frequency";
	return stack_stop_advice(STACK_STOP_NO_TABLE);
}

static bool is_luajit(const struct profile *profile, uint32_t module)
{
	const char *path = profile_string(profile, profile->modules.item[module].path);
	const char *slash = strrchr(path, '/');

	return strstr(slash ? slash + 1 : path, "luajit") != NULL;
}

/* How to get complete stacks. */
static const char *advice_on(const struct profile *profile, const struct broken *broken)
{
	enum module_sort sort = sort_of(profile, broken->module);

	if (broken->throwing)
		return "no fix: an exception was on its way to its handler: for a few instructions "
		       "the stack belongs to neither function, and no table describes it";
	if (broken->stop == STACK_STOP_NO_TABLE)
		return advice_on_table(profile, sort);
	if (broken->stop == STACK_STOP_FP_LOST)
		return advice_on_fp(profile, sort);
	if (broken->stop == STACK_STOP_READ_FAULT && profile->meta.walks.walked)
		return "stack memory was not readable at that time: its pages were swapped out, "
		       "the "
		       "stack was copied before the table was built and goes on beyond the copy, "
		       "or "
		       "it was another stack (Go): record again; no fix where Lisp's own stack "
		       "begins";
	if (broken->stop == STACK_STOP_NO_MAPPING && is_luajit(profile, broken->module))
		return "no fix: LuaJIT's unwind table has one row for its whole interpreter, which "
		       "is wrong inside the helpers that it calls (%, math.floor)";
	if (broken->stop == STACK_STOP_BEYOND_COPY && profile->meta.walks.walked)
		return "the stack was copied, as the kernel had no unwind table at that time: "
		       "record "
		       "again, tables are kept";
	return stack_stop_advice(broken->stop);
}

static bool leads_nowhere(const struct profile *profile, uint32_t frame)
{
	return sort_of(profile, profile->frames.item[frame].module) == SORT_UNKNOWN;
}

/* _Unwind_RaiseException, _Unwind_Resume and the like put the frame of the handler into the place
 * of their own; while they do so there is no caller to find. */
static bool is_unwinder(const struct profile *profile, frame_id frame)
{
	const char *name = profile_string(profile, profile->frames.item[frame.v].function);

	return strncmp(name, "_Unwind_", 8) == 0;
}

static void find_roots(struct stacks *stacks)
{
	const struct profile *profile = stacks->profile;

	stacks->root = mem_zalloc(profile->nodes.count * sizeof(*stacks->root));
	stacks->throwing = mem_zalloc(profile->nodes.count * sizeof(*stacks->throwing));
	for (size_t i = 1; i < profile->nodes.count; i++) {
		const struct stack_node *node = &profile->nodes.item[i];
		uint32_t outer = stacks->root[node->parent.v];

		if (node->depth == 1 || (leads_nowhere(profile, outer) &&
					 profile->frames.item[node->frame.v].kind == FRAME_USER))
			outer = node->frame.v;
		stacks->root[i] = outer;
		stacks->throwing[i] = stacks->throwing[node->parent.v] ||
				      is_unwinder(profile, node->frame);
	}
}

static struct broken *broken_of(struct stacks *stacks, const struct profile_sample *sample,
				uint32_t module, uint32_t *index)
{
	bool throwing = stacks->throwing[sample->stack.v];
	uint64_t key = (uint64_t)sample->event << 41 | (uint64_t)module << 9 |
		       (uint64_t)throwing << 8 | sample->stop;
	uint64_t *place;
	bool added;

	place = map_add(&stacks->groups, key, &added);
	if (added) {
		vec_push(&stacks->broken, ((struct broken){ .event = sample->event,
							    .module = module,
							    .stop = sample->stop,
							    .throwing = throwing }));
		*place = stacks->broken.count;
	}
	*index = (uint32_t)*place;
	return &stacks->broken.item[*place - 1];
}

/* Frames of one function differ in their lines, and in whether they called. */
static uint64_t shown_of(const struct profile *profile, uint32_t id)
{
	const struct frame *frame = &profile->frames.item[id];

	return *profile_string(profile, frame->function) ? hash_u64(frame->function.v)
							 : frame->offset;
}

static void add_sample(struct stacks *stacks, const struct profile_sample *sample)
{
	const struct profile *profile = stacks->profile;
	uint32_t frame = stacks->root[sample->stack.v], index;
	struct broken *broken;
	uint64_t *place;
	bool added;

	if (!sample->stack.v || sample->stop <= STACK_STOP_ROOT)
		return;
	broken = broken_of(stacks, sample, profile->frames.item[frame].module, &index);
	broken->samples += sample->count;
	place = map_add(&stacks->places, hash_u64(shown_of(profile, frame)) ^ index, &added);
	if (added) {
		vec_push(&broken->places, ((struct place){ .frame = { frame } }));
		*place = broken->places.count;
	}
	broken->places.item[*place - 1].samples += sample->count;
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return (x->frame.v > y->frame.v) - (x->frame.v < y->frame.v);
}

static int compare_broken(const void *a, const void *b)
{
	const struct broken *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->throwing != y->throwing)
		return x->throwing ? 1 : -1;
	return (x->stop > y->stop) - (x->stop < y->stop);
}

static void collect(const struct profile *profile, struct stacks *ret)
{
	*ret = (struct stacks){ .profile = profile };
	find_roots(ret);
	for (size_t i = 0; i < profile->samples.count; i++)
		add_sample(ret, &profile->samples.item[i]);
	for (size_t i = 0; i < ret->broken.count; i++)
		qsort(ret->broken.item[i].places.item, ret->broken.item[i].places.count,
		      sizeof(struct place), compare_places);
	if (ret->broken.count)
		qsort(ret->broken.item, ret->broken.count, sizeof(*ret->broken.item),
		      compare_broken);
}

static void collect_done(struct stacks *stacks)
{
	for (size_t i = 0; i < stacks->broken.count; i++)
		vec_done(&stacks->broken.item[i].places);
	vec_done(&stacks->broken);
	map_done(&stacks->groups);
	map_done(&stacks->places);
	free(stacks->root);
	free(stacks->throwing);
}

static uint64_t with_user(const struct profile_event *event)
{
	uint64_t count = 0;

	for (int i = STACK_STOP_ROOT; i < STACK_STOP_COUNT; i++)
		count += event->stop[i];
	return count;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static void put_place(const struct profile *profile, frame_id id, struct buf *out)
{
	const struct frame *frame = &profile->frames.item[id.v];

	if (*profile_string(profile, frame->function))
		(void)buf_put_tidy(out, profile_string(profile, frame->function));
	else
		(void)buf_printf(out, "0x%" PRIx64, frame->offset);
}

static void put_places(const struct profile *profile, const struct broken *broken, struct buf *out)
{
	size_t count = broken->places.count;

	for (size_t i = 0; i < count && i < MAX_PLACES; i++) {
		const struct place *place = &broken->places.item[i];

		(void)buf_puts(out, i ? ", " : "in ");
		put_place(profile, place->frame, out);
		(void)buf_printf(out, " (%" PRIu64 ")", place->samples);
	}
	if (count > MAX_PLACES)
		(void)buf_printf(out, " and %zu more", count - MAX_PLACES);
}

static void put_broken(const struct profile *profile, const struct broken *broken, uint64_t total,
		       struct buf *out)
{
	static const char margin[] = "\n                      ";

	(void)buf_printf(out, "%12" PRIu64 " %7.2f%% ", broken->samples,
			 percent(broken->samples, total));
	(void)buf_put_tidy(out,
			   profile_string(profile, profile->modules.item[broken->module].name));
	(void)buf_printf(out, ": %s (%s)%s", stack_stop_text(broken->stop),
			 stack_stop_name(broken->stop), margin);
	put_places(profile, broken, out);
	(void)buf_printf(out, "%s%s\n", margin, advice_on(profile, broken));
}

static void put_event(const struct stacks *stacks, uint16_t index, struct buf *out)
{
	const struct profile *profile = stacks->profile;
	const struct profile_event *event = &profile->events.item[index];
	uint64_t total = with_user(event), complete = event->stop[STACK_STOP_ROOT];

	(void)buf_puts(out, "# Stacks of event '");
	(void)buf_put_tidy(out, profile_string(profile, event->name));
	if (!total) {
		(void)buf_puts(out, "': the input has no information about where they end\n");
		return;
	}
	(void)buf_printf(out,
			 "': %" PRIu64 " with a user part, %" PRIu64 " complete (%.2f%%), %" PRIu64
			 " not\n",
			 total, complete, percent(complete, total), total - complete);
	if (total == complete)
		return;
	(void)buf_puts(out, "#\n#   Samples    Share Binary, reason, function, advice\n#\n");
	for (size_t i = 0; i < stacks->broken.count; i++)
		if (stacks->broken.item[i].event == index)
			put_broken(profile, &stacks->broken.item[i], total, out);
}

void report_stacks_text(const struct profile *profile, struct buf *ret)
{
	struct stacks stacks;

	collect(profile, &stacks);
	for (size_t i = 0; i < profile->events.count; i++) {
		(void)buf_puts(ret, i ? "\n" : "");
		put_event(&stacks, (uint16_t)i, ret);
	}
	collect_done(&stacks);
}

static void put_member(struct buf *out, const char *name, const char *value)
{
	(void)buf_printf(out, "\"%s\":", name);
	(void)buf_put_json(out, value);
}

static void put_places_json(const struct profile *profile, const struct broken *broken,
			    struct buf *out)
{
	(void)buf_puts(out, ",\"places\":[");
	for (size_t i = 0; i < broken->places.count; i++) {
		const struct place *place = &broken->places.item[i];
		const struct frame *frame = &profile->frames.item[place->frame.v];

		(void)buf_puts(out, i ? ",{" : "{");
		put_member(out, "symbol", profile_string(profile, frame->function));
		(void)buf_printf(out, ",\"offset\":%" PRIu64 ",\"samples\":%" PRIu64 "}",
				 frame->offset, place->samples);
	}
	(void)buf_puts(out, "]}");
}

static void put_broken_json(const struct profile *profile, const struct broken *broken,
			    struct buf *out)
{
	const struct profile_module *module = &profile->modules.item[broken->module];

	(void)buf_putc(out, '{');
	put_member(out, "module", profile_string(profile, module->path));
	(void)buf_putc(out, ',');
	put_member(out, "build_id", module->build_id);
	(void)buf_putc(out, ',');
	put_member(out, "reason", stack_stop_name(broken->stop));
	(void)buf_printf(out, ",\"samples\":%" PRIu64 ",", broken->samples);
	put_member(out, "advice", advice_on(profile, broken));
	put_places_json(profile, broken, out);
}

static void put_event_json(const struct stacks *stacks, uint16_t index, struct buf *out)
{
	const struct profile *profile = stacks->profile;
	const struct profile_event *event = &profile->events.item[index];
	const char *between = "\n";

	(void)buf_putc(out, '{');
	put_member(out, "name", profile_string(profile, event->name));
	(void)buf_printf(out, ",\"total\":%" PRIu64 ",\"complete\":%" PRIu64 ",\"broken\":[",
			 with_user(event), event->stop[STACK_STOP_ROOT]);
	for (size_t i = 0; i < stacks->broken.count; i++) {
		if (stacks->broken.item[i].event != index)
			continue;
		(void)buf_puts(out, between);
		put_broken_json(profile, &stacks->broken.item[i], out);
		between = ",\n";
	}
	(void)buf_puts(out, "]}");
}

void report_stacks_json(const struct profile *profile, struct buf *ret)
{
	struct stacks stacks;

	collect(profile, &stacks);
	(void)buf_puts(ret, "{\"cupel\":1,\"stacks\":[");
	for (size_t i = 0; i < profile->events.count; i++) {
		(void)buf_puts(ret, i ? "," : "");
		put_event_json(&stacks, (uint16_t)i, ret);
	}
	(void)buf_puts(ret, "]}\n");
	collect_done(&stacks);
}
