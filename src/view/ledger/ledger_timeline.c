/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timeline of ledgers (see ledger_timeline.h). */
#include "view/ledger/ledger_timeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "profile/ledger/ledger.h"
#include "profile/ledger/ledger_bins.h"

/* Running is green, waiting for a CPU yellow, blocked what is red or blue, idle grey. */
static const struct timeline_kind kinds[LEDGER_ACCOUNTS] = {
	[LEDGER_RUNNING] = { "running", "running", 0x2e9e5b, false },
	[LEDGER_WOKEN] = { "runnable: woken", "runnable", 0xf2c14e, false },
	[LEDGER_PREEMPTED] = { "runnable: preempted", "runnable", 0xe8832a, false },
	[LEDGER_LOCK] = { "blocked: lock", "blocked", 0xd13438, false },
	[LEDGER_KERNEL_LOCK] = { "blocked: kernel-lock", "blocked", 0x8f1d2c, false },
	[LEDGER_DISK] = { "blocked: disk", "blocked", 0x2f6fde, false },
	[LEDGER_NET] = { "blocked: net", "blocked", 0x8a4fd3, false },
	[LEDGER_PIPE] = { "blocked: pipe", "blocked", 0x1aa0a8, false },
	[LEDGER_PAGE_FAULT] = { "blocked: page-fault", "blocked", 0x8b5a2b, false },
	[LEDGER_CHILD] = { "blocked: child", "blocked", 0x5f7f95, false },
	[LEDGER_SLEEP] = { "blocked: sleep", "blocked", 0x9fb8d9, false },
	[LEDGER_STOPPED] = { "blocked: stopped", "blocked", 0x55555f, false },
	[LEDGER_THROTTLE] = { "blocked: throttle", "blocked", 0xe05fa0, false },
	[LEDGER_OTHER] = { "blocked: other", "blocked", 0xb06a9a, false },
	[LEDGER_POLL] = { "idle: poll", "idle", 0xc9ccd4, true },
	[LEDGER_CONDITION] = { "idle: condition", "idle", 0xb7bcc7, true },
	[LEDGER_SIGNAL] = { "idle: signal", "idle", 0xd6d3cb, true },
	[LEDGER_TERMINAL] = { "idle: terminal", "idle", 0xa9afbb, true },
};

static char *text_of(const char *comm, uint32_t tid)
{
	struct buf text = { 0 };

	(void)buf_put_tidy(&text, comm);
	if (tid)
		(void)buf_printf(&text, ":%u", tid);
	return text.data ? text.data : mem_strdup("");
}

/* The name of a process is that of its first thread, which may have ended. */
static const char *process_name(const struct ledger_bins *bins, const struct map *leaders,
				const struct ledger_lane *lane)
{
	uint64_t index;

	return map_get(leaders, lane->tgid, &index) ? bins->lane.item[index].comm : lane->comm;
}

static void add_slices(const struct ledger_bins *bins, const struct ledger_lane *from,
		       struct timeline_lane *ret)
{
	vec_reserve(&ret->slice, from->part.count);
	for (size_t i = 0; i < from->part.count; i++) {
		const struct ledger_part *part = &from->part.item[i];
		struct timeline_slice slice = {
			.start_ns = ledger_bins_from(bins, part->first),
			.end_ns = bins->end_ns.item[part->last],
			.ns = part->ns,
			.kind = (uint16_t)part->account,
		};

		vec_push(&ret->slice, slice);
	}
}

void ledger_timeline(const struct ledger_bins *bins, const struct ledger *ledger,
		     struct timeline *ret)
{
	struct map leaders = { 0 };

	*ret = (struct timeline){ .start_ns = ledger->start_ns,
				  .end_ns = ledger->end_ns,
				  .kind = kinds,
				  .kinds = LEDGER_ACCOUNTS };
	for (size_t i = 0; i < bins->lane.count; i++)
		if (bins->lane.item[i].tid == bins->lane.item[i].tgid)
			map_set(&leaders, bins->lane.item[i].tgid, i);
	for (size_t i = 0; i < bins->lane.count; i++) {
		const struct ledger_lane *from = &bins->lane.item[i];
		struct timeline_lane lane = { .pid = from->tgid, .tid = from->tid };

		lane.name = text_of(from->comm, from->tid);
		lane.thread = text_of(from->comm, 0);
		lane.process = text_of(process_name(bins, &leaders, from), 0);
		add_slices(bins, from, &lane);
		vec_push(&ret->lane, lane);
	}
	map_done(&leaders);
}

static void free_text(const char *text)
{
	free((void *)(uintptr_t)text);
}

void ledger_timeline_done(struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->lane.count; i++) {
		free_text(timeline->lane.item[i].name);
		free_text(timeline->lane.item[i].thread);
		free_text(timeline->lane.item[i].process);
	}
	timeline_done(timeline);
}
