/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of a sliding window (see live_window.h). Record types and layouts: linux/perf_event.h. */
#include "session/live_window.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "format/perf_data/perf_data_write.h"

#define TIDY_BYTES                                                                     \
	((size_t)1 << 20) /* growth of the old records between two looks for dead ones \
			   */

struct moment {
	struct buf records;
	uint64_t dropped;
};

struct live_window {
	size_t most, count, most_bytes;
	struct moment *moments; /* oldest first; one more, which has not ended, follows */
	struct buf old;		/* records from before the window */
	size_t tidy_at;		/* length of old that makes us look for dead processes */
};

struct live_window *live_window_new(size_t moments, size_t most_bytes)
{
	struct live_window *w = mem_zalloc(sizeof(*w));

	w->most = moments;
	w->most_bytes = most_bytes;
	w->moments = mem_zalloc((moments + 1) * sizeof(*w->moments));
	w->tidy_at = TIDY_BYTES;
	return w;
}

void live_window_free(struct live_window *w)
{
	if (!w)
		return;
	for (size_t i = 0; i <= w->count; i++)
		buf_done(&w->moments[i].records);
	buf_done(&w->old);
	free(w->moments);
	free(w);
}

/* What later samples need to be understood, and what ends it. */
static bool describes(const struct perf_event_header *record)
{
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_COMM:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_FORK:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_BPF_EVENT:
	case PERF_RECORD_CGROUP:
	case PERF_RECORD_TEXT_POKE:
		return true;
	default:
		return false;
	}
}

static size_t window_bytes(const struct live_window *w)
{
	size_t bytes = 0;

	for (size_t i = 0; i <= w->count; i++)
		bytes += w->moments[i].records.len;
	return bytes;
}

void live_window_add(struct live_window *w, const struct perf_event_header *record)
{
	struct moment *now = &w->moments[w->count];

	if (record->type == PERF_RECORD_SAMPLE && window_bytes(w) + record->size > w->most_bytes)
		now->dropped++;
	else
		(void)buf_append(&now->records, record, record->size);
}

/* The lives of processes in the old records. */
struct lives {
	struct map alive;   /* by pid and tid → 1 while it lives */
	struct map threads; /* by pid → living threads */
	struct map parent;  /* by pid → pid + 1 of the process that it has its mappings from */
	struct map end;	    /* by pid → offset behind its last end */
	struct map needed;  /* by pid → 1: a living process has its mappings */
};

/* The first words of FORK and EXIT; COMM has pid and tid. */
struct subject {
	uint32_t pid, second, tid; /* second: the parent's pid; in COMM the tid */
};

static uint64_t get(const struct map *map, uint64_t key)
{
	uint64_t value;

	return map_get(map, key, &value) ? value : 0;
}

static void set_alive(struct lives *lives, uint32_t pid, uint32_t tid, bool alive)
{
	uint64_t thread = (uint64_t)pid << 32 | tid, count = get(&lives->threads, pid);

	if (get(&lives->alive, thread) == alive)
		return;
	map_set(&lives->alive, thread, alive);
	map_set(&lives->threads, pid, alive ? count + 1 : count - 1);
}

static void follow(struct lives *lives, const struct perf_event_header *record, size_t end)
{
	struct subject s;

	if (record->size < sizeof(*record) + sizeof(s))
		return;
	memcpy(&s, record + 1, sizeof(s));
	if (record->type == PERF_RECORD_COMM) {
		set_alive(lives, s.pid, s.second, true);
		if (record->misc & PERF_RECORD_MISC_COMM_EXEC)
			map_set(&lives->parent, s.pid, 0);
	} else if (record->type == PERF_RECORD_FORK) {
		set_alive(lives, s.pid, s.tid, true);
		if (s.pid != s.second)
			map_set(&lives->parent, s.pid, (uint64_t)s.second + 1);
	} else if (record->type == PERF_RECORD_EXIT) {
		set_alive(lives, s.pid, s.tid, false);
		if (!get(&lives->threads, s.pid))
			map_set(&lives->end, s.pid, end);
	}
}

