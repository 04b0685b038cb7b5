/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes so far (see record_processes.h). */
#include "session/record/record_processes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/memory_limit.h"
#include "base/vec.h"
#include "event/event.h"
#include "event/perf_record.h"
#include "session/record/record_held.h"

#define COMM_MAX 64 /* kernel threads have names longer than TASK_COMM_LEN */

struct known_map {
	uint64_t end; /* the start is in map */
	uint16_t misc;
	struct event_mmap map;
};

/* Sorted, without overlaps. A fork shares them until one of the processes changes its own. */
struct known_maps {
	uint32_t refs;
	VEC(struct known_map) map;
};

struct known_process {
	uint32_t pid, ppid;
	uint32_t threads; /* that are known */
	struct known_maps *maps;
};

struct known_thread {
	uint32_t tid;
	struct known_process *process;
	char comm[COMM_MAX]; /* "" = not known */
};

struct record_processes {
	const struct event_set *events;
	struct arena arena; /* paths */
	struct map paths;   /* hash → path */
	struct map threads; /* tid → index + 1; 0 = none */
	VEC(struct known_thread) thread;
	struct map processes; /* pid → index + 1; 0 = none */
	VEC(struct known_process *) process;
	struct record_held held;
	uint64_t newest_ns, round_ns; /* of the records of this round, and before it */
	uint64_t left_out;
};

bool record_processes_is_news(const struct perf_event_header *header)
{
	switch (header->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return true;
	default:
		return false;
	}
}

struct record_processes *record_processes_new(const struct event_set *events)
{
	struct record_processes *processes = mem_zalloc(sizeof(*processes));

	processes->events = events;
	return processes;
}

static void unref_maps(struct known_maps *maps)
{
	if (--maps->refs)
		return;
	vec_done(&maps->map);
	free(maps);
}

static struct known_maps *new_maps(void)
{
	struct known_maps *maps = mem_zalloc(sizeof(*maps));

	maps->refs = 1;
	return maps;
}

static struct known_maps *own_maps(struct known_process *process)
{
	const struct known_maps *old = process->maps;
	struct known_maps *maps;

	if (old->refs == 1)
		return process->maps;
	maps = new_maps();
	for (size_t i = 0; i < old->map.count; i++)
		vec_push(&maps->map, old->map.item[i]);
	unref_maps(process->maps);
	process->maps = maps;
	return maps;
}

static void set_maps(struct known_process *process, struct known_maps *maps)
{
	unref_maps(process->maps);
	process->maps = maps;
}

void record_processes_free(struct record_processes *processes)
{
	if (!processes)
		return;
	for (size_t i = 0; i < processes->process.count; i++) {
		unref_maps(processes->process.item[i]->maps);
		free(processes->process.item[i]);
	}
	vec_done(&processes->process);
	vec_done(&processes->thread);
	map_done(&processes->processes);
	map_done(&processes->threads);
	map_done(&processes->paths);
	record_held_done(&processes->held);
	arena_done(&processes->arena);
	free(processes);
}

static struct known_process *find_process(const struct record_processes *processes, uint32_t pid)
{
	uint64_t found;

	return map_get(&processes->processes, pid, &found) && found
		       ? processes->process.item[found - 1]
		       : NULL;
}

static struct known_process *get_process(struct record_processes *processes, uint32_t pid)
{
	struct known_process *process = find_process(processes, pid);

	if (process)
		return process;
	process = mem_zalloc(sizeof(*process));
	process->pid = pid;
	process->maps = new_maps();
	vec_push(&processes->process, process);
	map_set(&processes->processes, pid, processes->process.count);
	return process;
}

static void forget_process(struct record_processes *processes, struct known_process *process)
{
	struct known_process *last = *vec_last(&processes->process);
	uint64_t place = 0;

	(void)map_get(&processes->processes, process->pid, &place);
	processes->process.item[place - 1] = last;
	map_set(&processes->processes, last->pid, place);
	map_remove(&processes->processes, process->pid);
	processes->process.count--;
	unref_maps(process->maps);
	free(process);
}

static struct known_thread *find_thread(const struct record_processes *processes, uint32_t tid)
{
	uint64_t found;

	return map_get(&processes->threads, tid, &found) && found
		       ? &processes->thread.item[found - 1]
		       : NULL;
}

static void forget_thread(struct record_processes *processes, uint32_t tid)
{
	struct known_thread *thread = find_thread(processes, tid);
	struct known_thread *last;

	if (!thread)
		return;
	if (--thread->process->threads == 0)
		forget_process(processes, thread->process);
	last = vec_last(&processes->thread);
	*thread = *last;
	map_set(&processes->threads, last->tid, (size_t)(thread - processes->thread.item) + 1);
	map_remove(&processes->threads, tid);
	processes->thread.count--;
}

