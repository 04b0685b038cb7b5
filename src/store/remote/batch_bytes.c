/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batches on their way (see batch_bytes.h). What is read is untrusted. */
#include "store/remote/batch_bytes.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"
#include "store/row_answer.h"
#include "store/segment/block.h"
#include "store/segment/chunk.h"
#include "store/segment/part_file.h"
#include "store/store.h"

#define MAGIC 0x3154414c50555043u /* "CPUPLAT1" */

void batch_bytes_write(uint64_t id, const struct dictionary *dict, const struct store_rows *rows,
		       struct buf *ret)
{
	const struct block_range range = { STORE_BUCKET_NS, 1, 1 };
	const uint64_t head[2] = { htole64(MAGIC), htole64(id) };
	struct dictionary empty = { 0 };
	struct dictionary_mark nothing;

	dictionary_init(&empty);
	nothing = dictionary_mark(&empty);
	(void)buf_append(ret, head, sizeof(head));
	part_put_dictionary(dict, &nothing, ret);
	block_write(rows, &range, ret);
	dictionary_done(&empty);
}

struct taker {
	const struct dictionary *dict;
	struct store_rows *rows;
	bool bad;
};

static void take_row(void *context, const struct store_row *row)
{
	struct taker *t = context;

	if (row->leaf >= t->dict->leaves.count || row->series >= t->dict->series.count)
		t->bad = true;
	else
		vec_push(&t->rows->rows, *row);
}

static int read_chunks(const struct chunk_list *list, struct batch_content *ret, struct err *err)
{
	const struct block_filter all = { .to_ns = UINT64_MAX };
	struct taker taker = { &ret->dict, &ret->rows, false };
	int code = 0;

	for (size_t i = 0; i < list->chunks.count && !code; i++) {
		const struct chunk *chunk = &list->chunks.item[i];

		if (chunk->head.kind == CHUNK_DICTIONARY)
			code = part_read_dictionary(chunk, &ret->dict, err);
		else
			code = block_read(chunk, &all, take_row, &taker, err);
	}
	if (!code && (taker.bad || ret->dict.series.count > DICTIONARY_MAX_SERIES ||
		      ret->dict.events.count > DICTIONARY_MAX_EVENTS))
		code = err_set(err, -EBADMSG, "the batch is damaged");
	return code;
}

int batch_bytes_read(const void *data, size_t len, struct batch_content *ret, struct err *err)
{
	struct chunk_list list = { 0 };
	uint64_t head[2] = { 0 };
	int code = 0;

	*ret = (struct batch_content){ 0 };
	dictionary_init(&ret->dict);
	if (len >= sizeof(head))
		memcpy(head, data, sizeof(head));
	if (le64toh(head[0]) != MAGIC)
		return err_set(err, -EPROTONOSUPPORT, "not a batch of this version of cupel");
	ret->id = le64toh(head[1]);
	chunk_list_read(&list, (const uint8_t *)data + sizeof(head), len - sizeof(head));
	if (list.damaged || list.whole_bytes != len - sizeof(head))
		code = err_set(err, -EBADMSG, "the batch is damaged");
	if (!code)
		code = read_chunks(&list, ret, err);
	chunk_list_done(&list);
	return code;
}

void batch_content_done(struct batch_content *content)
{
	vec_done(&content->rows.rows);
	dictionary_done(&content->dict);
}

/* Rows as a profile in which each series is a thread, with the labels that it came with. */
struct arrival {
	const struct batch_target *target;
	struct batch_content from;
	struct profile *profile;
	struct label_set *sets;		 /* by series */
	const struct label_set **labels; /* by thread */
	const struct label_set *lost;	 /* of the series with lost samples; NULL = none */
};

static void take_labels(struct arrival *a)
{
	a->sets = mem_zalloc((a->from.dict.series.count + 1) * sizeof(*a->sets));
	for (size_t i = 0; i < a->from.dict.series.count; i++) {
		label_set_put_all(&a->sets[i], &a->from.dict.series.item[i].labels);
		(void)label_set_put(&a->sets[i], "event", ""); /* the store's own */
		if (a->target->labels)
			label_set_put_all(&a->sets[i], a->target->labels);
	}
}

static int make_profile(struct arrival *a, struct err *err)
{
	const struct store_query all = { .viewer = STORE_EVERYBODY };
	struct row_answer *answer = row_answer_new_by_series(&a->from.dict, &all, a->profile);

	for (size_t i = 0; i < a->from.rows.rows.count; i++) {
		struct store_row *row = &a->from.rows.rows.item[i];

		if (row->time_ns < a->target->first_ns || row->time_ns > a->target->last_ns)
			row->time_ns = a->target->now_ns - a->target->now_ns % STORE_BUCKET_NS;
		if (row->leaf == DICTIONARY_LEAF_LOST)
			a->lost = &a->sets[row->series];
		row_answer_add(answer, row);
	}
	if (row_answer_end(answer))
		return err_set(err, -EBADMSG, "the batch is damaged");
	a->labels = mem_zalloc((a->profile->threads.count + 1) * sizeof(*a->labels));
	for (size_t i = 0; i < a->profile->threads.count; i++)
		if (a->profile->threads.item[i].pid < a->from.dict.series.count)
			a->labels[i] = &a->sets[a->profile->threads.item[i].pid];
	return 0;
}

static void arrival_done(struct arrival *a)
{
	for (size_t i = 0; a->sets && i < a->from.dict.series.count; i++)
		label_set_done(&a->sets[i]);
	free(a->sets);
	free(a->labels);
	profile_free(a->profile);
	batch_content_done(&a->from);
}

int batch_bytes_append(const struct batch_target *target, const void *data, size_t len,
		       uint64_t *ret_samples, struct err *err)
{
	struct arrival a = { .target = target, .profile = profile_new(PROFILE_KEEP_TIME) };
	struct store_batch batch = { .profile = a.profile };
	int code = batch_bytes_read(data, len, &a.from, err);

	if (!code) {
		batch.id = a.from.id;
		take_labels(&a);
		code = make_profile(&a, err);
	}
	if (!code) {
		batch.labels = a.lost;
		batch.thread_labels = a.labels;
		code = store_append(target->store, &batch, err);
	}
	if (!code)
		*ret_samples += profile_sample_count(a.profile);
	arrival_done(&a);
	return code;
}
