/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Following processes for the unwind tables in the kernel (see table_sync.h). Address spaces are
 * shared like those of forked processes are, until one of them changes its own. Changes are
 * published in batches, by table_sync_tick(), but what is no longer true is withdrawn at once. */
#include "session/unwind/table_sync.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "event/event.h"
#include "proc/address_space.h"
#include "proc/module.h"
#include "session/unwind/address_ranges.h"
#include "session/unwind/table_loader.h"
#include "session/unwind/table_store.h"

#define DEFAULT_CAP ((uint64_t)64 << 20)
#define SECOND_NS   1000000000u
/* Events that wait for the next tick. */
#define MOST_EVENTS 4096u
/* Ticks of a second between checks for processes with an unreported end. */
#define LOST_ENDS 16u

/* An address space, for as long as a process has it. */
struct fed_space {
	struct address_space *space;
	uint32_t refs;	    /* processes */
	uint32_t pool;	    /* its number there, once published */
	uint64_t stack_top; /* 0 = not known */
	uint64_t as_of_ns;  /* of its newest mapping; 0 = was there before */
	bool published;	    /* in some version */
	bool changed;	    /* since */
	uint64_t doubt_ns;  /* since when the process does not seem to have it; 0 = does */
};

struct fed_process {
	uint32_t pid;
	struct fed_space *space; /* NULL = none that is known */
	bool known;		 /* the kernel part has this space */
	bool waiting;		 /* in the list of updates for the kernel part */
	bool exited;
};

/* An event that waits for its turn. */
struct fed_event {
	struct event event; /* but for pointers */
	uint32_t order;	    /* of arrival */
	size_t path;	    /* of MMAP: where it is in `paths` */
};

struct fed_exit {
	uint32_t pid;
	uint64_t time_ns; /* of the first tick after it */
};

struct table_sync {
	struct table_sync_options options;
	struct unwind_pool *pool;
	struct table_store *store;
	struct table_loader *loader;
	struct module_table *modules;
	struct module jit; /* stands for all memory without a file */
	struct map pids;   /* pid → index in processes + 1; 0 = gone */
	VEC(struct fed_process) processes;
	VEC(uint32_t) free_processes;
	VEC(struct fed_event) events;
	struct buf paths;		      /* of the events, NUL-terminated */
	VEC(struct fed_exit) exits;	      /* processes that are freed soon */
	VEC(uint32_t) waiting;		      /* pids */
	VEC(uint32_t) binary_of;	      /* by module id: binary + 1; 0 = not asked */
	VEC(const struct module *) module_of; /* by binary */
	struct map by_build_id;		      /* hash → binary + 1 */
	struct address_ranges ranges;	      /* kept for its memory */
	uint32_t next_space, lost_binaries, ages;
	uint64_t now_ns, aged_ns; /* of the last tick; of the last one that counted use */
};

int table_sync_open(const struct table_sync_options *options, struct table_sync **ret,
		    struct err *err)
{
	struct table_sync *sync = mem_zalloc(sizeof(*sync));
	int code;

	sync->options = *options;
	code = unwind_pool_open(options->in_memory ? NULL : &options->maps,
				options->cap_bytes ? options->cap_bytes : DEFAULT_CAP, &sync->pool,
				err);
	if (code) {
		free(sync);
		return code;
	}
	sync->modules = module_table_new();
	sync->jit = (struct module){ .kind = MODULE_JIT, .path = "//anon", .name = "//anon" };
	if (!options->no_disk_cache)
		sync->store = table_store_open(options->cache_folder, 0);
	code = table_loader_new(sync->pool, sync->store, &sync->loader, err);
	if (code) {
		table_sync_close(sync);
		return code;
	}
	*ret = sync;
	return 0;
}

static void drop_space(struct table_sync *sync, struct fed_space *space)
{
	if (!space || --space->refs)
		return;
	if (space->published)
		unwind_pool_drop_space(sync->pool, space->pool);
	address_space_unref(space->space);
	free(space);
}

void table_sync_close(struct table_sync *sync)
{
	if (!sync)
		return;
	table_loader_free(sync->loader);
	table_store_close(sync->store);
	for (size_t i = 0; i < sync->processes.count; i++)
		drop_space(sync, sync->processes.item[i].space);
	unwind_pool_close(sync->pool);
	module_table_free(sync->modules);
	vec_done(&sync->processes);
	vec_done(&sync->free_processes);
	vec_done(&sync->events);
	buf_done(&sync->paths);
	vec_done(&sync->exits);
	vec_done(&sync->waiting);
	vec_done(&sync->ranges.ranges);
	vec_done(&sync->binary_of);
	vec_done(&sync->module_of);
	map_done(&sync->pids);
	map_done(&sync->by_build_id);
	free(sync);
}

