/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks of samples (see block.h). */
#include "store/segment/block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "store/segment/bytes.h"
#include "store/segment/chunk.h"

#define LEVEL	    3
#define MAX_NUMBER  10 /* bytes of a LEB128 number */
#define MAX_BUCKETS ((uint64_t)1 << 32)

enum { LEAVES, TIMES, COUNTS, WEIGHTS, COLUMNS };

struct writer {
	struct buf directory, column[COLUMNS];
	const struct chunk_head *head;
};

static void put(struct buf *out, uint64_t value)
{
	(void)buf_put_varint(out, value); /* far below the limit of a buf */
}

/* The weight that most samples have: that of the row in the middle. */
static uint64_t usual_weight(const struct store_row *row, size_t count)
{
	const struct store_row *middle = &row[count / 2];

	return middle->count ? middle->weight / middle->count : 0;
}

static void put_series(struct writer *w, const struct store_row *row, size_t count,
		       uint32_t series_before)
{
	uint64_t usual = usual_weight(row, count);
	size_t at[COLUMNS];

	for (int c = 0; c < COLUMNS; c++)
		at[c] = w->column[c].len;
	for (size_t i = 0; i < count; i++) {
		uint64_t bucket = (row[i].time_ns - w->head->first_ns) / w->head->step_ns;
		bool again = i && row[i].leaf == row[i - 1].leaf;

		if (again)
			bucket -= (row[i - 1].time_ns - w->head->first_ns) / w->head->step_ns;
		put(&w->column[LEAVES], row[i].leaf - (i ? row[i - 1].leaf : 0));
		put(&w->column[TIMES], bucket);
		put(&w->column[COUNTS], row[i].count);
		put(&w->column[WEIGHTS], zigzag((int64_t)(row[i].weight - row[i].count * usual)));
	}
	put(&w->directory, row->series - series_before);
	put(&w->directory, count);
	put(&w->directory, usual);
	for (int c = 0; c < COLUMNS; c++)
		put(&w->directory, w->column[c].len - at[c]);
}

static size_t series_rows(const struct store_row *row, size_t left)
{
	size_t count = 1;

	while (count < left && row[count].series == row->series)
		count++;
	return count;
}

static void put_rows(struct writer *w, const struct store_row *row, size_t count)
{
	uint32_t before = 0;
	size_t all = 0;

	for (size_t i = 0; i < count; all++)
		i += series_rows(&row[i], count - i);
	put(&w->directory, all);
	for (size_t i = 0; i < count;) {
		size_t own = series_rows(&row[i], count - i);

		put_series(w, &row[i], own, before);
		before = row[i].series;
		i += own;
	}
}

/* more: chunks that follow. */
static void write_one(const struct store_row *row, size_t count, const struct block_range *range,
		      size_t more, struct buf *ret)
{
	struct chunk_head head = { .kind = CHUNK_BLOCK,
				   .more = (uint16_t)more,
				   .first_seq = range->first_seq,
				   .last_seq = range->last_seq,
				   .first_ns = UINT64_MAX,
				   .rows = count,
				   .step_ns = range->step_ns };
	struct writer w = { .head = &head };
	struct buf body = { 0 };

	for (size_t i = 0; i < count; i++) {
		head.first_ns = row[i].time_ns < head.first_ns ? row[i].time_ns : head.first_ns;
		head.last_ns = row[i].time_ns > head.last_ns ? row[i].time_ns : head.last_ns;
		head.count += row[i].leaf ? row[i].count : 0;
	}
	put_rows(&w, row, count);
	packed_append(&body, w.directory.data, w.directory.len, LEVEL);
	for (int c = 0; c < COLUMNS; c++) {
		packed_append(&body, w.column[c].data, w.column[c].len, LEVEL);
		buf_done(&w.column[c]);
	}
	chunk_append(ret, &head, body.data, body.len);
	buf_done(&w.directory);
	buf_done(&body);
}

void block_write(const struct store_rows *rows, const struct block_range *range, struct buf *ret)
{
	for (size_t i = 0; i < rows->rows.count; i += BLOCK_MAX_ROWS) {
		size_t left = rows->rows.count - i,
		       own = left < BLOCK_MAX_ROWS ? left : BLOCK_MAX_ROWS;

		write_one(&rows->rows.item[i], own, range, (left - 1) / BLOCK_MAX_ROWS, ret);
	}
}

struct reader {
	const struct chunk_head *head;
	const struct block_filter *filter;
	struct buf raw[COLUMNS];
	struct bytes column[COLUMNS];
	store_row_visit visit;
	void *context;
};

/* One entry of the directory. */
struct entry {
	uint32_t series;
	size_t rows;
	uint64_t usual, bytes[COLUMNS];
};

