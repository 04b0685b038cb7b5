/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the unwind tables in the kernel in step with the machine: follows processes by their
 * events, publishes their executable ranges, and loads the tables of their binaries, those first
 * that samples ask for, on threads of low priority and from a cache on disk.
 *
 * A recorder opens a feed once its BPF maps exist, hands it every FORK, COMM, MMAP and EXIT event
 * (those of scan_process() and scan_all() first), and calls table_sync_tick() whenever it wakes
 * up. One thread calls all this. */
#ifndef SESSION_TABLE_SYNC_H
#define SESSION_TABLE_SYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "session/unwind/table_loader.h"
#include "source/bpf/unwind_pool.h"

struct err;
struct event;
struct table_sync;

struct table_sync_options {
	struct unwind_pool_maps maps;
	uint64_t cap_bytes; /* of tables in the kernel; 0 = 64 MiB */
	bool eager; /* load tables of all mappings before a sample needs them: for few processes */
	bool no_disk_cache;
	const char *cache_folder; /* NULL = the user's */
	bool in_memory;		  /* no maps: the tables are searched in user space */
};

struct table_sync_stats {
	struct unwind_pool_stats pool;
	struct table_loader_stats loader;
	uint32_t binaries;	/* that were mapped */
	uint32_t lost_binaries; /* more than there is place for: their frames are found otherwise */
};

int table_sync_open(const struct table_sync_options *options, struct table_sync **ret,
		    struct err *err);
/* Stops the threads; a table being made is finished first. No further ones are loaded. */
void table_sync_stop(struct table_sync *sync);
/* The same, and frees it. NULL is fine. */
void table_sync_close(struct table_sync *sync);

/* Handles events about processes; ignores others. Events with a time wait for the next tick, which
 * sorts them, because rings of several CPUs may arrive one after another. */
void table_sync_event(struct table_sync *sync, const struct event *event);
/* Looks for tables that samples missed and puts them in the queue, hottest first; frees what
 * ended a while ago. Cheap: call it after every delivery of the rings, at least once a second. */
void table_sync_tick(struct table_sync *sync, uint64_t now_ns);
/* Waits until the queue is empty, for so long at most: every mapping has its table then, if all are
 * wanted (eager). */
void table_sync_settle(struct table_sync *sync, uint64_t limit_ns);
void table_sync_stats(struct table_sync *sync, struct table_sync_stats *ret);
/* The published tables, for lookups in user space. */
struct unwind_pool *table_sync_pool(struct table_sync *sync);

#endif
