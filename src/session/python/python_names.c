/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Following Python processes (see python_names.h). */
#include "session/python/python_names.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "event/desc.h"
#include "event/event.h"
#include "event/perf_record.h"
#include "proc/module.h"
#include "session/python/python_finder.h"
#include "session/python/python_target.h"
#include "symbol/python/python_binary.h"
#include "symbol/python/python_place.h"

/* A module that was looked into. */
struct looked {
	bool done, found;
	uint64_t pgoff;
	struct python_found python;
};

struct python_names {
	const struct event_set *events;
	int map_fd;
	struct python_finder finder;
	struct module_table *modules;
	VEC(struct looked) looked; /* by module id */
	VEC(struct python_target *) targets;
	struct map by_pid; /* → index + 1 */
	struct python_places places;
	uint32_t file;	      /* from 1 */
	uint32_t cut, unread; /* places of frames that are not there */
	struct python_names_stats stats;
	_Atomic uint64_t due_ns;
};

/* A process that runs new code is likely to run more of it soon. */
#define DUE_LEAST_NS 20000000u
#define DUE_MOST_NS  1000000000u

struct python_names *python_names_new(const struct event_set *events, int map_fd,
				      const struct python_finder *finder)
{
	struct python_names *names = mem_zalloc(sizeof(*names));

	names->events = events;
	names->map_fd = map_fd;
	names->finder = *finder;
	names->modules = module_table_new();
	names->file = 1;
	names->unread = python_places_add(&names->places, "[unread]", "");
	names->cut = python_places_add(&names->places, "[truncated]", "");
	return names;
}

void python_names_free(struct python_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->targets.count; i++)
		python_target_free(names->targets.item[i]);
	vec_done(&names->targets);
	vec_done(&names->looked);
	map_done(&names->by_pid);
	python_places_done(&names->places);
	module_table_free(names->modules);
	free(names);
}

static struct python_target **place_of(struct python_names *names, uint32_t pid)
{
	uint64_t index;

	return map_get(&names->by_pid, pid, &index) && index ? &names->targets.item[index - 1]
							     : NULL;
}

static struct python_target *find_target(struct python_names *names, uint32_t pid)
{
	struct python_target **place = place_of(names, pid);

	return place ? *place : NULL;
}

/* Owns the target; NULL = the process has no runtime now. */
static void set_target(struct python_names *names, uint32_t pid, struct python_target *target)
{
	struct python_target **place = place_of(names, pid);

	if (!place && !target)
		return;
	if (!place) {
		vec_push(&names->targets, NULL);
		map_set(&names->by_pid, pid, names->targets.count);
		place = vec_last(&names->targets);
	}
	python_target_free(*place);
	*place = target;
	/* Without room in the map, or with the process's place gone already, stacks lack Python's
	 * frames, which is what they are without any of this. */
	if (!target)
		(void)bpf_map_delete_elem(names->map_fd, &pid);
	else if (bpf_map_update_elem(names->map_fd, &pid, &target->kernel, BPF_ANY))
		names->stats.refused++;
	else
		names->stats.processes++;
}

/* Programs map the code of a runtime once; a mapping of another part is looked into again. */
static const struct looked *look_into(struct python_names *names, const struct module *module,
				      uint64_t pgoff)
{
	struct looked *looked;

	while (names->looked.count <= module->id.v)
		vec_push(&names->looked, (struct looked){ 0 });
	looked = &names->looked.item[module->id.v];
	if (looked->done && (!looked->found || looked->pgoff == pgoff))
		return looked;
	looked->done = true;
	looked->pgoff = pgoff;
	switch (names->finder.find(names->finder.context, module, pgoff, &looked->python)) {
	case 0:
		looked->found = true;
		break;
	case -ENOTSUP:
		names->stats.refused++;
		break;
	default:
		break;
	}
	return looked;
}

