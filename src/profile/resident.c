/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ledger of resident memory (see resident.h). Faults, moves and fills are played in the order
 * of time into a map from page to sample; then the pages that are there are looked up in it. A page
 * that was given back and touched again is of the last stack. */
#include "profile/resident.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "event/page_map.h"
#include "profile/profile.h"

#define HUGE_BYTES     ((uint64_t)2 << 20)
#define MAX_FILL_BYTES ((uint64_t)64 << 30) /* of a call that fills pages */
#define NO_SAMPLE      UINT32_MAX
#define FILLED	       ((uint64_t)1 << 32) /* with a sample: by a call, not by a fault */

enum step {
	STEP_NONE,
	STEP_FAULT,
	STEP_MREMAP,
	STEP_MREMAP_EXIT,
	STEP_MMAP,
	STEP_MMAP_EXIT,
	STEP_FILL,
};

static const struct {
	const char *event;
	enum step step;
} steps[] = {
	{ "page-faults", STEP_FAULT },
	{ "major-faults", STEP_FAULT },
	{ "syscalls:sys_enter_mremap", STEP_MREMAP },
	{ "syscalls:sys_exit_mremap", STEP_MREMAP_EXIT },
	{ "syscalls:sys_enter_mmap", STEP_MMAP },
	{ "syscalls:sys_exit_mmap", STEP_MMAP_EXIT },
	{ "syscalls:sys_enter_madvise", STEP_FILL },
	{ "syscalls:sys_enter_mlock", STEP_FILL },
	{ "syscalls:sys_enter_mlock2", STEP_FILL },
};

struct ledger {
	struct profile *profile;
	const struct resident_input *input;
	struct resident *result;
	struct map toucher; /* page number → sample, FILLED */
	struct map entered; /* thread → sample of the call that it is in, + 1 */

	struct map of_mapping;		  /* kind and area's path → index in result->mapping */
	VEC(struct profile_sample) pages; /* of RESIDENT_EVENT */
	struct map by_stack;		  /* stack and kind → index in pages */
	size_t before_at;		  /* range of the earlier map that is looked at */
	uint64_t huge_at, huge_toucher;	  /* block and its toucher */
	uint16_t event;
};

const char *resident_kind_name(enum resident_kind kind)
{
	static const char *const names[] = {
#define X(id, name, text) name,
		RESIDENT_KINDS(X)
#undef X
	};
	return names[kind];
}

const char *resident_kind_text(enum resident_kind kind)
{
	static const char *const texts[] = {
#define X(id, name, text) text,
		RESIDENT_KINDS(X)
#undef X
	};
	return texts[kind];
}

static enum step step_of(const struct profile *profile, const struct profile_sample *sample)
{
	const char *name = profile_string(profile, profile->events.item[sample->event].name);

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (strcmp(name, steps[i].event) == 0)
			return steps[i].step;
	return STEP_NONE;
}

static uint64_t value(const struct ledger *ledger, const struct profile_sample *sample,
		      size_t place)
{
	uint64_t index = sample->addr + place;

	return index < ledger->profile->values.count ? ledger->profile->values.item[index] : 0;
}

static uint64_t page_of(const struct ledger *ledger, uint64_t address)
{
	return address / ledger->input->page_bytes;
}

static void fill(struct ledger *ledger, uint64_t start, uint64_t len, uint64_t toucher)
{
	uint64_t bytes = ledger->input->page_bytes;

	if (len > MAX_FILL_BYTES || start + len < start)
		return;
	for (uint64_t at = start / bytes; at < (start + len + bytes - 1) / bytes; at++)
		map_set(&ledger->toucher, at, toucher);
}

