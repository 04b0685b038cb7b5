/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Following processes for the unwind tables in the kernel (see unwind_feed.h). Address spaces are
 * shared like those of forked processes are, until one of them changes its own. Changes are
 * published in batches, by unwind_feed_tick(), but what is no longer true is withdrawn at once. */
#include "session/unwind/unwind_feed.h"

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
#include "proc/module.h"
#include "proc/space.h"
#include "session/unwind/space_ranges.h"
#include "session/unwind/table_loader.h"
#include "session/unwind/table_store.h"

#define DEFAULT_CAP ((uint64_t)64 << 20)
#define SECOND_NS   1000000000u
/* Events that wait for the next tick. */
#define MOST_EVENTS 4096u
/* Ticks of a second between looks for processes whose end nobody told. */
#define LOST_ENDS 16u

/* An address space, for as long as a process has it. */
struct fed_space {
	struct space *space;
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
	bool known;		 /* the kernel half has been told of this space */
	bool waiting;		 /* in the list of those to be told of */
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

struct unwind_feed {
	struct unwind_feed_options options;
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
	VEC(struct fed_exit) exits;	      /* processes that are let go of soon */
	VEC(uint32_t) waiting;		      /* pids */
	VEC(uint32_t) binary_of;	      /* by module id: binary + 1; 0 = not asked */
	VEC(const struct module *) module_of; /* by binary */
	struct map by_build_id;		      /* hash → binary + 1 */
	struct space_ranges ranges;	      /* kept for its memory */
	uint32_t next_space, lost_binaries, ages;
	uint64_t now_ns, aged_ns; /* of the last tick; of the last one that counted use */
};

int unwind_feed_open(const struct unwind_feed_options *options, struct unwind_feed **ret,
		     struct err *err)
{
	struct unwind_feed *feed = mem_zalloc(sizeof(*feed));
	int code;

	feed->options = *options;
	code = unwind_pool_open(options->in_memory ? NULL : &options->maps,
				options->cap_bytes ? options->cap_bytes : DEFAULT_CAP, &feed->pool,
				err);
	if (code) {
		free(feed);
		return code;
	}
	feed->modules = module_table_new();
	feed->jit = (struct module){ .kind = MODULE_JIT, .path = "//anon", .name = "//anon" };
	if (!options->no_disk_cache)
		feed->store = table_store_open(options->cache_folder, 0);
	feed->loader = table_loader_new(feed->pool, feed->store);
	*ret = feed;
	return 0;
}

static void drop_space(struct unwind_feed *feed, struct fed_space *space)
{
	if (!space || --space->refs)
		return;
	if (space->published)
		unwind_pool_drop_space(feed->pool, space->pool);
	space_unref(space->space);
	free(space);
}

void unwind_feed_close(struct unwind_feed *feed)
{
	if (!feed)
		return;
	table_loader_free(feed->loader);
	table_store_close(feed->store);
	for (size_t i = 0; i < feed->processes.count; i++)
		drop_space(feed, feed->processes.item[i].space);
	unwind_pool_close(feed->pool);
	module_table_free(feed->modules);
	vec_done(&feed->processes);
	vec_done(&feed->free_processes);
	vec_done(&feed->events);
	buf_done(&feed->paths);
	vec_done(&feed->exits);
	vec_done(&feed->waiting);
	vec_done(&feed->ranges.ranges);
	vec_done(&feed->binary_of);
	vec_done(&feed->module_of);
	map_done(&feed->pids);
	map_done(&feed->by_build_id);
	free(feed);
}

static struct fed_process *find_process(struct unwind_feed *feed, uint32_t pid)
{
	uint64_t index;

	return map_get(&feed->pids, pid, &index) && index ? &feed->processes.item[index - 1] : NULL;
}

/* Valid until the next process is added. */
static struct fed_process *get_process(struct unwind_feed *feed, uint32_t pid)
{
	struct fed_process *process = find_process(feed, pid);
	uint32_t index;

