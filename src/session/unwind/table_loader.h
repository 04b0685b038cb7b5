/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts unwind tables into the pool in the background: two threads, one of low priority, take the
 * binary with the highest priority, find its table on disk or build it, and publish it. */
#ifndef SESSION_UNWIND_TABLE_LOADER_H
#define SESSION_UNWIND_TABLE_LOADER_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct module;
struct table_loader;
struct table_store;
struct unwind_pool;

struct table_loader_stats {
	uint32_t built, read; /* tables made from the binary; taken from the store */
	uint32_t missing;     /* times that a binary could not be opened */
	uint32_t bare;	      /* binaries without call frame information */
	uint32_t refused; /* binaries that need more than memory_limit_recorder(), or break it */
	bool unfiltered;  /* tables were made without a filter of system calls */
	uint64_t build_ns, raw_rows; /* CPU time of the former, and what it was spent on */
};

/* Both outlive the loader; store may be NULL. Call it while no other thread works: it may fork. */
int table_loader_new(struct unwind_pool *pool, struct table_store *store, struct table_loader **ret,
		     struct err *err);
/* Finishes tables in progress and drops the rest. Its threads have ended then. */
void table_loader_stop(struct table_loader *loader);
/* The same, and frees it. NULL is fine. */
void table_loader_free(struct table_loader *loader);
/* Asks for a binary's table, `heat` times; asking again while it waits adds up. The module is
 * copied, but for its path, which outlives the loader. */
void table_loader_ask(struct table_loader *loader, uint32_t binary, const struct module *module,
		      uint32_t heat);
/* Whether the binary's file could not be opened; another process may reach it. */
bool table_loader_was_missing(struct table_loader *loader, uint32_t binary);
/* Waits until the queue is empty, for so long at most. */
void table_loader_settle(struct table_loader *loader, uint64_t limit_ns);
void table_loader_stats(struct table_loader *loader, struct table_loader_stats *ret);

#endif