/* Pages at `from` are now at `to`. */
static void move(struct ledger *ledger, uint64_t from, uint64_t to, uint64_t len)
{
	uint64_t first = page_of(ledger, from), new_first = page_of(ledger, to);
	uint64_t pages = page_of(ledger, len), toucher;

	if (from == to)
		return;
	if (pages <= ledger->toucher.capacity) {
		for (uint64_t i = 0; i < pages; i++)
			if (map_get(&ledger->toucher, first + i, &toucher))
				map_set(&ledger->toucher, new_first + i, toucher);
		return;
	}
	/* Most of it was never touched. */
	VEC(struct map_slot) moved = { 0 };
	for (size_t i = 0; i < ledger->toucher.capacity; i++) {
		const struct map_slot *slot = &ledger->toucher.slot[i];

		if (slot->used && slot->key - first < pages)
			vec_push(&moved, *slot);
	}
	for (size_t i = 0; i < moved.count; i++)
		map_set(&ledger->toucher, moved.item[i].key - first + new_first,
			moved.item[i].value);
	vec_done(&moved);
}

static bool is_failure(uint64_t result)
{
	return result > -(uint64_t)4096;
}

/* The call that the thread comes back from; NULL = it was not seen. */
static const struct profile_sample *leave(struct ledger *ledger,
					  const struct profile_sample *sample, uint32_t *ret)
{
	bool added;
	uint64_t *place = map_add(&ledger->entered, sample->thread.v, &added);
	uint64_t entered = *place;

	*place = 0;
	*ret = (uint32_t)entered - 1;
	return entered ? &ledger->profile->samples.item[entered - 1] : NULL;
}

static void come_back(struct ledger *ledger, const struct profile_sample *sample, enum step of)
{
	uint64_t result = value(ledger, sample, RESIDENT_RESULT), len, new_len;
	uint32_t number;
	const struct profile_sample *call = leave(ledger, sample, &number);

	if (!call || is_failure(result) || step_of(ledger->profile, call) != of)
		return;
	len = value(ledger, call, RESIDENT_MREMAP_OLD_LEN);
	new_len = value(ledger, call, RESIDENT_MREMAP_NEW_LEN);
	if (of == STEP_MREMAP)
		move(ledger, value(ledger, call, RESIDENT_MREMAP_ADDR), result,
		     len < new_len ? len : new_len);
	else
		fill(ledger, result, len, number | FILLED);
}

static void play(struct ledger *ledger, uint32_t number)
{
	const struct profile_sample *sample = &ledger->profile->samples.item[number];

	switch (step_of(ledger->profile, sample)) {
	case STEP_FAULT:
		map_set(&ledger->toucher,
			page_of(ledger, value(ledger, sample, RESIDENT_FAULT_ADDR)), number);
		ledger->result->faults += sample->count;
		break;
	case STEP_MREMAP:
	case STEP_MMAP:
		map_set(&ledger->entered, sample->thread.v, number + 1);
		break;
	case STEP_MREMAP_EXIT:
		come_back(ledger, sample, STEP_MREMAP);
		break;
	case STEP_MMAP_EXIT:
		come_back(ledger, sample, STEP_MMAP);
		break;
	case STEP_FILL:
		fill(ledger, value(ledger, sample, RESIDENT_RANGE_START),
		     value(ledger, sample, RESIDENT_RANGE_LEN), number | FILLED);
		break;
	case STEP_NONE:
		break;
	}
}

static void play_all(struct ledger *ledger)
{
	const struct profile *profile = ledger->profile;
	VEC(uint32_t) order = { 0 };

	for (uint32_t i = 0; i < profile->samples.count; i++)
		if (profile->threads.item[profile->samples.item[i].thread.v].pid ==
		    ledger->input->pid)
			vec_push(&order, i);
	profile_order_by_time(profile, order.item, order.count);
	for (size_t i = 0; i < order.count; i++)
		play(ledger, order.item[i]);
	vec_done(&order);
}

