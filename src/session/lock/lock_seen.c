/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of locks that a ledger has (see lock_seen.h). */
#include "session/lock/lock_seen.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/confined.h"
#include "base/err.h"
#include "base/map.h"
#include "base/packing.h"
#include "event/perf_record.h"
#include "proc/scan.h"
#include "profile/ledger/ledger.h"
#include "profile/profile.h"
#include "session/capture.h"
#include "session/lock/lock_names.h"
#include "source/source.h"

#define MOST_LOCKS   65536
#define MOST_SCANS   16 /* of a process: it may load libraries */
#define AGAIN_NS     500000000u
#define MOST_BYTES   (16u << 20) /* of names */
#define MOST_LENGTH  512	 /* of one */
#define MOST_RECORDS (64u << 20) /* bytes */

struct scanned {
	uint64_t at_ns;
	unsigned times;
};

/* Of a ring, which has only a CPU's. */
struct kept_record {
	uint64_t time_ns;
	size_t at;
};

struct lock_seen {
	struct sink sink; /* first */
	struct capture capture;
	struct strtab *strings;
	const struct source *followed; /* it has the mappings; NULL = none */
	struct buf records;
	VEC(struct kept_record) record;
	struct map by_pid; /* index of scanned */
	VEC(struct scanned) scanned;
	VEC(struct profile_object) lock;
};

static int apply(struct sink *sink, const struct event *event, struct err *err)
{
	(void)err;
	proc_table_apply(((struct lock_seen *)sink)->capture.procs, event);
	return 0;
}

struct lock_seen *lock_seen_new(void)
{
	struct lock_seen *seen = mem_zalloc(sizeof(*seen));

	seen->sink.event = apply;
	seen->strings = strtab_new();
	capture_open(&seen->capture);
	return seen;
}

static void keep_record(struct lock_seen *seen, const struct perf_event_header *header)
{
	struct kept_record kept = { .at = seen->records.len };

	if (header->type == PERF_RECORD_SAMPLE || header->size % 8 ||
	    !perf_record_time(seen->followed->events, header, &kept.time_ns) ||
	    buf_append(&seen->records, header, header->size))
		return;
	vec_push(&seen->record, kept);
}

static int take_records(struct sink *sink, const struct record_span *span, struct err *err)
{
	struct lock_seen *seen = (struct lock_seen *)sink;
	struct buf all = { 0 };

	(void)err;
	(void)buf_append(&all, span->data[0], span->len[0]); /* no limit */
	(void)buf_append(&all, span->data[1], span->len[1]);
	for (size_t at = 0; at + sizeof(struct perf_event_header) <= all.len;) {
		const struct perf_event_header *header = (const void *)(all.data + at);

		if (header->size < sizeof(*header) || header->size > all.len - at)
			break;
		keep_record(seen, header);
		at += header->size;
	}
	buf_done(&all);
	return 0;
}

struct sink *lock_seen_follow(struct lock_seen *seen, const struct source *source)
{
	seen->followed = source;
	seen->records.limit = MOST_RECORDS;
	seen->sink.records = take_records;
	return &seen->sink;
}

static int by_time(const void *a, const void *b)
{
	const struct kept_record *left = a, *right = b;

	if (left->time_ns != right->time_ns)
		return left->time_ns < right->time_ns ? -1 : 1;
	return left->at < right->at ? -1 : left->at > right->at;
}

static void apply_records(struct lock_seen *seen)
{
	struct err ignored = { 0 };
	struct event event;

	if (seen->record.count)
		qsort(seen->record.item, seen->record.count, sizeof(*seen->record.item), by_time);
	for (size_t i = 0; i < seen->record.count; i++) {
		const void *header = seen->records.data + seen->record.item[i].at;

		if (!perf_record_decode(seen->followed->events, header, &event, &ignored))
			proc_table_apply(seen->capture.procs, &event);
	}
}