static struct known_thread *add_thread(struct record_processes *processes, uint32_t tid,
				       struct known_process *process)
{
	struct known_thread *thread = vec_add(&processes->thread);

	*thread = (struct known_thread){ .tid = tid, .process = process };
	process->threads++;
	map_set(&processes->threads, tid, processes->thread.count);
	return thread;
}

static struct known_thread *get_thread(struct record_processes *processes, uint32_t pid,
				       uint32_t tid)
{
	struct known_thread *thread = find_thread(processes, tid);

	if (thread && thread->process->pid == pid)
		return thread;
	forget_thread(processes, tid);
	return add_thread(processes, tid, get_process(processes, pid));
}

static void apply_comm(struct record_processes *processes, const struct event *event)
{
	struct known_thread *thread = get_thread(processes, event->pid, event->tid);

	if (event->comm.exec)
		set_maps(thread->process, new_maps());
	(void)snprintf(thread->comm, sizeof(thread->comm), "%s", event->comm.name);
}

static void apply_fork(struct record_processes *processes, const struct event *event)
{
	const struct known_process *from = find_process(processes, event->task.ppid);
	const struct known_thread *parent = find_thread(processes, event->task.ptid);
	struct known_process *process;
	char comm[COMM_MAX] = "";

	if (parent)
		(void)snprintf(comm, sizeof(comm), "%s", parent->comm);
	if (event->pid == event->tid && event->pid != event->task.ppid) {
		process = get_process(processes, event->pid); /* perhaps a reused pid */
		process->ppid = event->task.ppid;
		if (from)
			from->maps->refs++;
		set_maps(process, from ? from->maps : new_maps());
	}
	(void)snprintf(get_thread(processes, event->pid, event->tid)->comm, sizeof(comm), "%s",
		       comm);
}

static const char *keep_path(struct record_processes *processes, const char *path)
{
	bool added;
	uint64_t *place = map_add(&processes->paths, hash_bytes(path, strlen(path)), &added);

	if (added)
		*place = (uintptr_t)arena_strdup(&processes->arena, path);
	return (const char *)(uintptr_t)*place;
}