/* A page that a huge one brought along has the toucher of the block. */
static bool find_in_block(struct ledger *ledger, uint64_t address, uint64_t *ret)
{
	uint64_t start = address / HUGE_BYTES * HUGE_BYTES;

	if (ledger->huge_at != start + 1) {
		ledger->huge_at = start + 1; /* 0 = none */
		ledger->huge_toucher = NO_SAMPLE;
		for (uint64_t at = start; at < start + HUGE_BYTES; at += ledger->input->page_bytes)
			if (map_get(&ledger->toucher, page_of(ledger, at), &ledger->huge_toucher))
				break;
	}
	*ret = ledger->huge_toucher;
	return ledger->huge_toucher != NO_SAMPLE;
}

/* Addresses are asked for in order. */
static bool was_there(struct ledger *ledger, uint64_t address)
{
	const struct page_map *before = ledger->input->before;

	if (!before)
		return false;
	while (ledger->before_at < before->range.count &&
	       before->range.item[ledger->before_at].end <= address)
		ledger->before_at++;
	return ledger->before_at < before->range.count &&
	       before->range.item[ledger->before_at].start <= address;
}

static void add_to_stack(struct ledger *ledger, uint64_t toucher, enum resident_kind kind,
			 uint64_t bytes)
{
	struct profile_sample sample = ledger->profile->samples.item[(uint32_t)toucher];
	uint64_t key = hash_u64((uint64_t)sample.stack.v << 32 | sample.thread.v) ^ kind;
	bool added;
	uint64_t *place = map_add(&ledger->by_stack, key, &added);

	ledger->result->bytes[kind] += bytes;
	if (added) {
		*place = ledger->pages.count;
		sample.event = ledger->event;
		sample.weight = 0;
		sample.count = 1;
		sample.addr = kind;
		vec_push(&ledger->pages, sample);
	}
	ledger->pages.item[*place].weight += bytes;
}

static void add_to_mapping(struct ledger *ledger, const struct page_area *area,
			   enum resident_kind kind, uint64_t bytes)
{
	uint64_t key = hash_bytes(area->path, strlen(area->path)) ^ hash_u64(kind + 1);
	bool added;
	uint64_t *place = map_add(&ledger->of_mapping, key, &added);

	ledger->result->bytes[kind] += bytes;
	if (added) {
		*place = ledger->result->mapping.count;
		vec_push(&ledger->result->mapping,
			 ((struct resident_mapping){ .kind = kind, .path = area->path }));
	}
	ledger->result->mapping.item[*place].bytes += bytes;
}

static enum resident_kind kind_of(const struct page_area *area, uint64_t page, uint64_t toucher)
{
	if (toucher & FILLED)
		return RESIDENT_POPULATED;
	if (page & PAGE_FILE)
		return RESIDENT_SHARED;
	if (page & PAGE_HUGE)
		return RESIDENT_HUGE;
	return area->path[0] == '/' ? RESIDENT_COPIED : RESIDENT_ANONYMOUS;
}

static bool has_toucher(struct ledger *ledger, uint64_t address, uint64_t page, uint64_t *ret)
{
	return map_get(&ledger->toucher, page_of(ledger, address), ret) ||
	       (page & PAGE_HUGE && find_in_block(ledger, address, ret));
}

static void take_page(struct ledger *ledger, const struct page_area *area, uint64_t address,
		      uint64_t page)
{
	uint64_t bytes = ledger->input->page_bytes, toucher = NO_SAMPLE;
	bool of_file = page & PAGE_FILE && !(area->shared && area->writable);
	bool touched = !of_file && has_toucher(ledger, address, page, &toucher);

	if (page & PAGE_SWAPPED) {
		ledger->result->swapped += bytes;
		ledger->result->swapped_known += touched ? bytes : 0;
		return;
	}
	ledger->result->total += bytes;
	if (touched)
		add_to_stack(ledger, toucher, kind_of(area, page, toucher), bytes);
	else if (page & PAGE_FILE)
		add_to_mapping(ledger, area, RESIDENT_FILE, bytes);
	/* What the kernel put there for the program: its arguments, and its own code. */
	else if (was_there(ledger, address) ||
		 (!ledger->input->before &&
		  (strcmp(area->path, "[stack]") == 0 || strcmp(area->path, "[vdso]") == 0)))
		add_to_mapping(ledger, area, RESIDENT_BEFORE, bytes);
	else
		add_to_mapping(ledger, area, RESIDENT_UNACCOUNTED, bytes);
}