static bool take_entry(struct bytes *directory, uint32_t before, struct entry *ret)
{
	uint64_t series = before + bytes_take(directory);

	ret->series = (uint32_t)series;
	ret->rows = (size_t)bytes_take(directory);
	ret->usual = bytes_take(directory);
	for (int c = 0; c < COLUMNS; c++)
		ret->bytes[c] = bytes_take(directory);
	return !directory->failed && series <= UINT32_MAX && ret->rows <= BLOCK_MAX_ROWS;
}

static bool is_wanted(const struct block_filter *filter, uint32_t series)
{
	return !filter->wanted || (series < filter->series && filter->wanted[series]);
}

/* Whether there is anything to unpack the columns for. */
static bool any_wanted(struct bytes directory, const struct block_filter *filter)
{
	size_t count = bytes_take_count(&directory, 3 + COLUMNS);
	struct entry entry = { 0 };

	for (size_t i = 0; i < count; i++) {
		if (!take_entry(&directory, entry.series, &entry))
			return true; /* the reader reports it */
		if (is_wanted(filter, entry.series))
			return true;
	}
	return false;
}

static bool read_rows(struct reader *r, const struct entry *entry, struct bytes *column)
{
	struct store_row row = { .series = entry->series };
	uint64_t leaf = 0, bucket = 0;

	for (size_t i = 0; i < entry->rows; i++) {
		uint64_t more = bytes_take(&column[LEAVES]), at = bytes_take(&column[TIMES]);

		leaf += more;
		bucket = i && !more ? bucket + at : at;
		if (leaf > UINT32_MAX || bucket > MAX_BUCKETS)
			return false;
		row.leaf = (uint32_t)leaf;
		row.time_ns = r->head->first_ns + bucket * r->head->step_ns;
		row.count = bytes_take(&column[COUNTS]);
		row.weight =
			row.count * entry->usual + (uint64_t)unzigzag(bytes_take(&column[WEIGHTS]));
		if (row.time_ns >= r->filter->from_ns && row.time_ns < r->filter->to_ns)
			r->visit(r->context, &row);
	}
	for (int c = 0; c < COLUMNS; c++)
		if (column[c].failed || column[c].at != column[c].end)
			return false;
	return true;
}

static bool read_series(struct reader *r, const struct entry *entry)
{
	struct bytes own[COLUMNS];

	for (int c = 0; c < COLUMNS; c++) {
		const uint8_t *at = bytes_take_run(&r->column[c], entry->bytes[c]);

		if (!at || entry->bytes[c] < entry->rows)
			return false;
		own[c] = (struct bytes){ at, at + entry->bytes[c], false };
	}
	return !is_wanted(r->filter, entry->series) || read_rows(r, entry, own);
}

static bool read_all(struct reader *r, struct bytes *directory)
{
	size_t count = bytes_take_count(directory, 3 + COLUMNS);
	struct entry entry = { 0 };

	for (size_t i = 0; i < count; i++)
		if (!take_entry(directory, entry.series, &entry) || !read_series(r, &entry))
			return false;
	return !directory->failed;
}

static int unpack(struct reader *r, struct bytes *in, struct err *err)
{
	for (int c = 0; c < COLUMNS; c++) {
		const uint8_t *data;

		if (packed_take(in, (size_t)r->head->rows * MAX_NUMBER, &r->raw[c], err))
			return err->code;
		data = (const uint8_t *)r->raw[c].data;
		r->column[c] = (struct bytes){ data, data + r->raw[c].len, false };
	}
	return 0;
}

int block_read(const struct chunk *chunk, const struct block_filter *filter, store_row_visit visit,
	       void *context, struct err *err)
{
	struct bytes in = { chunk->body, chunk->body + chunk->head.body_bytes, false }, names;
	struct reader r = {
		.head = &chunk->head, .filter = filter, .visit = visit, .context = context
	};
	struct buf directory = { 0 };
	int code = 0;

	if (chunk->head.rows > BLOCK_MAX_ROWS || !chunk->head.step_ns)
		return err_set(err, -EBADMSG, "a block of samples is damaged");
	code = packed_take(&in, (size_t)(chunk->head.rows + 1) * (2 + COLUMNS) * MAX_NUMBER,
			   &directory, err);
	names = (struct bytes){ (const uint8_t *)directory.data,
				(const uint8_t *)directory.data + directory.len, false };
	if (!code && any_wanted(names, filter)) {
		code = unpack(&r, &in, err);
		if (!code && !read_all(&r, &names))
			code = err_set(err, -EBADMSG, "a block of samples is damaged");
	}
	for (int c = 0; c < COLUMNS; c++)
		buf_done(&r.raw[c]);
	buf_done(&directory);
	return code;
}
