/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The store of one machine (store.h): a folder of parts (part.h), and a catalog of what is no
 * sample. Any number of processes may read and write it at the same time. */
#ifndef STORE_SEGMENT_STORE_H
#define STORE_SEGMENT_STORE_H

#include <stdint.h>

#include "base/vec.h"
#include "store/segment/part.h"
#include "store/segment/received.h"
#include "store/store.h"

struct part_view;

struct segment_store {
	struct store base;
	int folder;
	bool write;
	bool made; /* the folder, by us: while it is empty, it goes at the end */
	char *location;
	VEC(struct part *) open; /* being written, the last used last */
	struct received received;
	/* For what is too old (segment_upkeep.c). */
	uint64_t kept_ns, kept_monotonic_ns; /* clocks at the last upkeep */
	uint64_t trusted_from_ns; /* CLOCK_MONOTONIC: before, Unix time may be a mistake */
};

struct segment_part_name {
	char name[PART_NAME_BYTES];
	uint32_t day;
};
struct segment_parts {
	VEC(struct segment_part_name) part; /* by name */
};

/* The parts that there are. */
int segment_parts_find(int folder, struct segment_parts *ret, struct err *err);
/* The variants of store_ops in files of their own. */
int segment_query(struct store *store, const struct store_query *query, struct profile *ret,
		  struct err *err);
int segment_timeline(struct store *store, const struct store_query *query,
		     struct store_timeline *ret, struct err *err);
int segment_series(struct store *store, const struct store_query *query,
		   struct store_series_list *ret, struct err *err);
int segment_maintain(struct store *store, const struct store_limits *limits, uint64_t now_ns,
		     struct err *err);
/* Of all files, on the disk. */
uint64_t segment_bytes(const struct segment_store *store);
/* Adds what a part has to an empty or filled profile. */
void segment_query_part(struct part_view *view, const struct store_query *query,
			struct profile *ret);

#endif