/* Forked processes keep the mappings of their parents. */
static void find_needed(struct lives *lives)
{
	for (size_t i = 0; i < lives->threads.capacity; i++) {
		const struct map_slot *slot = &lives->threads.slot[i];
		uint64_t pid = slot->key, parent;

		if (!slot->used || !slot->value)
			continue;
		while ((parent = get(&lives->parent, pid)) && !get(&lives->needed, parent - 1)) {
			pid = parent - 1;
			map_set(&lives->needed, pid, 1);
		}
	}
}

static bool is_dead(const struct lives *lives, const struct perf_event_header *record, size_t end)
{
	uint32_t pid;

	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_COMM:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_FORK:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_NAMESPACES:
		memcpy(&pid, record + 1, sizeof(pid));
		return end <= get(&lives->end, pid) && !get(&lives->needed, pid);
	default:
		return false;
	}
}

static const struct perf_event_header *record_at(const struct buf *records, size_t at)
{
	return (const void *)(records->data + at);
}

/* Drops the records of processes that have ended. */
static void tidy(struct live_window *w)
{
	struct lives lives = { 0 };
	struct buf *old = &w->old;
	size_t kept = 0, size;

	for (size_t at = 0; at < old->len; at += size) {
		size = record_at(old, at)->size;
		follow(&lives, record_at(old, at), at + size);
	}
	find_needed(&lives);
	for (size_t at = 0; at < old->len; at += size) {
		size = record_at(old, at)->size;
		if (is_dead(&lives, record_at(old, at), at + size))
			continue;
		memmove(old->data + kept, old->data + at, size);
		kept += size;
	}
	old->len = kept;
	w->tidy_at = 2 * kept + TIDY_BYTES;
	map_done(&lives.alive);
	map_done(&lives.threads);
	map_done(&lives.parent);
	map_done(&lives.end);
	map_done(&lives.needed);
}

static void make_old(struct live_window *w, struct moment *moment)
{
	const struct buf *records = &moment->records;
	const struct perf_event_header *record;

	for (size_t at = 0; at < records->len; at += record->size) {
		record = record_at(records, at);
		if (describes(record))
			(void)buf_append(&w->old, record, record->size);
	}
	buf_done(&moment->records);
	moment->dropped = 0;
	if (w->old.len > w->tidy_at)
		tidy(w);
}

static void let_go(struct live_window *w)
{
	make_old(w, &w->moments[0]);
	memmove(w->moments, w->moments + 1, w->count * sizeof(*w->moments));
	w->moments[w->count--] = (struct moment){ 0 };
}

void live_window_push(struct live_window *w)
{
	if (w->count == w->most)
		let_go(w);
	w->count++;
	w->moments[w->count] = (struct moment){ 0 };
}

void live_window_clear(struct live_window *w)
{
	while (w->count)
		let_go(w);
	make_old(w, &w->moments[0]);
}

int live_window_write(const struct live_window *w, struct perf_data_writer *writer, struct err *err)
{
	int code = w->old.len ? perf_data_writer_records(writer, w->old.data, w->old.len, err) : 0;

	for (size_t i = 0; !code && i < w->count; i++) {
		const struct buf *records = &w->moments[i].records;

		if (records->len)
			code = perf_data_writer_records(writer, records->data, records->len, err);
		if (!code)
			code = perf_data_writer_round(writer, err);
	}
	return code;
}

uint64_t live_window_dropped(const struct live_window *w)
{
	uint64_t dropped = 0;

	for (size_t i = 0; i < w->count; i++)
		dropped += w->moments[i].dropped;
	return dropped;
}

size_t live_window_bytes(const struct live_window *w)
{
	return w->old.len + window_bytes(w);
}