static void take_range(struct ledger *ledger, const struct page_area *area,
		       const struct page_range *range)
{
	uint64_t start = range->start > area->start ? range->start : area->start;
	uint64_t end = range->end < area->end ? range->end : area->end;

	if (range->kind & PAGE_ZERO)
		return;
	if (area->hugetlb) {
		ledger->result->hugetlb += end - start;
		return;
	}
	if (!area->rss && !(range->kind & PAGE_SWAPPED))
		return; /* pages without struct page, which the kernel does not count */
	for (uint64_t at = start; at < end; at += ledger->input->page_bytes)
		take_page(ledger, area, at, range->kind);
}

/* Areas and ranges are in order; a range may reach over several areas. */
static void take_pages(struct ledger *ledger)
{
	const struct page_map *after = ledger->input->after;
	size_t at = 0;

	for (size_t i = 0; i < after->area.count; i++) {
		const struct page_area *area = &after->area.item[i];

		while (at < after->range.count && after->range.item[at].end <= area->start)
			at++;
		for (size_t j = at;
		     j < after->range.count && after->range.item[j].start < area->end; j++)
			take_range(ledger, area, &after->range.item[j]);
	}
}

static int larger(const void *a, const void *b)
{
	const struct resident_mapping *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return strcmp(x->path, y->path);
}

/* "[file] /usr/lib/libc.so.6" as a stack of one frame. */
static void put_mapping(struct ledger *ledger, const struct resident_mapping *mapping)
{
	struct profile *profile = ledger->profile;
	struct profile_sample sample = {
		.event = ledger->event, .weight = mapping->bytes, .count = 1, .addr = mapping->kind
	};
	struct frame frame = { .kind = FRAME_USER };
	const char *path = mapping->path[0] ? mapping->path : "[anonymous]";
	char name[64 + 4096];

	(void)snprintf(name, sizeof(name), "[%s] %s", resident_kind_name(mapping->kind), path);
	frame.function = strtab_puts(profile->strings, name);
	sample.thread = profile_thread(profile, ledger->input->pid, ledger->input->pid, "");
	sample.stack = profile_stack_push(profile, STACK_EMPTY, profile_frame(profile, &frame));
	vec_push(&ledger->pages, sample);
}

static void keep_pages(struct ledger *ledger)
{
	struct profile *profile = ledger->profile;

	for (size_t i = 0; i < ledger->pages.count; i++)
		ledger->pages.item[i].stack =
			profile_stack_or_unknown(profile, ledger->pages.item[i].stack);
	profile_forget_samples(profile);
	profile_add_all(profile, ledger->pages.item, ledger->pages.count);
	profile_count(profile);
}

void resident_sum_up(struct profile *profile, const struct resident_input *input,
		     struct resident *ret)
{
	struct ledger ledger = { .profile = profile, .input = input, .result = ret };

	*ret = (struct resident){ .counted = input->after->counted };
	ledger.event = profile_event(profile, RESIDENT_EVENT, "bytes");
	play_all(&ledger);
	take_pages(&ledger);
	if (ret->mapping.count)
		qsort(ret->mapping.item, ret->mapping.count, sizeof(*ret->mapping.item), larger);
	for (size_t i = 0; i < ret->mapping.count; i++)
		put_mapping(&ledger, &ret->mapping.item[i]);
	keep_pages(&ledger);
	map_done(&ledger.toucher);
	map_done(&ledger.entered);
	map_done(&ledger.by_stack);
	map_done(&ledger.of_mapping);
	vec_done(&ledger.pages);
}

void resident_done(struct resident *resident)
{
	vec_done(&resident->mapping);
}