void lock_seen_free(struct lock_seen *seen)
{
	if (!seen)
		return;
	capture_close(&seen->capture);
	strtab_free(seen->strings);
	map_done(&seen->by_pid);
	vec_done(&seen->scanned);
	vec_done(&seen->lock);
	vec_done(&seen->record);
	buf_done(&seen->records);
	free(seen);
}

/* What the process had mapped before may be another program's. */
static void scan(struct lock_seen *seen, uint32_t pid)
{
	const struct event renewed = {
		.type = EVENT_COMM, .pid = pid, .tid = pid, .comm = { .name = "", .exec = true }
	};
	struct err gone = { 0 };

	proc_table_apply(seen->capture.procs, &renewed);
	(void)scan_process((pid_t)pid, &(struct scan_options){ 0 }, &seen->sink, &gone);
}

void lock_seen_add(struct lock_seen *seen, const struct ledger_lock *lock)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC), *index;
	struct scanned *last;
	bool added;

	if (seen->lock.count >= MOST_LOCKS)
		return;
	vec_push(&seen->lock,
		 ((struct profile_object){ .address = lock->address, .pid = lock->tgid }));
	if (seen->followed)
		return;
	index = map_add(&seen->by_pid, lock->tgid, &added);
	if (added) {
		*index = seen->scanned.count;
		vec_push(&seen->scanned, (struct scanned){ 0 });
	}
	last = &seen->scanned.item[*index];
	if (last->times >= MOST_SCANS || (last->times && now_ns - last->at_ns < AGAIN_NS))
		return;
	last->times++;
	last->at_ns = now_ns;
	scan(seen, lock->tgid);
}

/* In the child. */
static int find(void *context, struct buf *ret, struct err *err)
{
	struct lock_seen *seen = context;

	(void)err;
	lock_names_user(seen->capture.procs, "", seen->strings, seen->lock.item, seen->lock.count);
	for (size_t i = 0; i < seen->lock.count; i++) {
		const char *name = strtab_get(seen->strings, seen->lock.item[i].name);

		pack_put_string(ret, strlen(name) <= MOST_LENGTH ? name : "");
	}
	return 0;
}

static void keep(struct ledger *ledger, uint32_t pid, uint64_t address, const char *name)
{
	if (name && name[0])
		vec_push(&ledger->lock,
			 ((struct ledger_lock_name){ address, pid, mem_strdup(name) }));
}

static void name_user(struct lock_seen *seen, struct ledger *ledger)
{
	struct buf bytes = { .limit = MOST_BYTES };
	struct arena arena = { 0 };
	struct unpack from = { 0 };
	struct err ignored = { 0 }; /* addresses stand for names that are not found */

	if (seen->lock.count && !confined_call("cupel-reader", find, seen, &bytes, &ignored)) {
		from.data = (const uint8_t *)bytes.data;
		from.len = bytes.len;
		for (size_t i = 0; i < seen->lock.count; i++)
			keep(ledger, seen->lock.item[i].pid, seen->lock.item[i].address,
			     unpack_string(&from, true, &arena));
	}
	arena_done(&arena);
	buf_done(&bytes);
}

static void name_kernel(struct lock_seen *seen, struct ledger *ledger)
{
	VEC(uint64_t) address = { 0 };
	struct map known = { 0 };
	string_id *name;

	for (size_t i = 0; i < ledger->link.count; i++) {
		const struct ledger_edge_key *key = &ledger->link.item[i].key;
		bool added = false;

		if (key->account == LEDGER_KERNEL_LOCK && key->lock && !key->lock_flags)
			(void)map_add(&known, key->lock, &added);
		if (added)
			vec_push(&address, key->lock);
	}
	name = mem_zalloc((address.count + 1) * sizeof(*name));
	lock_names_kernel(seen->strings, address.item, address.count, name);
	for (size_t i = 0; i < address.count; i++)
		keep(ledger, 0, address.item[i], strtab_get(seen->strings, name[i]));
	free(name);
	map_done(&known);
	vec_done(&address);
}

void lock_seen_name(struct lock_seen *seen, struct ledger *ledger)
{
	apply_records(seen);
	name_user(seen, ledger);
	name_kernel(seen, ledger);
}
