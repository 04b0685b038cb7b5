/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing one part of a store (see part.h). */
#include "store/segment/part.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "store/segment/bytes.h"
#include "store/segment/chunk.h"
#include "store/segment/part_file.h"
#include "store/store.h"

const char *const part_tier_name[PART_TIERS] = { "10s", "1h", "1d" };
const uint64_t part_tier_ns[PART_TIERS] = { STORE_BUCKET_NS, STORE_HOUR_NS, STORE_DAY_NS };

void part_name(uint32_t day, unsigned number, char ret[PART_NAME_BYTES])
{
	time_t seconds = (time_t)day * 86400;
	struct tm tm = { 0 };

	(void)gmtime_r(&seconds, &tm);
	(void)snprintf(ret, PART_NAME_BYTES, "%04u%02u%02u-%02u", (tm.tm_year + 1900u) % 10000,
		       (tm.tm_mon + 1u) % 100, (unsigned)tm.tm_mday % 100, number % PART_NUMBERS);
}

static bool digits(const char *text, size_t count, unsigned *ret)
{
	*ret = 0;
	for (size_t i = 0; i < count; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		*ret = *ret * 10 + (unsigned)(text[i] - '0');
	}
	return true;
}

bool part_name_parse(const char *name, uint32_t *ret_day, unsigned *ret_number)
{
	char again[PART_NAME_BYTES];
	unsigned year, month, day;
	struct tm tm = { 0 };
	time_t seconds;

	if (strlen(name) != 11 || name[8] != '-' || !digits(name, 4, &year) ||
	    !digits(name + 4, 2, &month) || !digits(name + 6, 2, &day) ||
	    !digits(name + 9, 2, ret_number))
		return false;
	tm.tm_year = (int)year - 1900;
	tm.tm_mon = (int)month - 1;
	tm.tm_mday = (int)day;
	seconds = timegm(&tm);
	if (seconds < 0)
		return false;
	*ret_day = (uint32_t)(seconds / 86400);
	part_name(*ret_day, *ret_number, again);
	return strcmp(name, again) == 0; /* not the 31st of February */
}