void table_sync_stop(struct table_sync *sync)
{
	table_loader_stop(sync->loader);
}

static struct fed_process *find_process(struct table_sync *sync, uint32_t pid)
{
	uint64_t index;

	return map_get(&sync->pids, pid, &index) && index ? &sync->processes.item[index - 1] : NULL;
}

/* Valid until the next process is added. */
static struct fed_process *get_process(struct table_sync *sync, uint32_t pid)
{
	struct fed_process *process = find_process(sync, pid);
	uint32_t index;

	if (process)
		return process;
	if (sync->free_processes.count) {
		index = sync->free_processes.item[--sync->free_processes.count];
	} else {
		index = (uint32_t)sync->processes.count;
		(void)vec_add(&sync->processes);
	}
	process = &sync->processes.item[index];
	*process = (struct fed_process){ .pid = pid };
	map_set(&sync->pids, pid, index + 1);
	return process;
}

/* The process differs from the kernel part's state. */
static void withdraw(struct table_sync *sync, struct fed_process *process)
{
	if (process->known)
		unwind_pool_drop_process(sync->pool, process->pid);
	process->known = false;
	drop_space(sync, process->space);
	process->space = NULL;
}

/* The kernel part is updated with the next tick. */
static void wait_for_tick(struct table_sync *sync, struct fed_process *process)
{
	if (!process->waiting)
		vec_push(&sync->waiting, process->pid);
	process->waiting = true;
}

static void publish_process(struct table_sync *sync, struct fed_process *process)
{
	process->known = !unwind_pool_set_process(sync->pool, process->pid, process->space->pool);
}

static void apply_fork(struct table_sync *sync, const struct event *event)
{
	struct fed_process *parent, *child;

	if (event->pid == event->task.ppid || event->pid != event->tid)
		return; /* a thread */
	child = get_process(sync, event->pid);
	withdraw(sync, child);
	child->exited = false;
	if (event->misc & PERF_RECORD_MISC_FORK_EXEC)
		return; /* made up from /proc: its own mappings follow */
	parent = find_process(sync, event->task.ppid);
	if (!parent || !parent->space)
		return;
	child->space = parent->space;
	child->space->refs++;
	if (child->space->published)
		publish_process(sync, child);
	else
		wait_for_tick(sync, child);
}

static void apply_exit(struct table_sync *sync, const struct event *event)
{
	struct fed_process *process = find_process(sync, event->pid);

	if (!process || event->pid != event->tid || process->exited)
		return;
	process->exited = true;
	vec_push(&sync->exits, ((struct fed_exit){ .pid = event->pid }));
}

/* A space of the process's own that may be changed. */
static struct fed_space *own_space(struct table_sync *sync, struct fed_process *process)
{
	struct fed_space *space = process->space, *own;

	if (space && space->refs == 1)
		return space;
	own = mem_zalloc(sizeof(*own));
	own->refs = 1;
	own->space = space ? address_space_ref(space->space)
			   : address_space_new(++sync->next_space, process->pid);
	own->stack_top = space ? space->stack_top : 0;
	own->as_of_ns = space ? space->as_of_ns : 0;
	drop_space(sync, space);
	process->space = own;
	process->known = false; /* of this one; the old one holds until then */
	return own;
}

