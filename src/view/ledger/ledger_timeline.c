/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timeline of ledgers (see ledger_timeline.h). */
#include "view/ledger/ledger_timeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "profile/ledger/ledger.h"
#include "profile/ledger/ledger_slices.h"
#include "view/ledger/ledger_view.h"
#include "view/state_kind.h"

size_t ledger_state_kind(enum ledger_account account)
{
	struct buf name = { 0 };
	size_t kind;

	if (account == LEDGER_RUNNING)
		(void)buf_puts(&name, "running");
	else
		(void)buf_printf(&name, "%s: %s", ledger_state_name(ledger_state_of(account)),
				 ledger_reason_name(account));
	kind = state_kind_find(name.data);
	buf_done(&name);
	return kind < state_kind_count ? kind : state_kind_find("blocked: other");
}

static void find_kinds(uint16_t ret[LEDGER_ACCOUNTS])
{
	for (int i = 0; i < LEDGER_ACCOUNTS; i++)
		ret[i] = (uint16_t)ledger_state_kind((enum ledger_account)i);
}

/* comm is as the kernel has it: it may fill all its bytes. */
static char *text_of(const char *comm, uint32_t tid)
{
	char name[sizeof(((struct ledger_thread *)0)->comm) + 1] = "";
	struct buf text = { 0 };

	memcpy(name, comm, sizeof(name) - 1);
	(void)buf_put_tidy(&text, name);
	if (tid)
		(void)buf_printf(&text, ":%u", tid);
	return text.data ? text.data : mem_strdup("");
}

/* Names by number of thread, of those that were watched and of those that others met. */
static void name_threads(const struct ledger *ledger, struct map *ret)
{
	for (size_t i = 0; i < ledger->link.count; i++)
		if (ledger->link.item[i].key.waker == LEDGER_WAKER_THREAD)
			map_set(ret, ledger->link.item[i].key.other_tid,
				(uintptr_t)ledger->link.item[i].edge.other_comm);
	for (size_t i = 0; i < ledger->thread.count; i++)
		map_set(ret, ledger->thread.item[i].tid, (uintptr_t)ledger->thread.item[i].comm);
}

/* "dm-0, woken by softirq block", "cache+0x8, held by worker:12" */
static char *label_of(const struct ledger *ledger, const struct map *names,
		      const struct ledger_edge_key *key)
{
	const struct ledger_device *device = ledger_device_find(ledger, key->device);
	struct ledger_link link = { .key = *key };
	struct buf text = { 0 };
	uint64_t name;

	if (device)
		(void)buf_printf(&text, "%s, ", device->name);
	if (key->lock) {
		ledger_put_lock(ledger, key, &text);
		(void)buf_puts(&text, ", ");
	}
	if (map_get(names, key->other_tid, &name))
		memcpy(link.edge.other_comm, (const char *)(uintptr_t)name,
		       sizeof(link.edge.other_comm));
	ledger_put_other(&link, true, &text);
	return text.data;
}

static void add_labels(const struct ledger_slices *slices, const struct ledger *ledger,
		       struct timeline *ret)
{
	struct map names = { 0 };

	name_threads(ledger, &names);
	for (size_t i = 0; i < slices->ended_by.count; i++)
		vec_push(&ret->label,
			 i ? label_of(ledger, &names, &slices->ended_by.item[i]) : mem_strdup(""));
	map_done(&names);
}

static void add_slices(const struct ledger_slices *slices, const struct ledger_thread *thread,
		       const uint16_t *kinds, struct timeline_lane *ret)
{
	size_t count;
	const struct ledger_slice *from = ledger_slices_of(slices, thread, &count);

	vec_reserve(&ret->slice, count);
	for (size_t i = 0; i < count; i++) {
		struct timeline_slice slice = { .start_ns = from[i].start_ns,
						.end_ns = from[i].end_ns,
						.ns = from[i].ns,
						.kind = kinds[from[i].account],
						.label = from[i].ended_by };

		vec_push(&ret->slice, slice);
	}
}

/* The name of a process is that of its first thread, which may have ended. */
static void name_processes(const struct ledger *ledger, struct map *ret)
{
	for (size_t i = 0; i < ledger->thread.count; i++)
		if (ledger->thread.item[i].tid == ledger->thread.item[i].tgid)
			map_set(ret, ledger->thread.item[i].tgid,
				(uintptr_t)ledger->thread.item[i].comm);
}

void ledger_timeline(const struct ledger_slices *slices, const struct ledger *ledger,
		     struct timeline *ret)
{
	struct map processes = { 0 };
	uint16_t kinds[LEDGER_ACCOUNTS];

	find_kinds(kinds);
	*ret = (struct timeline){ .start_ns = ledger->start_ns,
				  .end_ns = ledger->end_ns,
				  .kind = state_kinds,
				  .kinds = state_kind_count };
	name_processes(ledger, &processes);
	add_labels(slices, ledger, ret);
	for (size_t i = 0; i < ledger->thread.count; i++) {
		const struct ledger_thread *thread = &ledger->thread.item[i];
		struct timeline_lane lane = { .pid = thread->tgid, .tid = thread->tid };
		uint64_t process = (uintptr_t)thread->comm;

		(void)map_get(&processes, thread->tgid, &process);
		lane.name = text_of(thread->comm, thread->tid);
		lane.thread = text_of(thread->comm, 0);
		lane.process = text_of((const char *)(uintptr_t)process, 0);
		add_slices(slices, thread, kinds, &lane);
		vec_push(&ret->lane, lane);
	}
	map_done(&processes);
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
	for (size_t i = 0; i < timeline->label.count; i++)
		free_text(timeline->label.item[i]);
	timeline_done(timeline);
}
