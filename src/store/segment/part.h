/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One folder of a store of this machine, "YYYYMMDD-NN": samples of a day (UTC) with their
 * dictionary, all written by one process at a time, which holds its lock. When the dictionary is
 * full, or another process has it, the day goes on in the next number.
 *
 *     dictionary   what samples refer to (dictionary.h)
 *     10s 1h 1d    blocks of samples (block.h), the finer ones until they are too old
 *     wal.SEQ      what was appended since the last checkpoint: dictionary and blocks in turns
 *     written      the number of the last block in 10s
 *     synced       how much of which log was synchronised
 *     lock         held by the writer
 *
 * A batch is appended to the log, and is safe when that is synchronised. A checkpoint appends what
 * is new to the dictionary and one block to 10s, and begins the next log. Opening a part cuts torn
 * ends and makes a checkpoint of logs that are left over. An end of 10s that was torn, or is
 * missing, though no log has its samples was lost after it was written, and so was what a log lacks
 * of its synchronised bytes; a mark in its place says so to readers from then on. */
#ifndef STORE_SEGMENT_PART_H
#define STORE_SEGMENT_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "store/dictionary.h"
#include "store/segment/block.h"
#include "store/segment/part_file.h"

struct err;

#define PART_NAME_BYTES 16
#define PART_NUMBERS	100

enum part_tier { PART_BUCKETS, PART_HOURS, PART_DAYS, PART_TIERS };

/* A file that is only appended to. */
struct part_file {
	int fd; /* -1 = it does not exist */
	uint64_t bytes, last_seq;
	bool cut; /* when it was opened, its end was torn */
};

struct part {
	char name[PART_NAME_BYTES];
	uint32_t day; /* since 1970 */
	int store;    /* the folder of the store; borrowed */
	int folder, lock;
	struct part_file dictionary_file, tier[PART_TIERS], log;
	struct dictionary dict;
	struct dictionary_mark stored, logged; /* in the dictionary's file; there or in the log */
	uint64_t seq;			       /* of the log, and of the next block */
	struct store_rows rows;		       /* in the log */
	struct part_numbers numbers;	       /* of batches, in the log */
	uint64_t since_ns; /* CLOCK_MONOTONIC: when the first of them came; 0 = there is none */
	uint64_t hour;	   /* since 1970, of the last roll-up; see segment_upkeep.c */
	bool unsynced;
};

extern const char *const part_tier_name[PART_TIERS];
extern const uint64_t part_tier_ns[PART_TIERS];

void part_name(uint32_t day, unsigned number, char ret[PART_NAME_BYTES]);
bool part_name_parse(const char *name, uint32_t *ret_day, unsigned *ret_number);

/* Opens for writing, makes it if it is missing. -EBUSY: another process writes it; -EBADMSG: its
 * dictionary is damaged, so it can only be read. */
int part_open(int store, const char *name, struct part **ret, struct err *err);
/* Logs rows, which refer to part->dict, and takes them over, with the number of their batch (0 =
 * none). After a failure they are not there. */
int part_log(struct part *part, struct store_rows *rows, uint64_t number, struct err *err);
int part_sync(struct part *part, struct err *err);
int part_checkpoint(struct part *part, struct err *err);
/* Adds what the coarser file lacks from the finer one (tier: the coarser). */
int part_roll_up(struct part *part, enum part_tier tier, struct err *err);
/* Deletes a file of samples, if a coarser one has all of them. */
int part_drop_tier(struct part *part, enum part_tier tier, struct err *err);
/* With a checkpoint; the error is that one's. */
int part_close(struct part *part, struct err *err);

#endif