static bool map_of(struct table_sync *sync, const struct event *event, struct mapping *ret)
{
	enum module_kind kind = module_kind_of(event->mmap.path, event->misc);

	*ret = (struct mapping){ .start = event->mmap.start,
				 .end = event->mmap.start + event->mmap.len,
				 .pgoff = event->mmap.pgoff,
				 .module = &sync->jit };
	if (!(event->mmap.prot & PROT_EXEC) || (event->misc & PERF_RECORD_MISC_MMAP_DATA) ||
	    (event->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL ||
	    event->pid == UINT32_MAX || ret->end <= ret->start)
		return false;
	if (kind != MODULE_JIT)
		ret->module =
			module_table_intern(sync->modules, &event->mmap, event->misc, event->pid);
	return true;
}

static void apply_mmap(struct table_sync *sync, const struct event *event)
{
	struct fed_process *process;
	struct fed_space *space;
	struct mapping mapping;

	if (!map_of(sync, event, &mapping))
		return;
	process = get_process(sync, event->pid);
	if (process->space && address_space_is_text_copy(process->space->space, &mapping))
		return;
	space = own_space(sync, process);
	address_space_insert(&space->space, ++sync->next_space, &mapping);
	space->changed = true;
	if (event->has_time)
		space->as_of_ns = event->time_ns;
	wait_for_tick(sync, process);
}

static void apply(struct table_sync *sync, const struct event *event)
{
	switch (event->type) {
	case EVENT_FORK:
		apply_fork(sync, event);
		break;
	case EVENT_EXIT:
		apply_exit(sync, event);
		break;
	case EVENT_COMM:
		withdraw(sync, get_process(sync, event->pid));
		break;
	default:
		apply_mmap(sync, event);
	}
}

static int compare_events(const void *a, const void *b)
{
	const struct fed_event *x = a, *y = b;

	if (x->event.time_ns != y->event.time_ns)
		return x->event.time_ns < y->event.time_ns ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* In time order: each CPU's ring has only its own events. */
static void apply_all(struct table_sync *sync)
{
	if (sync->events.count > 1)
		qsort(sync->events.item, sync->events.count, sizeof(*sync->events.item),
		      compare_events);
	for (size_t i = 0; i < sync->events.count; i++) {
		struct fed_event *fed = &sync->events.item[i];

		if (fed->event.type == EVENT_MMAP)
			fed->event.mmap.path = sync->paths.data + fed->path;
		apply(sync, &fed->event);
	}
	sync->events.count = 0;
	buf_clear(&sync->paths);
}

void table_sync_event(struct table_sync *sync, const struct event *event)
{
	struct fed_event fed = { .event = *event,
				 .order = (uint32_t)sync->events.count,
				 .path = sync->paths.len };

	if (event->type != EVENT_FORK && event->type != EVENT_EXIT && event->type != EVENT_MMAP &&
	    (event->type != EVENT_COMM || !event->comm.exec))
		return;
	if (!event->has_time) {
		apply(sync, event);
		return;
	}
	if (event->type == EVENT_MMAP)
		(void)buf_append(&sync->paths, event->mmap.path, strlen(event->mmap.path) + 1);
	vec_push(&sync->events, fed);
	if (sync->events.count == MOST_EVENTS)
		apply_all(sync);
}

/* The binary of a module; shared by all modules with the same build id. Its table is not requested
 * yet, unless tables are built in advance. */
static bool binary_of(void *context, const struct module *module, uint32_t *ret)
{
	struct table_sync *sync = context;
	uint64_t *same = NULL;
	bool added = true;
	uint32_t *known;

	while (sync->binary_of.count <= module->id.v)
		vec_push(&sync->binary_of, 0);
	known = &sync->binary_of.item[module->id.v];
	if (!*known && module->build_id.len) {
		same = map_add(&sync->by_build_id,
			       hash_bytes(module->build_id.bytes, module->build_id.len), &added);
		*known = (uint32_t)*same;
	}
	if (!*known) {
		if (unwind_pool_add_binary(sync->pool, ret)) {
			sync->lost_binaries++;
			return false;
		}
		vec_push(&sync->module_of, module);
		*known = *ret + 1;
		if (same)
			*same = *known;
		if (sync->options.eager)
			table_loader_ask(sync->loader, *ret, module, 1);
	}
	*ret = *known - 1;
	if (unwind_pool_binary(sync->pool, *ret)->state == UNWIND_BINARY_NONE &&
	    table_loader_was_missing(sync->loader, *ret))
		table_loader_ask(sync->loader, *ret, module, 1);
	return true;
}

enum truth {
	TRUTH_YES,
	TRUTH_LATER, /* the process seems to have another one: the event that explains it is on the
			way */
	TRUTH_NEVER, /* the process has ended */
};

static enum truth truth_of(const struct table_sync *sync, struct fed_space *space, uint32_t pid)
{
	struct space_identity identity;

	if (space->stack_top)
		return TRUTH_YES;
	if (!space_identity_read(pid, &identity))
		return TRUTH_NEVER;
	if (!identity.start_code) /* not for us to see */
		return TRUTH_YES;
	if (address_space_find(space->space, identity.start_code)) {
		space->stack_top = identity.stack_top;
		return TRUTH_YES;
	}
	/* Programs may move their mappings without an event. */
	if (!space->doubt_ns)
		space->doubt_ns = sync->now_ns;
	return sync->now_ns - space->doubt_ns > SECOND_NS ? TRUTH_YES : TRUTH_LATER;
}

/* Without room the kernel part does not get it, and it is counted. */
static void publish_space(struct table_sync *sync, struct fed_space *space)
{
	struct unwind_pool_space given = { .stack_top = space->stack_top,
					   .as_of_ns = space->as_of_ns };

	address_ranges_make(space->space, binary_of, sync, &sync->ranges);
	given.ranges = sync->ranges.ranges.item;
	given.count = sync->ranges.ranges.count;
	given.flags = sync->ranges.flags;
	space->changed = false;
	if (space->published)
		(void)unwind_pool_set_space(sync->pool, space->pool, &given);
	else
		space->published = !unwind_pool_add_space(sync->pool, &given, &space->pool);
}

/* False: to be tried again. */
static bool publish(struct table_sync *sync, uint32_t pid)
{
	struct fed_process *process = find_process(sync, pid);
	enum truth truth = TRUTH_YES;

	if (!process || !process->space)
		return true;
	if (process->space->changed)
		truth = truth_of(sync, process->space, pid);
	if (truth != TRUTH_YES)
		return truth == TRUTH_NEVER;
	if (process->space->changed)
		publish_space(sync, process->space);
	if (!process->known && process->space->published)
		publish_process(sync, process);
	return true;
}

static void publish_all(struct table_sync *sync)
{
	size_t kept = 0;

	for (size_t i = 0; i < sync->waiting.count; i++) {
		uint32_t pid = sync->waiting.item[i];
		struct fed_process *process = find_process(sync, pid);

		if (!publish(sync, pid))
			sync->waiting.item[kept++] = pid;
		else if (process)
			process->waiting = false;
	}
	sync->waiting.count = kept;
}

static void forget(struct table_sync *sync, uint32_t pid)
{
	struct fed_process *process = find_process(sync, pid);

	withdraw(sync, process);
	map_remove(&sync->pids, pid);
	vec_push(&sync->free_processes, (uint32_t)(process - sync->processes.item));
}

/* The leader of a process may end before its other threads; then the process still exists. */
static bool is_gone(uint32_t pid)
{
	return kill((pid_t)pid, 0) && errno == ESRCH;
}

/* An end may arrive before its beginning, or be lost. */
static void find_lost_ends(struct table_sync *sync)
{
	for (size_t i = 0; i < sync->processes.count; i++) {
		struct fed_process *process = &sync->processes.item[i];

		if (process->exited || find_process(sync, process->pid) != process ||
		    !is_gone(process->pid))
			continue;
		process->exited = true;
		vec_push(&sync->exits, ((struct fed_exit){ .pid = process->pid }));
	}
}

/* Processes go a second after their end: samples from before may still be on their way. */
static void forget_exited(struct table_sync *sync, uint64_t now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < sync->exits.count; i++) {
		struct fed_exit ended = sync->exits.item[i];
		const struct fed_process *process = find_process(sync, ended.pid);

		if (!process || !process->exited)
			continue; /* its id was taken by another one */
		if (!ended.time_ns)
			ended.time_ns = now_ns;
		if (now_ns - ended.time_ns < SECOND_NS || !is_gone(ended.pid))
			sync->exits.item[kept++] = ended;
		else
			forget(sync, ended.pid);
	}
	sync->exits.count = kept;
}

void table_sync_tick(struct table_sync *sync, uint64_t now_ns)
{
	sync->now_ns = now_ns;
	apply_all(sync);
	if (sync->waiting.count)
		publish_all(sync);
	for (uint32_t i = 0; i < sync->module_of.count; i++) {
		uint32_t heat = unwind_pool_take_wanted(sync->pool, i);

		if (heat)
			table_loader_ask(sync->loader, i, sync->module_of.item[i], heat);
	}
	if (now_ns - sync->aged_ns < SECOND_NS)
		return;
	sync->aged_ns = now_ns;
	unwind_pool_age(sync->pool);
	if (++sync->ages % LOST_ENDS == 0)
		find_lost_ends(sync);
	forget_exited(sync, now_ns);
}

void table_sync_settle(struct table_sync *sync, uint64_t limit_ns)
{
	apply_all(sync);
	publish_all(sync);
	table_loader_settle(sync->loader, limit_ns);
}

void table_sync_stats(struct table_sync *sync, struct table_sync_stats *ret)
{
	*ret = (struct table_sync_stats){ .binaries = (uint32_t)sync->module_of.count,
					  .lost_binaries = sync->lost_binaries };
	unwind_pool_stats(sync->pool, &ret->pool);
	table_loader_stats(sync->loader, &ret->loader);
}

struct unwind_pool *table_sync_pool(struct table_sync *sync)
{
	return sync->pool;
}
