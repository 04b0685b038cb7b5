/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See heap_cold_watch.h. DAMON clears accessed bits without telling the other CPUs, which may have
 * the old ones for a while. Clearing them again through clear_refs tells them. */
#include "session/heap/heap_cold_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "event/page_map.h"
#include "proc/page_frames.h"
#include "proc/page_snapshot.h"
#include "source/damon.h"

#define CLEAR_AFTER_NS 50000000u
#define MOST_WAIT_NS   500000000u /* in the kernel, for the end of the interval */

static bool is_wanted(const struct page_range *range)
{
	return range->kind & PAGE_PRESENT && !(range->kind & (PAGE_FILE | PAGE_ZERO));
}

/* The ranges of anonymous pages; returns how many pages. */
static uint64_t collect(struct heap_cold_watch *watch, const struct page_map *map)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < map->range.count; i++) {
		const struct page_range *range = &map->range.item[i];

		if (!is_wanted(range))
			continue;
		vec_push(&watch->pages.resident,
			 ((struct heap_cold_range){ range->start, range->end }));
		bytes += range->end - range->start;
	}
	return bytes / watch->pages.page_bytes;
}

/* All pages, or one at random of each of equal parts. */
static void choose(struct heap_cold_watch *watch)
{
	uint64_t page_bytes = watch->pages.page_bytes, passed = 0, part = 0;
	uint64_t parts = watch->anonymous < HEAP_COLD_MOST ? watch->anonymous : HEAP_COLD_MOST;
	double length = parts ? (double)watch->anonymous / (double)parts : 1, wanted = -1;

	for (size_t i = 0; i < watch->pages.resident.count; i++) {
		const struct heap_cold_range *range = &watch->pages.resident.item[i];
		uint64_t pages = (range->end - range->start) / page_bytes;

		for (; part < parts; part++, wanted = -1) {
			if (wanted < 0)
				wanted = ((double)part + (double)(random() & 0xffff) / 65536) *
					 length;
			if ((uint64_t)wanted >= passed + pages)
				break;
			vec_push(&watch->chosen,
				 ((struct heap_cold_frame){ .address = range->start +
								       ((uint64_t)wanted - passed) *
									       page_bytes }));
		}
		passed += pages;
	}
}

/* The frames of the chosen pages now; those that cannot be looked at are 0. */
static int read_frames(const struct heap_cold_watch *watch, uint64_t *frame, struct err *err)
{
	size_t count = watch->chosen.count;
	uint64_t *address = mem_alloc((count + 1) * sizeof(*address));
	int code;

	for (size_t i = 0; i < count; i++)
		address[i] = watch->chosen.item[i].address;
	code = page_frames_read(watch->pid, address, count, frame, err);
	if (!code)
		code = page_frames_keep_listed(frame, count, err);
	free(address);
	return code;
}

static int by_frame(const void *a, const void *b)
{
	const struct heap_cold_frame *x = a, *y = b;

	return x->frame < y->frame ? -1 : x->frame > y->frame;
}

