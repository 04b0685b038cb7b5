/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mappings of processes (see trace_maps.h). */
#include "session/trace/trace_maps.h"

#include <string.h>

#include "event/event.h"

void trace_maps_init(struct trace_maps *maps)
{
	*maps = (struct trace_maps){ .strings = strtab_new() };
}

void trace_maps_done(struct trace_maps *maps)
{
	for (size_t i = 0; i < maps->process.count; i++)
		vec_done(&maps->process.item[i].mapping);
	vec_done(&maps->process);
	map_done(&maps->by_pid);
	strtab_free(maps->strings);
}

static struct trace_process_maps *find(const struct trace_maps *maps, uint32_t pid)
{
	uint64_t index;

	if (!map_get(&maps->by_pid, pid, &index))
		return NULL;
	return &maps->process.item[index - 1];
}

static struct trace_process_maps *get(struct trace_maps *maps, uint32_t pid)
{
	bool added;
	uint64_t *index = map_add(&maps->by_pid, pid, &added);

	if (added) {
		*vec_add(&maps->process) = (struct trace_process_maps){ 0 };
		*index = maps->process.count;
	}
	return &maps->process.item[*index - 1];
}

static void add(struct trace_maps *maps, uint32_t pid, const struct event_mmap *from)
{
	const struct trace_mapping mapping = { .start = from->start,
					       .end = from->start + from->len,
					       .pgoff = from->pgoff,
					       .prot = from->prot,
					       .path = strtab_intern(maps->strings, from->path,
								     strlen(from->path)) };
	struct trace_process_maps *process = get(maps, pid);
	size_t kept = 0;

	if (strcmp(from->path, "[vdso]") == 0)
		process->compat = mapping.end - 1 <= UINT32_MAX;
	/* What it hides. */
	for (size_t i = 0; i < process->mapping.count; i++) {
		const struct trace_mapping *old = &process->mapping.item[i];

		if (old->start < mapping.start || old->end > mapping.end)
			process->mapping.item[kept++] = *old;
	}
	process->mapping.count = kept;
	vec_push(&process->mapping, mapping);
}

static void fork_maps(struct trace_maps *maps, uint32_t parent, uint32_t child)
{
	struct trace_process_maps *to = get(maps, child);
	const struct trace_process_maps *from = find(maps, parent);

	if (!from || parent == child)
		return;
	to->compat = from->compat;
	to->mapping.count = 0;
	for (size_t i = 0; i < from->mapping.count; i++)
		vec_push(&to->mapping, from->mapping.item[i]);
}

void trace_maps_apply(struct trace_maps *maps, const struct event *event)
{
	struct trace_process_maps *process;

	if (event->type == EVENT_MMAP)
		add(maps, event->pid, &event->mmap);
	else if (event->type == EVENT_FORK)
		fork_maps(maps, event->task.ppid, event->pid);
	else if ((event->type == EVENT_COMM && event->comm.exec) ||
		 (event->type == EVENT_EXIT && event->pid == event->tid)) {
		process = find(maps, event->pid);
		if (process) {
			process->mapping.count = 0;
			process->compat = false;
		}
	}
}

const struct trace_mapping *trace_maps_find(const struct trace_maps *maps, uint32_t pid,
					    uint64_t address)
{
	const struct trace_process_maps *process = find(maps, pid);

	for (size_t i = process ? process->mapping.count : 0; i-- > 0;) {
		const struct trace_mapping *mapping = &process->mapping.item[i];

		if (address >= mapping->start && address < mapping->end)
			return mapping;
	}
	return NULL;
}

bool trace_maps_is_compat(const struct trace_maps *maps, uint32_t pid)
{
	const struct trace_process_maps *process = find(maps, pid);

	return process && process->compat;
}

const char *trace_maps_path(const struct trace_maps *maps, const struct trace_mapping *mapping)
{
	return strtab_get(maps->strings, mapping->path);
}