static void apply_mmap(struct python_names *names, const struct event *event)
{
	const struct event_mmap *map = &event->mmap;
	const struct looked *looked;
	struct python_target *target;

	if (!(map->prot & PROT_EXEC) || !python_binary_likely(map->path) ||
	    (event->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
		return;
	looked = look_into(names, module_table_intern(names->modules, map, event->misc, event->pid),
			   map->pgoff);
	if (!looked->found)
		return;
	target = python_target_new(event->pid, &looked->python.binary,
				   map->start - looked->python.linked);
	target->since_ns = event->has_time ? event->time_ns : 0;
	set_target(names, event->pid, target);
}

static void apply_fork(struct python_names *names, const struct event *event)
{
	const struct python_target *parent;
	struct python_target *child = NULL;

	if (event->pid == event->task.ppid || event->pid != event->tid)
		return; /* a thread */
	parent = find_target(names, event->task.ppid);
	if (parent && !(event->misc & PERF_RECORD_MISC_FORK_EXEC)) {
		child = python_target_fork(parent, event->pid);
		child->since_ns = event->has_time ? event->time_ns : 0;
	}
	set_target(names, event->pid, child);
}

void python_names_event(struct python_names *names, const struct event *event)
{
	if (event->type == EVENT_MMAP)
		apply_mmap(names, event);
	else if (event->type == EVENT_FORK)
		apply_fork(names, event);
	else if (event->type == EVENT_COMM && event->comm.exec)
		set_target(names, event->pid, NULL);
	else if (event->type == EVENT_EXIT && event->pid == event->tid)
		(void)bpf_map_delete_elem(names->map_fd, &event->pid);
}

/* Where places are announced, and from when on they hold. */
struct announcing {
	struct sink *to;
	uint64_t from_ns;
};

/* Tells readers of the file what the place of a process is. */
static int announce(struct python_names *names, struct python_target *target, uint32_t place,
		    const struct announcing *announcing, struct err *err)
{
	uint64_t time_ns = announcing->from_ns > target->since_ns ? announcing->from_ns
								  : target->since_ns;
	const struct event event = {
		.type = EVENT_MMAP,
		.misc = PERF_RECORD_MISC_USER,
		.pid = target->pid,
		.tid = target->pid,
		.cpu = UINT32_MAX,
		.has_time = time_ns != 0,
		.time_ns = time_ns,
		.mmap = { .start = python_place_start(place),
			  .len = 1ull << PYTHON_PLACE_BITS,
			  .prot = PROT_READ | PROT_EXEC,
			  .flags = MAP_PRIVATE,
			  .path = names->places.path.item[place] },
	};
	bool added;
	uint64_t *file = map_add(&target->announced, place, &added);

	if (*file == names->file)
		return 0;
	*file = names->file;
	return announcing->to->event(announcing->to, &event, err);
}

static void note_due(struct python_names *names, const struct python_target *target,
		     uint64_t now_ns)
{
	uint64_t wait_ns = target->known.count ? now_ns - vec_last(&target->known)->since_ns : 0;

	wait_ns /= 4;
	if (wait_ns < DUE_LEAST_NS)
		wait_ns = DUE_LEAST_NS;
	if (wait_ns < DUE_MOST_NS)
		atomic_store_explicit(&names->due_ns, now_ns + wait_ns, memory_order_relaxed);
}

uint64_t python_names_due_ns(const struct python_names *names)
{
	return atomic_load_explicit(&names->due_ns, memory_order_relaxed);
}

static int take_sample(struct python_names *names, const struct event *event,
		       const struct announcing *announcing, struct err *err)
{
	/* The record is ours to change; only its decoder promises not to. */
	uint64_t *chain = (uint64_t *)(uintptr_t)event->sample.chain;
	struct python_target *target = find_target(names, event->pid);
	const struct python_target_look look = { &names->finder, &names->places,
						 target ? clock_ns(CLOCK_MONOTONIC) : 0 };
	int code = 0;

	for (uint32_t i = 0; target && !code && i < event->sample.chain_len; i++) {
		struct python_where where = { .place = names->unread };

		if (!python_is_word(chain[i]))
			continue;
		names->stats.frames++;
		if (chain[i] == PYTHON_CUT)
			where.place = names->cut;
		else if (!python_target_place(target, &look, chain[i], &where))
			names->stats.unread++;
		chain[i] = python_place_address(where.place, where.line);
		code = announce(names, target, where.place, announcing, err);
	}
	if (target)
		note_due(names, target, look.now_ns);
	return code;
}

static bool is_of_interest(const struct python_names *names, const struct perf_event_header *header)
{
	switch (header->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return true;
	case PERF_RECORD_SAMPLE:
		return names->targets.count;
	default:
		return false;
	}
}

int python_names_record(struct python_names *names, struct perf_event_header *header,
			uint64_t from_ns, struct sink *to, struct err *err)
{
	const struct announcing announcing = { to, from_ns };
	struct err ignored = { 0 }; /* the file has the record as it came */
	struct event event;

	if (!is_of_interest(names, header) ||
	    perf_record_decode(names->events, header, &event, &ignored))
		return 0;
	if (event.type == EVENT_SAMPLE)
		return take_sample(names, &event, &announcing, err);
	python_names_event(names, &event);
	return 0;
}

void python_names_new_file(struct python_names *names)
{
	names->file++;
}

void python_names_stats(const struct python_names *names, struct python_names_stats *ret)
{
	*ret = names->stats;
	ret->functions = (uint32_t)names->places.path.count;
}
