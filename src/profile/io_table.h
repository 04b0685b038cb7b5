/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests for I/O by file, process, disk, operation and stack, from samples of io in a profile
 * with PROFILE_ADDR_IS_VALUES (event/io_request.h), and the slow ones one by one. */
#ifndef PROFILE_IO_TABLE_H
#define PROFILE_IO_TABLE_H

#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "event/io_request.h"
#include "profile/profile.h"

enum io_by {
	IO_BY_FILE,
	IO_BY_PROCESS,
	IO_BY_DISK, /* requests that disks had a part in */
	IO_BY_OPERATION,
	IO_BY_STACK,
	IO_BY_COUNT,
};

struct io_row {
	string_id name; /* of the file or process; of a disk, when it was given one */
	uint32_t pid;
	uint64_t disk; /* major << 20 | minor */
	uint8_t operation;
	stack_id stack;
	struct io_sum sum;
};

/* A request that took long. */
struct io_one {
	uint64_t end_ns;
	thread_id thread;
	string_id file;
	uint8_t operation;
	stack_id stack;
	struct io_sum sum;
};

struct io_table {
	VEC(struct io_row) row[IO_BY_COUNT]; /* most time first */
	VEC(struct io_one) slow;	     /* in the order of time */
	struct io_sum total;
	struct map by_key[IO_BY_COUNT]; /* private */
};

/* Interns names in the profile. */
void io_table_fill(struct io_table *table, struct profile *profile);
void io_table_done(struct io_table *table);
/* Replaces the profile's samples by stacks with the request on top, [read /path], by `weight`. */
enum io_weight {
	IO_WEIGHT_TIME,
	IO_WEIGHT_BYTES,
	IO_WEIGHT_COUNT,
};
void io_flame_make(struct profile *profile, enum io_weight weight);

const char *io_operation_name(uint8_t operation);
const char *io_layer_name(enum io_layer layer);
/* The latency that this share of requests does not exceed. */
uint64_t io_percentile(const struct io_sum *sum, double share);
/* The layer with the most time, but running if there is another. */
enum io_layer io_longest_wait(const struct io_sum *sum);

#endif
