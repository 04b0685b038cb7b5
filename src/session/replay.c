/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event by event through a recording (see replay.h). Symbol tables are opened in the
 * background from a module's first place on, symbols looked up once per (module, offset); in front
 * of that lies a small cache by (address space, pc), because a recording has millions of frames at
 * a few thousand addresses. */
#include "session/replay.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/par.h"
#include "base/progress.h"
#include "base/vec.h"
#include "format/perf_data/perf_data.h"
#include "proc/module.h"
#include "session/capture.h"
#include "unwind/unwind.h"

#define PC_CACHE_SLOTS ((size_t)1 << 15)

/* Where a pc was found last. */
struct pc_slot {
	uint64_t pc;
	uint32_t space; /* struct address_space id, or the kernel's age with the highest bit set */
	uint32_t place; /* + 1, 0 = free */
};

#define RECENT_THREADS 64u

struct recent_thread {
	uint32_t pid, tid;
	struct thread *thread; /* NULL = none */
};

/* Between looks at the clock for the progress display. */
#define PROGRESS_EVENTS 65536

/* A module with places. The copy is what another thread may look at. */
struct named_module {
	struct module module;
	const struct symbol_options *options;
	bool queued; /* opened in the background */
	struct symbolizer *symbolizer;
	size_t unknown; /* places without a name */
};

/* Data of a place. */
struct replay_place {
	struct replay_frame frame;
	bool named; /* frame.symbol is final */
};

struct replay {
	struct sink sink;
	struct progress progress;
	uint64_t events;
	const struct replay_options *options;
	struct symbol_options symbol; /* options->symbol and what the session adds to it */
	struct replay_handler *handler;
	struct capture capture;
	struct unwinder *unwinder;
	struct unwind_cache *cache;
	struct par_queue *opening;
	VEC(struct named_module *) modules; /* by id; NULL = no places yet */
	struct arena symbols;
	struct map known[2];		 /* by caller: key of (module, offset) → place + 1 */
	VEC(struct replay_place) places; /* by replay_frame.place */
	struct recent_thread recent[RECENT_THREADS];
	uint32_t kernel_age; /* counts changes of the kernel's mappings */
	struct pc_slot cache_slot[PC_CACHE_SLOTS];
	struct capture_chain chain;
	uint64_t unwound[UNWIND_MAX_FRAMES];
	struct replay_frame frame[CAPTURE_MAX_CHAIN + UNWIND_MAX_FRAMES];
};

static void open_symbolizer(void *item)
{
	struct named_module *named = item;

	named->symbolizer = symbolizer_open(&named->module, named->options);
}

/* Others than files and the kernel look for more among all modules, which this thread adds to. */
static struct named_module *name_module(struct replay *replay, const struct module *module)
{
	struct named_module *named = arena_new(&replay->symbols, struct named_module);

	*named = (struct named_module){ .module = *module, .options = &replay->symbol };
	named->queued = (module->kind == MODULE_FILE || module->kind == MODULE_KERNEL) &&
			!replay->options->names_on_demand;
	if (named->queued)
		par_queue_push(replay->opening, named);
	return named;
}

static struct named_module *get_module(struct replay *replay, const struct module *module)
{
	size_t id = module->id.v;

	while (replay->modules.count <= id)
		vec_push(&replay->modules, NULL);
	if (!replay->modules.item[id])
		replay->modules.item[id] = name_module(replay, module);
	return replay->modules.item[id];
}

static const struct symbol *look_up(struct replay *replay, const struct replay_frame *frame)
{
	struct named_module *named = get_module(replay, frame->module);
	struct symbol symbol, *kept;
	size_t bytes;

	if (named->queued)
		par_queue_wait(replay->opening, 0);
	else if (!named->symbolizer)
		open_symbolizer(named);
	named->queued = false;
	if (!symbolizer_resolve(named->symbolizer, frame->offset - frame->caller, &symbol) ||
	    !symbol.count) {
		named->unknown++;
		return NULL;
	}
	named->unknown += !symbol.frame[symbol.count - 1].name;
	bytes = offsetof(struct symbol, frame) + symbol.count * sizeof(*symbol.frame);
	kept = arena_alloc(&replay->symbols, bytes);
	memcpy(kept, &symbol, bytes);
	return kept;
}