static int by_address(const void *a, const void *b)
{
	const struct heap_cold_page *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static int find_frames(struct heap_cold_watch *watch, struct err *err)
{
	uint64_t *frame = mem_alloc((watch->chosen.count + 1) * sizeof(*frame));
	int code = read_frames(watch, frame, err);
	size_t kept = 0;

	for (size_t i = 0; !code && i < watch->chosen.count; i++)
		if (frame[i])
			watch->chosen.item[kept++] =
				(struct heap_cold_frame){ watch->chosen.item[i].address, frame[i] };
	watch->chosen.count = kept;
	if (kept)
		qsort(watch->chosen.item, kept, sizeof(*watch->chosen.item), by_frame);
	for (size_t i = 0; i < kept; i++)
		if (!i || watch->chosen.item[i].frame != watch->chosen.item[i - 1].frame)
			vec_push(&watch->frame, watch->chosen.item[i].frame);
	free(frame);
	return code;
}

static int read_pages(struct heap_cold_watch *watch, struct err *err)
{
	struct buf snapshot = { 0 };
	struct page_map map = { 0 };
	int code = page_snapshot_read(watch->pid, &snapshot, err);

	if (!code) {
		code = page_snapshot_parse(snapshot.data, snapshot.len, &map, err);
		watch->anonymous = collect(watch, &map);
		page_map_done(&map);
	}
	buf_done(&snapshot);
	return code;
}

static int begin(struct heap_cold_watch *watch, struct err *err)
{
	int code;

	watch->pages.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	if (!watch->pid)
		watch->pid = watch->run->program.pid;
	watch->pages.pid = (uint32_t)watch->pid;
	code = read_pages(watch, err);
	if (code)
		return code;
	choose(watch);
	code = find_frames(watch, err);
	if (!code)
		code = damon_start(watch->frame.item, watch->frame.count, watch->interval_ns,
				   &watch->damon, err);
	watch->pages.begin_ns = clock_ns(CLOCK_MONOTONIC);
	watch->timer.due_ns = watch->pages.begin_ns + CLEAR_AFTER_NS;
	return code;
}

static int clear(struct heap_cold_watch *watch, struct err *err)
{
	uint64_t wait = watch->interval_ns / 4;

	wait = wait < MOST_WAIT_NS ? wait : MOST_WAIT_NS;
	watch->cleared = true;
	watch->timer.due_ns = watch->pages.begin_ns + watch->interval_ns - wait;
	return referenced_map_clear(watch->pid, err);
}

/* A page that has another frame by now was moved, or is another page: not known. */
static void take_pages(struct heap_cold_watch *watch, const uint8_t *seen, const uint64_t *frame)
{
	size_t at = 0;

	for (size_t i = 0; i < watch->chosen.count; i++) {
		const struct heap_cold_frame *chosen = &watch->chosen.item[i];

		while (watch->frame.item[at] != chosen->frame)
			at++;
		if (seen[at] != DAMON_UNKNOWN && frame[i] == chosen->frame)
			vec_push(&watch->pages.page,
				 ((struct heap_cold_page){ chosen->address,
							   seen[at] == DAMON_TOUCHED }));
	}
	if (watch->pages.page.count)
		qsort(watch->pages.page.item, watch->pages.page.count,
		      sizeof(*watch->pages.page.item), by_address);
}

static int look(struct heap_cold_watch *watch, struct err *err)
{
	uint8_t *seen = mem_alloc(watch->frame.count + 1);
	uint64_t *frame = mem_alloc((watch->chosen.count + 1) * sizeof(*frame));
	int code = damon_look(watch->damon, seen, &watch->pages.end_ns, err);

	if (!code)
		code = referenced_map_read(watch->pid, &watch->map, err);
	watch->done = !code;
	if (!code)
		code = read_frames(watch, frame, err);
	if (!code)
		take_pages(watch, seen, frame);
	damon_end(watch->damon);
	watch->damon = NULL;
	free(seen);
	free(frame);
	watch->timer.due_ns = RUN_NEVER;
	run_finish(watch->run, RUN_DURATION);
	return code;
}

static int due(void *context, struct err *err)
{
	struct heap_cold_watch *watch = context;

	if (!watch->damon)
		return begin(watch, err);
	return watch->cleared ? look(watch, err) : clear(watch, err);
}

void heap_cold_attend(struct heap_cold_watch *watch, struct run *run)
{
	watch->run = run;
	watch->timer = (struct run_timer){ .due_ns = clock_ns(CLOCK_MONOTONIC) + watch->after_ns,
					   .due = due,
					   .context = watch };
	run_add_timer(run, &watch->timer);
}

int heap_cold_check(const struct heap_cold_watch *watch, struct err *err)
{
	if (watch->done)
		return 0;
	(void)err_set(err, -ESRCH, "--cold: the run ended before the time of %s was over",
		      watch->damon ? "-d" : "--after");
	return err_hint(err, "it looks at what is allocated in --after TIME, for -d TIME");
}

void heap_cold_watch_done(struct heap_cold_watch *watch)
{
	damon_end(watch->damon);
	watch->damon = NULL;
	if (watch->done)
		referenced_map_done(&watch->map);
	heap_cold_pages_done(&watch->pages);
	vec_done(&watch->chosen);
	vec_done(&watch->frame);
}
