/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mapped memory over time (see heap_maps.h). Calls are played in the order in which they return,
 * into the areas of each process; what ends, and at last what is there, becomes a block. */
#include "profile/heap/heap_maps.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "base/map.h"
#include "profile/heap/heap.h"
#include "profile/profile.h"

#define MOST_AREAS  (1u << 17) /* of a process; the kernel allows 65,530 by default */
#define MOST_BLOCKS (1u << 24)
#define NO_SAMPLE   UINT32_MAX

enum step { STEP_NONE, STEP_ENTER, STEP_EXIT, STEP_EXEC };

enum call { CALL_MMAP, CALL_MUNMAP, CALL_MREMAP, CALL_MPROTECT, CALL_BRK, CALL_COUNT };

static const char *const call_names[CALL_COUNT] = { "mmap", "munmap", "mremap", "mprotect", "brk" };

/* Anonymous memory; only what is writable counts. */
struct area {
	uint64_t start, end;
	uint32_t origin; /* sample of the call that made it writable; NO_SAMPLE = it is not */
	uint64_t since_ns;
};

struct process {
	uint32_t pid;
	uint64_t brk;	       /* 0 = unknown */
	VEC(struct area) area; /* in order, apart */
};

struct maps {
	struct profile *profile;
	const struct heap_maps_input *input;
	struct map entered;    /* pid and tid → sample of the call that the thread is in, + 1 */
	struct map process_of; /* pid → index */
	VEC(struct process) process;
	VEC(struct profile_sample) made; /* samples of heap-alloc and heap-free */
	uint16_t alloc, free;
	uint64_t dropped;
};

/* Which call of enum call it is. */
static enum step step_of(const struct profile *profile, const struct profile_sample *sample,
			 enum call *call)
{
	const char *name = profile_string(profile, profile->events.item[sample->event].name);
	bool enters = strncmp(name, "syscalls:sys_enter_", 19) == 0;

	if (!enters && strncmp(name, "syscalls:sys_exit_", 18) != 0)
		return STEP_NONE;
	name += enters ? 19 : 18;
	if (!enters && strcmp(name, "execve") == 0)
		return STEP_EXEC;
	for (size_t i = 0; i < CALL_COUNT; i++)
		if (strcmp(name, call_names[i]) == 0) {
			*call = (enum call)i;
			return enters ? STEP_ENTER : STEP_EXIT;
		}
	return STEP_NONE;
}

static uint64_t value(const struct maps *maps, uint32_t number, size_t place)
{
	uint64_t index = maps->profile->samples.item[number].addr + place;

	return index < maps->profile->values.count ? maps->profile->values.item[index] : 0;
}

static const struct profile_thread *thread_of(const struct maps *maps, uint32_t number)
{
	return &maps->profile->threads.item[maps->profile->samples.item[number].thread.v];
}

static struct process *process_of(struct maps *maps, uint32_t pid)
{
	bool added;
	uint64_t *index = map_add(&maps->process_of, pid, &added);

	if (added) {
		*index = maps->process.count;
		vec_push(&maps->process,
			 ((struct process){ .pid = pid,
					    .brk = pid == maps->input->pid ? maps->input->brk
									   : 0 }));
	}
	return &maps->process.item[*index];
}

static void put_block(struct maps *maps, const struct profile_sample *like, uint16_t event,
		      const struct heap_block *block)
{
	struct profile_sample sample = *like;

	sample.stack = profile_stack_or_unknown(maps->profile, sample.stack);
	sample.event = event;
	sample.count = 1;
	sample.weight = event == maps->alloc ? block->size : 1;
	sample.addr = maps->profile->blocks.count;
	vec_push(&maps->profile->blocks, *block);
	vec_push(&maps->made, sample);
}

/* end_ns 0: it is there at the end. */
static void keep(struct maps *maps, const struct area *area, uint64_t end_ns)
{
	/* Addresses are numbers, as each block has one of its own. */
	const struct heap_block block = { maps->profile->blocks.count + 1,
					  area->end - area->start };
	struct profile_sample like;

	if (area->origin == NO_SAMPLE)
		return;
	if (maps->made.count >= MOST_BLOCKS) {
		maps->dropped++;
		return;
	}
	like = maps->profile->samples.item[area->origin];
	like.time_ns = area->since_ns;
	put_block(maps, &like, maps->alloc, &block);
	like.time_ns = end_ns;
	if (end_ns)
		put_block(maps, &like, maps->free, &block);
}

/* Areas that were split for nothing are one block. */
static void keep_all(struct maps *maps, const struct process *process, const size_t range[2],
		     uint64_t end_ns)
{
	const struct area *area = process->area.item;
	struct area joined;

	for (size_t i = range[0]; i < range[1]; i++) {
		joined = area[i];
		while (i + 1 < range[1] && area[i + 1].origin == joined.origin &&
		       area[i + 1].start == joined.end && area[i + 1].since_ns == joined.since_ns)
			joined.end = area[++i].end;
		keep(maps, &joined, end_ns);
	}
}