bool replay_missing(const struct replay *replay, struct buf *ret)
{
	const struct named_module *worst = NULL;

	for (size_t i = 0; i < replay->modules.count; i++) {
		const struct named_module *named = replay->modules.item[i];
		const char *problem;

		if (!named || named->module.kind != MODULE_FILE || !named->unknown ||
		    (worst && named->unknown <= worst->unknown))
			continue;
		problem = symbolizer_problem(named->symbolizer);
		if (problem && !strstr(problem, "stripped"))
			worst = named;
	}
	if (worst)
		(void)buf_printf(ret, "%s: %s", worst->module.path,
				 symbolizer_problem(worst->symbolizer));
	return worst;
}

const struct module_table *replay_modules(const struct replay *replay)
{
	return replay->capture.modules;
}

void replay_name(struct replay *replay, struct replay_frame *frame)
{
	struct replay_place *place = &replay->places.item[frame->place];

	if (!place->named && !replay->options->no_symbols)
		place->frame.symbol = look_up(replay, &place->frame);
	place->named = true;
	frame->symbol = place->frame.symbol;
}

/* An address of a sample. */
struct located {
	uint64_t pc;
	enum capture_mode mode;
	bool caller; /* see capture_is_caller() */
};

/* The place of an address that was not looked up recently. */
static uint32_t find_place(struct replay *replay, const struct address_space *space,
			   const struct located *at)
{
	struct capture_place place;
	struct replay_frame frame;
	uint64_t *known;
	bool added;

	capture_locate(&replay->capture, space, at->pc, at->mode, &place);
	/* module ids are small and offsets below 2^48 but for the kernel's, which are unique */
	known = map_add(&replay->known[at->caller],
			place.offset ^ (uint64_t)place.module->id.v << 48, &added);
	if (!added)
		return (uint32_t)(*known - 1);
	frame = (struct replay_frame){ .offset = place.offset,
				       .module = place.module,
				       .kernel = at->mode == CAPTURE_KERNEL,
				       .caller = at->caller,
				       .place = (uint32_t)replay->places.count };
	vec_push(&replay->places, ((struct replay_place){ .frame = frame }));
	*known = replay->places.count;
	if (!replay->options->late_names)
		replay_name(replay, &frame);
	else if (!replay->options->no_symbols && !replay->options->names_on_demand)
		(void)get_module(replay, place.module);
	return frame.place;
}

static void locate(struct replay *replay, const struct address_space *space,
		   const struct located *at, struct replay_frame *ret)
{
	uint32_t id = at->mode == CAPTURE_KERNEL ? replay->kernel_age : space->id;
	struct pc_slot *slot;

	id |= (uint32_t)at->mode << 30 | (uint32_t)at->caller << 29; /* ids of spaces stay below */
	slot = &replay->cache_slot[hash_u64(at->pc ^ (uint64_t)id << 40) % PC_CACHE_SLOTS];
	if (!slot->place || slot->pc != at->pc || slot->space != id)
		*slot = (struct pc_slot){ at->pc, id, find_place(replay, space, at) + 1 };
	*ret = replay->places.item[slot->place - 1].frame;
	ret->pc = at->pc;
}

/* Appends the user frames found by unwinding. Callers are shown one byte before the return address,
 * as perf shows unwound stacks, and so need no other place to be named by. */
