/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of a part (part.h): opened whole, appended to so that a failure leaves them as they
 * were, and read as lists of chunks. */
#ifndef STORE_SEGMENT_PART_FILE_H
#define STORE_SEGMENT_PART_FILE_H

#include <stdint.h>

#include "base/fd.h"
#include "base/vec.h"
#include "store/segment/chunk.h"

struct buf;
struct dictionary;
struct dictionary_mark;
struct err;
struct part_file;

/* A file that is mapped, with its chunks. */
struct part_map {
	struct file_map file;
	struct chunk_list list;
};

/* Numbers of the logs in a part, lowest first. */
struct part_logs {
	VEC(uint64_t) seq;
};

/* For writing: cuts what is torn off its end. A missing file is empty. */
int part_file_open(int folder, const char *name, struct part_file *ret, struct part_map *ret_map,
		   struct err *err);
/* Appends, and makes the file if it is missing. */
int part_file_append(int folder, const char *name, struct part_file *file, const struct buf *data,
		     struct err *err);
/* Cuts what was appended behind that many bytes. */
void part_file_take_back(struct part_file *file, uint64_t bytes);
/* For reading; a missing file is empty. */
int part_map_open(int folder, const char *name, struct part_map *ret, struct err *err);
void part_map_close(struct part_map *map);

/* The file `written`: the last block of samples that was written to the disk (its seq, 8 bytes,
 * little-endian), so that a file that was cut between blocks is noticed. 0 = not known. */
uint64_t part_written(int folder);
int part_note_written(int folder, uint64_t seq);

/* The file `synced`: how much of which log was on the disk when its batches were acknowledged (seq,
 * bytes and their check, 8 bytes each, little-endian), so that a log that lost some of it is
 * noticed. It is written after the log is synchronised: it may say too little, never too much. */
struct part_synced {
	uint64_t seq, bytes; /* 0 = not known */
};
struct part_synced part_synced(int folder);
int part_note_synced(int folder, const struct part_synced *synced);

/* Numbers of batches (received.h). */
struct part_numbers {
	VEC(uint64_t) number;
};
/* It counts with the chunk that follows alone. */
void part_put_number(uint64_t number, struct buf *ret);
/* Those in all logs that there are, in blocks already or not. */
int part_numbers_of_logs(int folder, struct part_numbers *ret, struct err *err);
/* Into the store's file `received`, and to the disk. */
int part_numbers_keep(int store, const struct part_numbers *numbers, struct err *err);

void part_log_name(uint64_t seq, char ret[32]);
/* Its bytes, not mapped: its writer may cut it. -ENOENT, without an error: it is gone. */
int part_log_read(int folder, uint64_t seq, struct buf *ret, struct err *err);
int part_logs_find(int folder, struct part_logs *ret, struct err *err);

/* Dictionaries as chunks. */
void part_put_dictionary(const struct dictionary *dict, const struct dictionary_mark *since,
			 struct buf *ret);
int part_read_dictionary(const struct chunk *chunk, struct dictionary *dict, struct err *err);

#endif
