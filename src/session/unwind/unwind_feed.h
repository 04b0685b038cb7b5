/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the unwind tables in the kernel in step with the machine: follows processes by their
 * events, publishes their executable ranges, and loads the tables of their binaries, those first
 * that samples ask for, on threads of low priority and from a cache on disk.
 *
 * A recorder opens a feed once its BPF maps exist, hands it every FORK, COMM, MMAP and EXIT event
 * (those of scan_process() and scan_all() first), and calls unwind_feed_tick() whenever it wakes
 * up. One thread calls all this. */
#ifndef SESSION_UNWIND_UNWIND_FEED_H
#define SESSION_UNWIND_UNWIND_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "session/unwind/table_loader.h"
#include "source/unwind_pool.h"

struct err;
struct event;
struct unwind_feed;

struct unwind_feed_options {
	struct unwind_pool_maps maps;
	uint64_t cap_bytes; /* of tables in the kernel; 0 = 64 MiB */
	bool eager; /* load what is mapped, before a sample asks: for recordings of few processes */
	bool no_disk_cache;
	const char *cache_folder; /* NULL = the user's */
	bool in_memory;		  /* no maps: the tables are searched in user space */
};

struct unwind_feed_stats {
	struct unwind_pool_stats pool;
	struct table_loader_stats loader;
	uint32_t binaries;	/* that were mapped */
	uint32_t lost_binaries; /* more than there is place for: their frames are found otherwise */
};

int unwind_feed_open(const struct unwind_feed_options *options, struct unwind_feed **ret,
		     struct err *err);
/* Stops the threads; a table being made is finished first. NULL is fine. */
void unwind_feed_close(struct unwind_feed *feed);

/* An event that says something about processes; others are ignored. Those with a time wait for the
 * next tick, which puts them in order: rings of several CPUs may come one after another. */
void unwind_feed_event(struct unwind_feed *feed, const struct event *event);
/* Looks for tables that samples missed and puts them in the queue, hottest first; lets go of what
 * ended a while ago. Cheap: call it after every delivery of the rings, at least once a second. */
void unwind_feed_tick(struct unwind_feed *feed, uint64_t now_ns);
/* Waits until the queue is empty: what is mapped by now has its table. */
void unwind_feed_settle(struct unwind_feed *feed);
void unwind_feed_stats(struct unwind_feed *feed, struct unwind_feed_stats *ret);
/* What is published, for searching it in user space. */
struct unwind_pool *unwind_feed_pool(struct unwind_feed *feed);

#endif