static enum stack_stop add_unwound(struct replay *replay, const struct event *event,
				   const struct address_space *space, size_t *count)
{
	enum capture_mode user_mode = replay->chain.in_kernel ? CAPTURE_USER_IN_KERNEL
							      : CAPTURE_USER;
	const struct event_sample *s = &event->sample;
	struct unwind_input input = { .space = space,
				      .mask = s->user_mask,
				      .regs = s->user_regs,
				      .stack = s->stack,
				      .stack_len = s->stack_len };
	struct unwind_result result = { 0 };

	if (!replay->unwinder) {
		replay->unwinder = unwinder_new(replay->options->symbol.symfs);
		replay->cache = unwind_cache_new();
	}
	unwinder_walk(replay->unwinder, replay->cache, &input, replay->unwound, &result);
	for (size_t i = 0; i < result.count; i++)
		locate(replay, space,
		       &(struct located){ .pc = replay->unwound[i] - capture_is_caller(i),
					  .mode = user_mode },
		       &replay->frame[(*count)++]);
	return result.stop;
}

/* Appends the frames of the recorded chain. */
static void add_recorded(struct replay *replay, const struct address_space *space,
			 enum capture_mode user_mode, size_t *count)
{
	const struct capture_chain *chain = &replay->chain;

	for (size_t i = 0; i < chain->count; i++) {
		bool kernel = i < chain->kernel;
		struct located at = { .pc = chain->pc[i],
				      .mode = kernel ? CAPTURE_KERNEL : user_mode,
				      .caller = capture_is_caller(kernel ? i : i - chain->kernel) };

		if (!kernel && capture_has_calls(chain))
			at.caller = false;
		locate(replay, space, &at, &replay->frame[(*count)++]);
	}
}

/* The thread of a sample: mostly one of those that had samples lately. */
static struct thread *thread_of(struct replay *replay, const struct event *event)
{
	struct recent_thread *recent = &replay->recent[event->tid % RECENT_THREADS];

	if (!recent->thread || recent->tid != event->tid || recent->pid != event->pid)
		*recent = (struct recent_thread){ event->pid, event->tid,
						  proc_table_thread(replay->capture.procs,
								    event->pid, event->tid) };
	return recent->thread;
}

static int replay_sample(struct replay *replay, const struct event *event, struct err *err)
{
	struct thread *thread = thread_of(replay, event);
	const struct address_space *space = thread->process->space;
	enum capture_mode user_mode;
	struct replay_sample sample = { .event = event,
					.thread = thread,
					.frame = replay->frame,
					.has_chain = capture_wants_chain(event),
					.replay = replay };

	if (replay->options->no_frames)
		return replay->handler->sample(replay->handler, &sample, err);
	capture_chain_split(event, &replay->chain);
	user_mode = replay->chain.in_kernel ? CAPTURE_USER_IN_KERNEL : CAPTURE_USER;
	locate(replay, space,
	       &(struct located){ .pc = event->sample.ip,
				  .mode = replay->chain.in_kernel ? CAPTURE_KERNEL : CAPTURE_USER },
	       &sample.ip);
	if (sample.has_chain || capture_has_user_stack(event)) {
		add_recorded(replay, space, user_mode, &sample.count);
		if (replay->chain.count > replay->chain.kernel)
			sample.stop = replay->chain.stop ? replay->chain.stop : STACK_STOP_FP_LOST;
		if (capture_has_user_stack(event))
			sample.stop = add_unwound(replay, event, space, &sample.count);
	}
	if (replay->options->max_stack && sample.count > replay->options->max_stack)
		sample.count = replay->options->max_stack;
	return replay->handler->sample(replay->handler, &sample, err);
}

static void count_events(struct replay *replay, size_t count, uint64_t file_offset)
{
	uint64_t before = replay->events;

	replay->events += count;
	if (before / PROGRESS_EVENTS != replay->events / PROGRESS_EVENTS &&
	    replay->options->progress)
		progress_update(&replay->progress, file_offset);
}

static bool replay_make_digest(struct sink *sink, struct timed_record *item)
{
	struct replay_handler *handler = ((struct replay *)sink)->handler;

	return handler->make_digest(handler, item);
}