/* Index of the first mapping that ends after the address. */
static size_t first_after(const struct known_maps *maps, uint64_t address)
{
	size_t low = 0, high = maps->map.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (maps->map.item[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void set_range(struct known_map *known, uint64_t start, uint64_t end)
{
	known->map.pgoff += start - known->map.start;
	known->map.start = start;
	known->map.len = end - start;
	known->end = end;
}

/* In place of what lies there. */
static void insert(struct known_maps *maps, const struct known_map *new)
{
	size_t at = first_after(maps, new->map.start), next = at, count = 0;
	struct known_map part[3];

	while (next < maps->map.count && maps->map.item[next].map.start < new->end)
		next++;
	if (next > at && maps->map.item[at].map.start < new->map.start) {
		part[count] = maps->map.item[at];
		set_range(&part[count], part[count].map.start, new->map.start);
		count++;
	}
	part[count++] = *new;
	if (next > at && maps->map.item[next - 1].end > new->end) {
		part[count] = maps->map.item[next - 1];
		set_range(&part[count], new->end, part[count].end);
		count++;
	}
	vec_reserve(&maps->map, count);
	memmove(maps->map.item + at + count, maps->map.item + next,
		(maps->map.count - next) * sizeof(*maps->map.item));
	memcpy(maps->map.item + at, part, count * sizeof(*part));
	maps->map.count += count - (next - at);
}

/* Of the kernel each file has all anyway. */
static bool is_mapping(const struct event *event)
{
	return event->pid != UINT32_MAX &&
	       (event->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL &&
	       event->mmap.start + event->mmap.len > event->mmap.start;
}

static void apply_mmap(struct record_processes *processes, const struct event *event)
{
	struct known_map known = { .end = event->mmap.start + event->mmap.len,
				   .misc = event->misc,
				   .map = event->mmap };

	if (!is_mapping(event))
		return;
	if (memory_limit_full()) {
		processes->left_out++;
		return;
	}
	known.map.path = keep_path(processes, event->mmap.path);
	insert(own_maps(get_process(processes, event->pid)), &known);
}

static void apply(struct record_processes *processes, const struct event *event)
{
	if (event->type == EVENT_COMM)
		apply_comm(processes, event);
	else if (event->type == EVENT_FORK)
		apply_fork(processes, event);
	else if (event->type == EVENT_MMAP)
		apply_mmap(processes, event);
	else if (event->type == EVENT_EXIT)
		forget_thread(processes, event->tid);
}

static bool lies_on_another(const struct record_processes *processes, const struct event *event)
{
	const struct known_process *process = find_process(processes, event->pid);
	size_t at = process ? first_after(process->maps, event->mmap.start) : 0;

	return process && at < process->maps->map.count &&
	       process->maps->map.item[at].map.start < event->mmap.start + event->mmap.len;
}

void record_processes_event(struct record_processes *processes, const struct event *event)
{
	const struct known_thread *thread = find_thread(processes, event->tid);

	if (event->type == EVENT_FORK && !thread) {
		(void)get_thread(processes, event->pid, event->tid);
		if (event->pid == event->tid)
			get_process(processes, event->pid)->ppid = event->task.ppid;
	} else if (event->type == EVENT_COMM && (!thread || !thread->comm[0])) {
		apply_comm(processes, event);
	} else if (event->type == EVENT_MMAP && !lies_on_another(processes, event)) {
		apply_mmap(processes, event);
	}
}

void record_processes_records(struct record_processes *processes, const uint8_t *data, size_t len)
{
	for (size_t at = 0; at + sizeof(struct perf_event_header) <= len;) {
		const struct perf_event_header *header = (const void *)(data + at);
		uint64_t time_ns;

		if (header->size < sizeof(*header) || header->size > len - at)
			return;
		at += header->size;
		if (!record_processes_is_news(header))
			continue;
		if (!perf_record_time(processes->events, header, &time_ns))
			time_ns = 0;
		if (time_ns > processes->newest_ns)
			processes->newest_ns = time_ns;
		record_held_add(&processes->held, header, time_ns);
	}
}

/* What comes in a round was not there when the round before ended, so it is newer than anything
 * that came until then. */
void record_processes_round(struct record_processes *processes)
{
	struct record_held *held = &processes->held;
	size_t count = 0;

	record_held_sort(held);
	for (; count < held->item.count; count++) {
		struct err ignored = { 0 }; /* the file has the record as it came */
		struct event event;

		if (held->item.item[count].time_ns > processes->round_ns)
			break;
		if (!perf_record_decode(processes->events, record_held_get(held, count), &event,
					&ignored))
			apply(processes, &event);
	}
	record_held_drop(held, count);
	processes->round_ns = processes->newest_ns;
}

static int emit_thread(const struct known_thread *thread, struct sink *sink, struct err *err)
{
	const struct known_process *process = thread->process;
	const uint32_t parent = thread->tid == process->pid ? process->ppid : process->pid;
	struct event event = {
		.type = EVENT_FORK,
		.misc = PERF_RECORD_MISC_FORK_EXEC, /* readers copy no mappings of the parent */
		.pid = process->pid,
		.tid = thread->tid,
		.cpu = UINT32_MAX,
		.task = { .ppid = parent, .ptid = parent },
	};
	int code = sink->event(sink, &event, err);

	if (code || !thread->comm[0])
		return code;
	event.type = EVENT_COMM;
	event.misc = 0;
	event.comm.name = thread->comm;
	event.comm.exec = false;
	return sink->event(sink, &event, err);
}

static int emit_maps(const struct known_process *process, struct sink *sink, struct err *err)
{
	int code = 0;

	for (size_t i = 0; !code && i < process->maps->map.count; i++) {
		const struct known_map *known = &process->maps->map.item[i];
		const struct event event = { .type = EVENT_MMAP,
					     .misc = known->misc,
					     .pid = process->pid,
					     .tid = process->pid,
					     .cpu = UINT32_MAX,
					     .mmap = known->map };

		code = sink->event(sink, &event, err);
	}
	return code;
}

int record_processes_emit(struct record_processes *processes, struct sink *sink, struct buf *later,
			  struct err *err)
{
	int code = 0;

	/* A leader's FORK makes the process, so leaders come first. */
	for (int leaders = 1; leaders >= 0; leaders--)
		for (size_t i = 0; !code && i < processes->thread.count; i++) {
			const struct known_thread *thread = &processes->thread.item[i];

			if ((thread->tid == thread->process->pid) == leaders)
				code = emit_thread(thread, sink, err);
		}
	for (size_t i = 0; !code && i < processes->process.count; i++)
		code = emit_maps(processes->process.item[i], sink, err);
	if (!code)
		(void)buf_append(later, processes->held.bytes.data, processes->held.bytes.len);
	return code;
}

uint64_t record_processes_left_out(const struct record_processes *processes)
{
	return processes->left_out;
}