static int take_lock(struct part *part, struct err *err)
{
	part->lock = openat(part->folder, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (part->lock < 0)
		return err_errno(err, "%s/lock", part->name);
	if (flock(part->lock, LOCK_EX | LOCK_NB))
		return err_set(err, errno == EWOULDBLOCK ? -EBUSY : -errno,
			       "%s: another process writes it", part->name);
	return 0;
}

static int read_dictionary(struct part *part, const struct chunk_list *list, struct err *err)
{
	for (size_t i = 0; i < list->chunks.count; i++)
		if (part_read_dictionary(&list->chunks.item[i], &part->dict, err))
			return err_wrap(err, "%s/dictionary", part->name);
	return 0;
}

static int open_dictionary(struct part *part, struct err *err)
{
	struct part_map map;
	int code = part_file_open(part->folder, "dictionary", &part->dictionary_file, &map, err);

	if (code)
		return code;
	dictionary_init(&part->dict);
	code = read_dictionary(part, &map.list, err);
	if (!code && map.list.damaged)
		code = err_set(err, -EBADMSG, "%s/dictionary: damaged", part->name);
	part_map_close(&map);
	part->stored = part->logged = dictionary_mark(&part->dict);
	return code;
}

static int open_tiers(struct part *part, struct err *err)
{
	for (int tier = 0; tier < PART_TIERS; tier++) {
		struct part_map map;

		if (part_file_open(part->folder, part_tier_name[tier], &part->tier[tier], &map,
				   err))
			return err->code;
		part_map_close(&map);
		if (part->tier[tier].last_seq >= part->seq)
			part->seq = part->tier[tier].last_seq + 1;
	}
	return 0;
}

static void keep_row(void *context, const struct store_row *row)
{
	struct part *part = context;

	if (row->leaf < part->dict.leaves.count && row->series < part->dict.series.count)
		vec_push(&part->rows.rows, *row);
}

/* One log that was left over: what it has up to its torn end. */
static void replay(struct part *part, const struct chunk_list *list)
{
	const struct block_filter all = { .to_ns = UINT64_MAX };
	struct err ignored = { 0 }; /* its hash was right: written like this */

	for (size_t i = 0; i < list->chunks.count; i++) {
		const struct chunk *chunk = &list->chunks.item[i];

		if (chunk->head.kind == CHUNK_DICTIONARY)
			(void)part_read_dictionary(chunk, &part->dict, &ignored);
		else if (chunk->head.kind == CHUNK_BLOCK)
			(void)block_read(chunk, &all, keep_row, part, &ignored);
	}
}

/* *ret_damaged: some of a log was lost after it had been synchronised. */
static int replay_logs(struct part *part, const struct part_logs *logs, bool *ret_damaged,
		       struct err *err)
{
	const struct part_synced synced = part_synced(part->folder);
	bool missing = synced.seq >= part->seq;

	for (size_t i = 0; i < logs->seq.count; i++) {
		struct part_file file;
		struct part_map map;
		char name[32];

		if (logs->seq.item[i] < part->seq)
			continue;
		part_log_name(logs->seq.item[i], name);
		if (part_file_open(part->folder, name, &file, &map, err))
			return err->code;
		replay(part, &map.list);
		*ret_damaged |= map.list.damaged > 0;
		if (logs->seq.item[i] == synced.seq)
			missing = map.list.whole_bytes < synced.bytes;
		part->seq = logs->seq.item[i] + 1;
		part_map_close(&map);
		fd_close(&file.fd);
	}
	*ret_damaged |= missing;
	if (missing && part->seq <= synced.seq)
		part->seq = synced.seq + 1; /* the log itself is gone */
	return 0;
}

static void remove_logs(struct part *part, const struct part_logs *logs)
{
	char name[32];

	for (size_t i = 0; i < logs->seq.count; i++) {
		part_log_name(logs->seq.item[i], name);
		(void)unlinkat(part->folder, name, 0); /* it is older than the blocks */
	}
}

/* What is new of the dictionary and the rows, at the ends of their files. */
static int store_rows(struct part *part, uint64_t first_seq, struct err *err)
{
	const struct block_range range = { STORE_BUCKET_NS, first_seq, part->seq };
	struct part_file *buckets = &part->tier[PART_BUCKETS];
	const uint64_t before = buckets->bytes;
	struct buf out = { 0 };
	int code = 0;

	if (dictionary_has_new(&part->dict, &part->stored)) {
		part_put_dictionary(&part->dict, &part->stored, &out);
		code = part_file_append(part->folder, "dictionary", &part->dictionary_file, &out,
					err);
		if (!code)
			part->stored = dictionary_mark(&part->dict);
	}
	if (!code && part->rows.rows.count) {
		store_rows_merge(&part->rows, STORE_BUCKET_NS);
		buf_clear(&out);
		block_write(&part->rows, &range, &out);
		code = part_file_append(part->folder, part_tier_name[PART_BUCKETS], buckets, &out,
					err);
	}
	buf_done(&out);
	if (!code && ((part->dictionary_file.fd >= 0 && fdatasync(part->dictionary_file.fd)) ||
		      (buckets->fd >= 0 && fdatasync(buckets->fd)) || fsync(part->folder)))
		code = err_errno(err, "writing");
	if (!code && part->rows.rows.count) {
		code = part_note_written(part->folder, part->seq);
		code = code ? err_set(err, code, "writing: %s", strerror(-code)) : 0;
	}
	if (code && buckets->bytes > before)
		part_file_take_back(buckets, before); /* the next attempt has the same rows */
	else if (!code && part->rows.rows.count)
		buckets->last_seq = part->seq;
	return code ? err_wrap(err, "%s", part->name) : 0;
}

/* Here something is missing that had been acknowledged. */
static int put_mark(struct part *part, struct err *err)
{
	const struct chunk_head head = { .kind = CHUNK_LOST,
					 .first_seq = part->seq,
					 .last_seq = part->seq };
	struct part_file *file = &part->tier[PART_BUCKETS];
	struct buf out = { 0 };
	int code;

	chunk_append(&out, &head, "", 0);
	code = part_file_append(part->folder, part_tier_name[PART_BUCKETS], file, &out, err);
	buf_done(&out);
	if (!code) {
		/* from here on the mark alone counts; else the next writer leaves another one */
		(void)part_note_written(part->folder, part->seq);
		file->last_seq = part->seq++;
	}
	return code;
}

/* A writer that is killed leaves the log of what it did not write to the end. */
static int mark_lost(struct part *part, const struct part_logs *logs, struct err *err)
{
	struct part_file *file = &part->tier[PART_BUCKETS];

	for (size_t i = 0; i < logs->seq.count; i++)
		if (logs->seq.item[i] == file->last_seq + 1)
			return 0;
	if (!file->cut && part_written(part->folder) < part->seq)
		return 0;
	return put_mark(part, err);
}

/* Of logs that are left over. */
static int keep_numbers(const struct part *part, struct err *err)
{
	struct part_numbers numbers = { 0 };
	int code = part_numbers_of_logs(part->folder, &numbers, err);

	if (!code)
		code = part_numbers_keep(part->store, &numbers, err);
	vec_done(&numbers.number);
	return code;
}

static int recover(struct part *part, struct err *err)
{
	struct part_logs logs = { 0 };
	int code = part_logs_find(part->folder, &logs, err);
	bool damaged = false;
	uint64_t first;

	if (!code)
		code = mark_lost(part, &logs, err);
	first = part->seq;
	if (!code)
		code = replay_logs(part, &logs, &damaged, err);
	if (!code && part->seq > first) {
		part->seq--; /* the last of the logs */
		code = store_rows(part, first, err);
		part->seq++;
	}
	if (!code && damaged)
		code = put_mark(part, err);
	if (!code)
		code = keep_numbers(part, err);
	if (!code) {
		part->rows.rows.count = 0;
		part->logged = part->stored;
		remove_logs(part, &logs);
	}
	vec_done(&logs.seq);
	return code;
}

static void free_part(struct part *part)
{
	for (int tier = 0; tier < PART_TIERS; tier++)
		fd_close(&part->tier[tier].fd);
	fd_close(&part->dictionary_file.fd);
	fd_close(&part->log.fd);
	fd_close(&part->lock);
	fd_close(&part->folder);
	vec_done(&part->rows.rows);
	vec_done(&part->numbers.number);
	dictionary_done(&part->dict);
	free(part);
}

int part_open(int store, const char *name, struct part **ret, struct err *err)
{
	struct part *part = mem_zalloc(sizeof(*part));
	unsigned number;
	int code;

	if (!part_name_parse(name, &part->day, &number))
		BUG("the name of a part");
	(void)snprintf(part->name, sizeof(part->name), "%s", name);
	part->store = store;
	part->lock = part->dictionary_file.fd = part->log.fd = -1;
	for (int tier = 0; tier < PART_TIERS; tier++)
		part->tier[tier].fd = -1;
	part->seq = 1;
	code = mkdirat(store, name, 0700) && errno != EEXIST ? err_errno(err, "%s", name) : 0;
	part->folder = openat(store, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (!code && part->folder < 0)
		code = err_errno(err, "%s", name);
	if (!code)
		code = take_lock(part, err);
	if (!code)
		code = open_dictionary(part, err);
	if (!code)
		code = open_tiers(part, err);
	if (!code)
		code = recover(part, err);
	if (code)
		free_part(part);
	else
		*ret = part;
	return code;
}

int part_log(struct part *part, struct store_rows *rows, uint64_t number, struct err *err)
{
	const struct block_range range = { STORE_BUCKET_NS, part->seq, part->seq };
	struct buf out = { 0 };
	char name[32];
	int code;

	store_rows_merge(rows, STORE_BUCKET_NS);
	if (dictionary_has_new(&part->dict, &part->logged))
		part_put_dictionary(&part->dict, &part->logged, &out);
	if (number)
		part_put_number(number, &out);
	block_write(rows, &range, &out);
	part_log_name(part->seq, name);
	code = part_file_append(part->folder, name, &part->log, &out, err);
	buf_done(&out);
	if (code)
		return err_wrap(err, "%s", part->name);
	part->logged = dictionary_mark(&part->dict);
	part->unsynced = true;
	if (!part->since_ns)
		part->since_ns = clock_ns(CLOCK_MONOTONIC);
	vec_reserve(&part->rows.rows, rows->rows.count);
	memcpy(part->rows.rows.item + part->rows.rows.count, rows->rows.item,
	       rows->rows.count * sizeof(*rows->rows.item));
	part->rows.rows.count += rows->rows.count;
	if (number)
		vec_push(&part->numbers.number, number);
	return 0;
}

int part_sync(struct part *part, struct err *err)
{
	const struct part_synced synced = { part->seq, part->log.bytes };

	if (!part->unsynced)
		return 0;
	/* the folder for the log's own name */
	if (fdatasync(part->log.fd) || fsync(part->folder))
		return err_errno(err, "%s", part->name);
	(void)part_note_synced(part->folder, &synced); /* without it less would be noticed */
	part->unsynced = false;
	return 0;
}

int part_checkpoint(struct part *part, struct err *err)
{
	char old[32];
	bool kept;

	if (!part->rows.rows.count)
		return 0;
	if (store_rows(part, part->seq, err))
		return err->code;
	kept = !part_numbers_keep(part->store, &part->numbers, err);
	part->numbers.number.count = 0;
	part_log_name(part->seq, old);
	part->rows.rows.count = 0;
	part->since_ns = 0;
	part->unsynced = false;
	part->logged = part->stored;
	part->seq++;
	fd_close(&part->log.fd);
	part->log = (struct part_file){ .fd = -1 };
	/* Else it is known as old by its seq, and the next writer of the part keeps its numbers. */
	if (kept)
		(void)unlinkat(part->folder, old, 0);
	return kept ? 0 : err_wrap(err, "%s", part->name);
}

int part_close(struct part *part, struct err *err)
{
	int code = part_checkpoint(part, err);

	free_part(part);
	return code;
}