	if (process)
		return process;
	if (feed->free_processes.count) {
		index = feed->free_processes.item[--feed->free_processes.count];
	} else {
		index = (uint32_t)feed->processes.count;
		(void)vec_add(&feed->processes);
	}
	process = &feed->processes.item[index];
	*process = (struct fed_process){ .pid = pid };
	map_set(&feed->pids, pid, index + 1);
	return process;
}

/* The process is no longer what the kernel half was told. */
static void withdraw(struct unwind_feed *feed, struct fed_process *process)
{
	if (process->known)
		unwind_pool_drop_process(feed->pool, process->pid);
	process->known = false;
	drop_space(feed, process->space);
	process->space = NULL;
}

/* The kernel half is told with the next tick. */
static void wait_for_tick(struct unwind_feed *feed, struct fed_process *process)
{
	if (!process->waiting)
		vec_push(&feed->waiting, process->pid);
	process->waiting = true;
}

static void tell_process(struct unwind_feed *feed, struct fed_process *process)
{
	process->known = !unwind_pool_set_process(feed->pool, process->pid, process->space->pool);
}

static void apply_fork(struct unwind_feed *feed, const struct event *event)
{
	struct fed_process *parent, *child;

	if (event->pid == event->task.ppid || event->pid != event->tid)
		return; /* a thread */
	child = get_process(feed, event->pid);
	withdraw(feed, child);
	child->exited = false;
	if (event->misc & PERF_RECORD_MISC_FORK_EXEC)
		return; /* made up from /proc: its own mappings follow */
	parent = find_process(feed, event->task.ppid);
	if (!parent || !parent->space)
		return;
	child->space = parent->space;
	child->space->refs++;
	if (child->space->published)
		tell_process(feed, child);
	else
		wait_for_tick(feed, child);
}

static void apply_exit(struct unwind_feed *feed, const struct event *event)
{
	struct fed_process *process = find_process(feed, event->pid);

	if (!process || event->pid != event->tid || process->exited)
		return;
	process->exited = true;
	vec_push(&feed->exits, ((struct fed_exit){ .pid = event->pid }));
}

/* A space of the process's own that may be changed. */
static struct fed_space *own_space(struct unwind_feed *feed, struct fed_process *process)
{
	struct fed_space *space = process->space, *own;