static int replay_take_digests(struct sink *sink, struct timed_records *records, struct err *err)
{
	struct replay *replay = (struct replay *)sink;
	int failed = replay->handler->take_digests(replay->handler, replay, records, err);

	count_events(replay, records->count, records->file_offset);
	return failed;
}

struct proc_table *replay_procs(struct replay *replay)
{
	return replay->capture.procs;
}

const struct thread *replay_thread(struct replay *replay, uint32_t pid, uint32_t tid)
{
	return proc_table_thread(replay->capture.procs, pid, tid);
}

static int replay_event(struct sink *sink, const struct event *event, struct err *err)
{
	struct replay *replay = (struct replay *)sink;
	const struct thread *thread;

	count_events(replay, 1, event->file_offset);
	if (event->type == EVENT_SAMPLE)
		return replay_sample(replay, event, err);
	memset(replay->recent, 0, sizeof(replay->recent));
	proc_table_apply(replay->capture.procs, event);
	if (event->type == EVENT_KSYMBOL || event->type == EVENT_BPF ||
	    (event->type == EVENT_MMAP && event->pid == UINT32_MAX))
		replay->kernel_age++;
	if (!replay->handler->other)
		return 0;
	thread = proc_table_thread(replay->capture.procs, event->pid, event->tid);
	return replay->handler->other(replay->handler, event, thread, err);
}

void replay_resolve(const struct replay_sample *sample, uint64_t pc, struct replay_frame *ret)
{
	struct replay *replay = sample->replay;

	/* x86-64 and arm64 keep the kernel in the upper half */
	locate(replay, sample->thread->process->space,
	       &(struct located){ .pc = pc, .mode = pc >> 63 ? CAPTURE_KERNEL : CAPTURE_USER },
	       ret);
	replay_name(replay, ret);
}

int session_replay(struct perf_data *data, const struct replay_options *options,
		   struct replay_handler *handler, struct err *err)
{
	const struct perf_data_header *header = perf_data_header(data);
	struct replay *replay = mem_zalloc(sizeof(*replay));
	int code;

	replay->sink.event = replay_event;
	replay->sink.make_digest = handler->make_digest ? replay_make_digest : NULL;
	replay->sink.take_digests = handler->take_digests ? replay_take_digests : NULL;
	replay->options = options;
	replay->handler = handler;
	capture_open(&replay->capture);
	if (options->endless)
		proc_table_forget_ended(replay->capture.procs);
	replay->symbol = options->symbol;
	replay->symbol.shared = symbol_shared_new();
	replay->symbol.modules = replay->capture.modules;
	capture_take_beside(&replay->capture, data);
	replay->symbol.kept = replay->capture.kept;
	replay->symbol.archived = replay->capture.archived;
	if (!options->no_symbols)
		replay->opening = par_queue_new(open_symbolizer, SIZE_MAX);
	(void)capture_build_ids(&replay->capture, data); /* the callback cannot fail */
	if (options->progress)
		progress_start(&replay->progress, "reading",
			       header->data_offset + header->data_size);
	if (options->background)
		perf_data_in_background(data);
	code = perf_data_read(data, &replay->sink, err);
	progress_finish(&replay->progress);
	if (!code && handler->end)
		code = handler->end(handler, err);
	par_queue_free(replay->opening);
	for (size_t i = 0; i < replay->modules.count; i++)
		if (replay->modules.item[i])
			symbolizer_close(replay->modules.item[i]->symbolizer);
	symbol_shared_free(replay->symbol.shared);
	vec_done(&replay->modules);
	unwind_cache_free(replay->cache);
	unwinder_free(replay->unwinder);
	map_done(&replay->known[0]);
	map_done(&replay->known[1]);
	vec_done(&replay->places);
	arena_done(&replay->symbols);
	capture_close(&replay->capture);
	free(replay);
	return code;
}