/* The first area that ends behind an address. */
static size_t find(const struct process *process, uint64_t address)
{
	size_t low = 0, high = process->area.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (process->area.item[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void insert(struct maps *maps, struct process *process, size_t at, struct area area)
{
	if (area.start >= area.end)
		return;
	if (process->area.count >= MOST_AREAS) {
		maps->dropped++;
		return;
	}
	vec_push(&process->area, area);
	memmove(&process->area.item[at + 1], &process->area.item[at],
		(process->area.count - 1 - at) * sizeof(area));
	process->area.item[at] = area;
}

/* Afterwards no area reaches over the address. */
static void split(struct maps *maps, struct process *process, uint64_t address)
{
	size_t at = find(process, address);
	struct area behind;

	if (at == process->area.count || process->area.item[at].start >= address)
		return;
	behind = process->area.item[at];
	behind.start = address;
	process->area.item[at].end = address;
	insert(maps, process, at + 1, behind);
}

static void remove_areas(struct process *process, size_t first, size_t end)
{
	if (first == end)
		return;
	memmove(&process->area.item[first], &process->area.item[end],
		(process->area.count - end) * sizeof(process->area.item[0]));
	process->area.count -= end - first;
}

/* Where areas of the range begin and end, after splitting. */
static void select_range(struct maps *maps, struct process *process, uint64_t start, uint64_t end,
			 size_t range[2])
{
	split(maps, process, start);
	split(maps, process, end);
	range[0] = find(process, start);
	range[1] = range[0];
	while (range[1] < process->area.count && process->area.item[range[1]].start < end)
		range[1]++;
}

static void unmap(struct maps *maps, struct process *process, uint64_t start, uint64_t end,
		  uint64_t time_ns)
{
	size_t range[2];

	select_range(maps, process, start, end, range);
	keep_all(maps, process, range, time_ns);
	remove_areas(process, range[0], range[1]);
}

static void map_new(struct maps *maps, struct process *process, const struct area *area)
{
	unmap(maps, process, area->start, area->end, area->since_ns);
	insert(maps, process, find(process, area->start), *area);
}

/* What can be written again keeps its origin; what could not be written yet is new. */
static void protect(struct maps *maps, struct process *process, const struct area *area,
		    uint64_t prot)
{
	size_t range[2];

	select_range(maps, process, area->start, area->end, range);
	for (size_t i = range[0]; i < range[1]; i++) {
		struct area *old = &process->area.item[i];

		if (prot & PROT_WRITE ? old->origin != NO_SAMPLE : prot != PROT_NONE)
			continue;
		keep(maps, old, area->since_ns);
		old->origin = prot & PROT_WRITE ? area->origin : NO_SAMPLE;
		old->since_ns = area->since_ns;
	}
}

/* Areas of [from, from + len) go to `to`. */
static void move(struct maps *maps, struct process *process, uint64_t from, uint64_t to,
		 uint64_t len)
{
	VEC(struct area) moved = { 0 };
	size_t range[2], at;

	select_range(maps, process, from, from + len, range);
	for (size_t i = range[0]; i < range[1]; i++)
		vec_push(&moved, process->area.item[i]);
	remove_areas(process, range[0], range[1]);
	at = find(process, to);
	for (size_t i = 0; i < moved.count; i++) {
		moved.item[i].start = moved.item[i].start - from + to;
		moved.item[i].end = moved.item[i].end - from + to;
		insert(maps, process, at + i, moved.item[i]);
	}
	vec_done(&moved);
}

static void remap(struct maps *maps, struct process *process, const struct area *area,
		  const uint64_t lens[2])
{
	uint64_t old_len = lens[0], new_len = lens[1], to = area->start, from = area->end;
	uint64_t both = old_len < new_len ? old_len : new_len;
	struct area grown = *area;

	if (from + old_len < from || to + new_len < to)
		return;
	unmap(maps, process, from + both, from + old_len, area->since_ns);
	if (to != from && (to >= from + both || from >= to + new_len)) {
		unmap(maps, process, to, to + new_len, area->since_ns);
		move(maps, process, from, to, both);
	}
	grown.start = to + both;
	grown.end = to + new_len;
	if (grown.end > grown.start)
		map_new(maps, process, &grown);
}

static void set_break(struct maps *maps, struct process *process, const struct area *area,
		      uint64_t brk)
{
	struct area grown = *area;

	if (process->brk && brk > process->brk) {
		grown.start = process->brk;
		grown.end = brk;
		map_new(maps, process, &grown);
	} else if (brk < process->brk) {
		unmap(maps, process, brk, process->brk, area->since_ns);
	}
	process->brk = brk;
}

static bool is_failure(uint64_t result)
{
	return result > -(uint64_t)4096;
}

static void come_back(struct maps *maps, enum call call, uint32_t entered, uint32_t number)
{
	struct process *process = process_of(maps, thread_of(maps, number)->pid);
	uint64_t result = value(maps, number, HEAP_MAPS_RESULT),
		 pages = maps->input->page_bytes - 1;
	uint64_t start = value(maps, entered, HEAP_MAPS_START);
	uint64_t len = (value(maps, entered, HEAP_MAPS_LEN) + pages) & ~pages;
	uint64_t prot = value(maps, entered, HEAP_MAPS_PROT);
	const uint64_t lens[2] = { len, (prot + pages) & ~pages };
	struct area area = { .start = start,
			     .end = start + len,
			     .origin = entered,
			     .since_ns = maps->profile->samples.item[number].time_ns };

	if (is_failure(result) || (call != CALL_MMAP && call != CALL_BRK && area.end < start))
		return;
	if (call == CALL_BRK) {
		set_break(maps, process, &area, result);
	} else if (call == CALL_MREMAP) {
		area.end = start;
		area.start = result;
		remap(maps, process, &area, lens);
	} else if (call == CALL_MUNMAP) {
		unmap(maps, process, start, area.end, area.since_ns);
	} else if (call == CALL_MPROTECT) {
		protect(maps, process, &area, prot);
	} else if (result + len >= result) {
		area.start = result;
		area.end = result + len;
		area.origin = prot & PROT_WRITE ? entered : NO_SAMPLE;
		unmap(maps, process, area.start, area.end, area.since_ns);
		if (value(maps, entered, HEAP_MAPS_FLAGS) & MAP_ANONYMOUS)
			map_new(maps, process, &area);
	}
}

static void begin_program(struct maps *maps, uint32_t number)
{
	struct process *process = process_of(maps, thread_of(maps, number)->pid);

	if (is_failure(value(maps, number, HEAP_MAPS_RESULT)))
		return;
	unmap(maps, process, 0, UINT64_MAX, maps->profile->samples.item[number].time_ns);
	process->brk = 0;
}

static void play(struct maps *maps, uint32_t number)
{
	const struct profile_thread *thread = thread_of(maps, number);
	uint64_t key = (uint64_t)thread->pid << 32 | thread->tid, entered;
	enum call call = CALL_COUNT, before = CALL_COUNT;

	switch (step_of(maps->profile, &maps->profile->samples.item[number], &call)) {
	case STEP_ENTER:
		map_set(&maps->entered, key, number + 1);
		break;
	case STEP_EXIT:
		if (!map_get(&maps->entered, key, &entered) || !entered)
			break;
		(void)step_of(maps->profile, &maps->profile->samples.item[entered - 1], &before);
		if (before == call)
			come_back(maps, call, (uint32_t)entered - 1, number);
		map_set(&maps->entered, key, 0);
		break;
	case STEP_EXEC:
		begin_program(maps, number);
		break;
	case STEP_NONE:
		break;
	}
}

static void play_all(struct maps *maps)
{
	const struct profile *profile = maps->profile;
	VEC(uint32_t) order = { 0 };

	for (uint32_t i = 0; i < profile->samples.count; i++)
		vec_push(&order, i);
	profile_order_by_time(profile, order.item, order.count);
	for (size_t i = 0; i < order.count; i++)
		play(maps, order.item[i]);
	for (size_t i = 0; i < maps->process.count; i++) {
		struct process *process = &maps->process.item[i];

		keep_all(maps, process, (const size_t[]){ 0, process->area.count }, 0);
		vec_done(&process->area);
	}
	vec_done(&order);
}

/* The samples of system calls have done their duty. */
static void replace_samples(struct maps *maps)
{
	struct profile *profile = maps->profile;

	profile_forget_samples(profile);
	profile->keep = (profile->keep & ~(unsigned)PROFILE_ADDR_IS_VALUES) | PROFILE_ADDR_IS_BLOCK;
	profile_add_all(profile, maps->made.item, maps->made.count);
}

void heap_maps_sum_up(struct profile *profile, const struct heap_maps_input *input,
		      struct heap_summary *ret)
{
	struct maps maps = { .profile = profile, .input = input };

	maps.alloc = profile_event(profile, "heap-alloc", "bytes");
	maps.free = profile_event(profile, "heap-free", "count");
	play_all(&maps);
	replace_samples(&maps);
	heap_sum_up_whole(profile, 0, ret);
	ret->unfollowed += maps.dropped;
	map_done(&maps.entered);
	map_done(&maps.process_of);
	vec_done(&maps.process);
	vec_done(&maps.made);
}