	if (space && space->refs == 1)
		return space;
	own = mem_zalloc(sizeof(*own));
	own->refs = 1;
	own->space = space ? space_ref(space->space) : space_new(++feed->next_space, process->pid);
	own->stack_top = space ? space->stack_top : 0;
	own->as_of_ns = space ? space->as_of_ns : 0;
	drop_space(feed, space);
	process->space = own;
	process->known = false; /* of this one; the old one holds until then */
	return own;
}

static bool map_of(struct unwind_feed *feed, const struct event *event, struct mapping *ret)
{
	enum module_kind kind = module_kind_of(event->mmap.path, event->misc);

	*ret = (struct mapping){ .start = event->mmap.start,
				 .end = event->mmap.start + event->mmap.len,
				 .pgoff = event->mmap.pgoff,
				 .module = &feed->jit };
	if (!(event->mmap.prot & PROT_EXEC) || (event->misc & PERF_RECORD_MISC_MMAP_DATA) ||
	    (event->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL ||
	    event->pid == UINT32_MAX || ret->end <= ret->start)
		return false;
	if (kind != MODULE_JIT)
		ret->module =
			module_table_intern(feed->modules, &event->mmap, event->misc, event->pid);
	return true;
}

static void apply_mmap(struct unwind_feed *feed, const struct event *event)
{
	struct fed_process *process;
	struct fed_space *space;
	struct mapping mapping;

	if (!map_of(feed, event, &mapping))
		return;
	process = get_process(feed, event->pid);
	if (process->space && space_is_text_copy(process->space->space, &mapping))
		return;
	space = own_space(feed, process);
	space_insert(&space->space, ++feed->next_space, &mapping);
	space->changed = true;
	if (event->has_time)
		space->as_of_ns = event->time_ns;
	wait_for_tick(feed, process);
}

static void apply(struct unwind_feed *feed, const struct event *event)
{
	switch (event->type) {
	case EVENT_FORK:
		apply_fork(feed, event);
		break;
	case EVENT_EXIT:
		apply_exit(feed, event);
		break;
	case EVENT_COMM:
		withdraw(feed, get_process(feed, event->pid));
		break;
	default:
		apply_mmap(feed, event);
	}
}

static int compare_events(const void *a, const void *b)
{
	const struct fed_event *x = a, *y = b;

	if (x->event.time_ns != y->event.time_ns)
		return x->event.time_ns < y->event.time_ns ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* In the order in which they happened: each CPU's ring tells of its own only. */
static void apply_all(struct unwind_feed *feed)
{
	if (feed->events.count > 1)
		qsort(feed->events.item, feed->events.count, sizeof(*feed->events.item),
		      compare_events);
	for (size_t i = 0; i < feed->events.count; i++) {
		struct fed_event *fed = &feed->events.item[i];

		if (fed->event.type == EVENT_MMAP)
			fed->event.mmap.path = feed->paths.data + fed->path;
		apply(feed, &fed->event);
	}
	feed->events.count = 0;
	buf_clear(&feed->paths);
}

void unwind_feed_event(struct unwind_feed *feed, const struct event *event)
{
	struct fed_event fed = { .event = *event,
				 .order = (uint32_t)feed->events.count,
				 .path = feed->paths.len };

	if (event->type != EVENT_FORK && event->type != EVENT_EXIT && event->type != EVENT_MMAP &&
	    (event->type != EVENT_COMM || !event->comm.exec))
		return;
	if (!event->has_time) {
		apply(feed, event);
		return;
	}
	if (event->type == EVENT_MMAP)
		(void)buf_append(&feed->paths, event->mmap.path, strlen(event->mmap.path) + 1);
	vec_push(&feed->events, fed);
	if (feed->events.count == MOST_EVENTS)
		apply_all(feed);
}

/* The binary of a module; one for all modules with the same build id. Nobody asks for its table
 * yet, unless tables are wanted beforehand. */
static bool binary_of(void *context, const struct module *module, uint32_t *ret)
{
	struct unwind_feed *feed = context;
	uint64_t *same = NULL;
	bool added = true;
	uint32_t *known;

	while (feed->binary_of.count <= module->id.v)
		vec_push(&feed->binary_of, 0);
	known = &feed->binary_of.item[module->id.v];
	if (!*known && module->build_id.len) {
		same = map_add(&feed->by_build_id,
			       hash_bytes(module->build_id.bytes, module->build_id.len), &added);
		*known = (uint32_t)*same;
	}
	if (!*known) {
		if (unwind_pool_add_binary(feed->pool, ret)) {
			feed->lost_binaries++;
			return false;
		}
		vec_push(&feed->module_of, module);
		*known = *ret + 1;
		if (same)
			*same = *known;
		if (feed->options.eager)
			table_loader_ask(feed->loader, *ret, module, 1);
	}
	*ret = *known - 1;
	if (unwind_pool_binary(feed->pool, *ret)->state == UNWIND_BINARY_NONE &&
	    table_loader_was_missing(feed->loader, *ret))
		table_loader_ask(feed->loader, *ret, module, 1);
	return true;
}

enum truth {
	TRUTH_YES,
	TRUTH_LATER, /* the process seems to have another one: the event that explains it is on the
			way */
	TRUTH_NEVER, /* the process has ended */
};

static enum truth truth_of(const struct unwind_feed *feed, struct fed_space *space, uint32_t pid)
{
	struct space_identity identity;

	if (space->stack_top)
		return TRUTH_YES;
	if (!space_identity_read(pid, &identity))
		return TRUTH_NEVER;
	if (!identity.start_code) /* not for us to see */
		return TRUTH_YES;
	if (space_find(space->space, identity.start_code)) {
		space->stack_top = identity.stack_top;
		return TRUTH_YES;
	}
	/* Programs may tell the kernel that their code is elsewhere: no event is coming. */
	if (!space->doubt_ns)
		space->doubt_ns = feed->now_ns;
	return feed->now_ns - space->doubt_ns > SECOND_NS ? TRUTH_YES : TRUTH_LATER;
}

/* When it finds no place the kernel half knows nothing of it, and it is counted. */
static void tell_space(struct unwind_feed *feed, struct fed_space *space)
{
	struct unwind_pool_space told = { .stack_top = space->stack_top,
					  .as_of_ns = space->as_of_ns };

	space_ranges_make(space->space, binary_of, feed, &feed->ranges);
	told.ranges = feed->ranges.ranges.item;
	told.count = feed->ranges.ranges.count;
	told.flags = feed->ranges.flags;
	space->changed = false;
	if (space->published)
		(void)unwind_pool_set_space(feed->pool, space->pool, &told);
	else
		space->published = !unwind_pool_add_space(feed->pool, &told, &space->pool);
}

/* False: to be tried again. */
static bool tell(struct unwind_feed *feed, uint32_t pid)
{
	struct fed_process *process = find_process(feed, pid);
	enum truth truth = TRUTH_YES;

	if (!process || !process->space)
		return true;
	if (process->space->changed)
		truth = truth_of(feed, process->space, pid);
	if (truth != TRUTH_YES)
		return truth == TRUTH_NEVER;
	if (process->space->changed)
		tell_space(feed, process->space);
	if (!process->known && process->space->published)
		tell_process(feed, process);
	return true;
}

static void tell_all(struct unwind_feed *feed)
{
	size_t kept = 0;

	for (size_t i = 0; i < feed->waiting.count; i++) {
		uint32_t pid = feed->waiting.item[i];
		struct fed_process *process = find_process(feed, pid);

		if (!tell(feed, pid))
			feed->waiting.item[kept++] = pid;
		else if (process)
			process->waiting = false;
	}
	feed->waiting.count = kept;
}

static void forget(struct unwind_feed *feed, uint32_t pid)
{
	struct fed_process *process = find_process(feed, pid);

	withdraw(feed, process);
	map_set(&feed->pids, pid, 0);
	vec_push(&feed->free_processes, (uint32_t)(process - feed->processes.item));
}

/* The leader of a process may end before its other threads; then there is still somebody to kill.
 */
static bool is_gone(uint32_t pid)
{
	return kill((pid_t)pid, 0) && errno == ESRCH;
}

/* An end may be told before its beginning, or be lost. */
static void find_lost_ends(struct unwind_feed *feed)
{
	for (size_t i = 0; i < feed->processes.count; i++) {
		struct fed_process *process = &feed->processes.item[i];

		if (process->exited || find_process(feed, process->pid) != process ||
		    !is_gone(process->pid))
			continue;
		process->exited = true;
		vec_push(&feed->exits, ((struct fed_exit){ .pid = process->pid }));
	}
}

/* Processes go a second after their end: samples from before may still be on their way. */
static void forget_exited(struct unwind_feed *feed, uint64_t now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < feed->exits.count; i++) {
		struct fed_exit ended = feed->exits.item[i];
		const struct fed_process *process = find_process(feed, ended.pid);

		if (!process || !process->exited)
			continue; /* its id was taken by another one */
		if (!ended.time_ns)
			ended.time_ns = now_ns;
		if (now_ns - ended.time_ns < SECOND_NS || !is_gone(ended.pid))
			feed->exits.item[kept++] = ended;
		else
			forget(feed, ended.pid);
	}
	feed->exits.count = kept;
}

void unwind_feed_tick(struct unwind_feed *feed, uint64_t now_ns)
{
	feed->now_ns = now_ns;
	apply_all(feed);
	if (feed->waiting.count)
		tell_all(feed);
	for (uint32_t i = 0; i < feed->module_of.count; i++) {
		uint32_t heat = unwind_pool_take_wanted(feed->pool, i);

		if (heat)
			table_loader_ask(feed->loader, i, feed->module_of.item[i], heat);
	}
	if (now_ns - feed->aged_ns < SECOND_NS)
		return;
	feed->aged_ns = now_ns;
	unwind_pool_age(feed->pool);
	if (++feed->ages % LOST_ENDS == 0)
		find_lost_ends(feed);
	forget_exited(feed, now_ns);
}

void unwind_feed_settle(struct unwind_feed *feed)
{
	apply_all(feed);
	tell_all(feed);
	table_loader_settle(feed->loader);
}

void unwind_feed_stats(struct unwind_feed *feed, struct unwind_feed_stats *ret)
{
	*ret = (struct unwind_feed_stats){ .binaries = (uint32_t)feed->module_of.count,
					   .lost_binaries = feed->lost_binaries };
	unwind_pool_stats(feed->pool, &ret->pool);
	table_loader_stats(feed->loader, &ret->loader);
}

struct unwind_pool *unwind_feed_pool(struct unwind_feed *feed)
{
	return feed->pool;
}
