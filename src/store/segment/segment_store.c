/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The folder of parts: opening, and appending of batches (see segment_store.h). */
#include "store/segment/segment_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "profile/profile.h"
#include "store/batch_rows.h"

#define MOST_OPEN	4 /* parts: yesterday, today, and some for what comes late */
#define ROWS_OF_A_BLOCK ((size_t)1 << 18)

static int segment_open(const struct store_options *options, struct store **ret, struct err *err)
{
	struct segment_store *store;
	bool made = options->write && !mkdir(options->location, 0700);
	int folder;

	if (options->write && !made && errno != EEXIST)
		return err_errno(err, "%s", options->location);
	folder = open(options->location, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0) {
		(void)err_errno(err, "%s", options->location);
		if (err->code == -ENOENT)
			(void)err_hint(err, "put recordings in with cupel push, or run cupel "
					    "agent");
		return err->code;
	}
	store = mem_zalloc(sizeof(*store));
	store->folder = folder;
	store->write = options->write;
	store->made = made;
	store->location = mem_strdup(options->location);
	*ret = &store->base;
	return 0;
}

/* The last error counts; all are closed. */
static int close_parts(struct segment_store *store, size_t most, struct err *err)
{
	int code = 0;

	while (store->open.count > most) {
		struct part *part = store->open.item[0];

		memmove(&store->open.item[0], &store->open.item[1],
			(store->open.count - 1) * sizeof(*store->open.item));
		store->open.count--;
		if (part_close(part, err))
			code = err->code;
	}
	return code;
}

static struct part *find_open(const struct segment_store *store, uint32_t day)
{
	for (size_t i = store->open.count; i-- > 0;)
		if (store->open.item[i]->day == day &&
		    !dictionary_is_full(&store->open.item[i]->dict))
			return store->open.item[i];
	return NULL;
}

/* The first part of the day that this process can write. */
static int open_part(struct segment_store *store, uint32_t day, struct part **ret, struct err *err)
{
	char name[PART_NAME_BYTES];

	if (close_parts(store, MOST_OPEN - 1, err))
		return err->code;
	for (unsigned number = 0; number < PART_NUMBERS; number++) {
		struct err busy = { 0 };
		int code;

		part_name(day, number, name);
		code = part_open(store->folder, name, ret, &busy);
		if (code == 0 && dictionary_is_full(&(*ret)->dict)) {
			code = part_close(*ret, err);
			if (code)
				return code;
			continue;
		}
		if (code == -EBUSY || code == -EBADMSG)
			continue;
		if (code)
			*err = busy;
		else
			vec_push(&store->open, *ret);
		return code;
	}
	return err_set(err, -ENOSPC, "%s: %.8s: all %d parts of the day are full or in use",
		       store->location, name, PART_NUMBERS);
}

/* One day of a batch. */
struct day_batch {
	const struct store_batch *batch;
	uint32_t day;
	bool with_lost;
	uint64_t number; /* received_number(); 0 = none */
};

static int append_day(struct segment_store *store, const struct day_batch *b, struct err *err)
{
	struct part *part = find_open(store, b->day);
	struct store_rows rows = { 0 };
	int code = part ? 0 : open_part(store, b->day, &part, err);

	if (code)
		return err_wrap(err, "%s", store->location);
	batch_rows_add(b->batch, b->day, b->with_lost, &part->dict, &rows);
	code = rows.rows.count ? part_log(part, &rows, b->number, err) : 0;
	vec_done(&rows.rows);
	if (!code && b->number)
		received_add(&store->received, b->number);
	/* The batch is safe: what fails now is tried again. */
	if (!code && part->rows.rows.count >= ROWS_OF_A_BLOCK) {
		struct err later = { 0 };

		(void)part_checkpoint(part, &later);
	}
	return code ? err_wrap(err, "%s", store->location) : 0;
}

static int segment_append(struct store *base, const struct store_batch *batch, struct err *err)
{
	struct segment_store *store = (struct segment_store *)base;
	AUTO_FREE uint32_t *days = NULL;
	size_t count = 0;
	int code = batch_rows_days(batch, &days, &count, err);

	if (!store->write)
		BUG("a store that was opened for reading");
	for (size_t i = 0; i < count && !code; i++) {
		struct day_batch b = { batch, days[i], i + 1 == count, 0 };
		bool known = false;

		if (batch->id) {
			b.number = received_number(batch->id, i);
			code = received_find(&store->received, store->folder, b.number, &known,
					     err);
		}
		if (!code && !known)
			code = append_day(store, &b, err);
	}
	return code;
}

static int segment_sync(struct store *base, struct err *err)
{
	struct segment_store *store = (struct segment_store *)base;

	for (size_t i = 0; i < store->open.count; i++)
		if (part_sync(store->open.item[i], err))
			return err_wrap(err, "%s", store->location);
	return 0;
}

static void segment_close(struct store *base)
{
	struct segment_store *store = (struct segment_store *)base;
	struct err ignored = { 0 }; /* what is logged stays so */

	(void)close_parts(store, 0, &ignored);
	vec_done(&store->open);
	received_done(&store->received);
	fd_close(&store->folder);
	if (store->made)
		(void)rmdir(store->location); /* not one with something in it */
	free(store->location);
	free(store);
}

const struct store_ops store_segment = {
	.scheme = NULL,
	.open = segment_open,
	.append = segment_append,
	.sync = segment_sync,
	.query = segment_query,
	.timeline = segment_timeline,
	.series = segment_series,
	.maintain = segment_maintain,
	.close = segment_close,
};
