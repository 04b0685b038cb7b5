/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading one part of a store (see part_view.h). Files are opened in the order against that of the
 * writer: logs, then the dictionary, then samples. So a checkpoint in between is seen as a log that
 * the blocks have as well, not as samples that are nowhere. */
#include "store/segment/part_view.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "store/segment/bytes.h"
#include "store/segment/chunk.h"
#include "store/store.h"

static int read_logs(int folder, struct part_view *view, struct err *err)
{
	struct part_logs logs = { 0 };
	int code = part_logs_find(folder, &logs, err);

	for (size_t i = 0; i < logs.seq.count && !code; i++) {
		struct part_view_log log = { .seq = logs.seq.item[i] };

		code = part_log_read(folder, log.seq, &log.data, err);
		if (code == -ENOENT) {
			code = 0; /* a checkpoint: the blocks have it */
			continue;
		}
		if (code)
			break;
		chunk_list_read(&log.list, (const uint8_t *)log.data.data, log.data.len);
		vec_push(&view->logs, log);
	}
	vec_done(&logs.seq);
	return code;
}

static void read_dictionary(struct part_view *view, const struct chunk_list *list)
{
	struct err ignored = { 0 };

	view->damaged += list->damaged;
	for (size_t i = 0; i < list->chunks.count; i++)
		if (list->chunks.item[i].head.kind == CHUNK_DICTIONARY &&
		    part_read_dictionary(&list->chunks.item[i], &view->dict, &ignored))
			view->damaged++;
}

static int read_files(int folder, struct part_view *view, struct err *err)
{
	struct part_map dictionary;
	int code = part_map_open(folder, "dictionary", &dictionary, err);

	if (code)
		return code;
	read_dictionary(view, &dictionary.list);
	part_map_close(&dictionary);
	for (size_t i = 0; i < view->logs.count; i++)
		read_dictionary(view, &view->logs.item[i].list);
	for (int tier = 0; tier < PART_TIERS; tier++) {
		if (part_map_open(folder, part_tier_name[tier], &view->tier[tier], err))
			return err->code;
		view->damaged += view->tier[tier].list.damaged;
		/* Blocks come after what they refer to. */
		view->damaged += view->dict.series.count ? 0 : view->tier[tier].list.chunks.count;
	}
	return 0;
}

/* Since it was opened. */
static bool has_changed(int folder, const char *name, const struct part_map *map)
{
	AUTO_CLOSE int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	return fd < 0 || fstat(fd, &st) || (uint64_t)st.st_size != map->file.len;
}

/* Whether the file has what its writer had not written to the end, or that may be: another process
 * may be at it right now. */
static bool is_explained(int folder, const char *name, const struct part_map *map)
{
	struct part_logs logs = { 0 };
	struct err ignored = { 0 };
	bool ret = has_changed(folder, name, map) || part_logs_find(folder, &logs, &ignored);

	for (size_t i = 0; i < logs.seq.count; i++)
		ret |= logs.seq.item[i] == map->list.last_seq + 1;
	vec_done(&logs.seq);
	return ret;
}

static uint64_t last_seq(const struct part_view *view)
{
	uint64_t last = 0;

	for (int tier = 0; tier < PART_TIERS; tier++)
		if (view->tier[tier].list.last_seq > last)
			last = view->tier[tier].list.last_seq;
	return last;
}

/* A log that lacks some of what its writer had synchronised, and that no block has. `before`: what
 * was synchronised before the logs were read, so none of it can have come later. */
static void check_logs(int folder, const struct part_synced *before, struct part_view *view)
{
	bool found = false;

	for (size_t i = 0; i < view->logs.count; i++) {
		const struct part_view_log *log = &view->logs.item[i];

		view->damaged += log->seq == before->seq && log->list.whole_bytes < before->bytes;
		found |= log->seq == before->seq;
	}
	/* A part that is being deleted has lost this file as well. */
	view->damaged += !found && before->seq > last_seq(view) &&
			 part_synced(folder).seq == before->seq;
}

/* Ends that are missing though they had been written: torn, marked so, cut between two blocks, or
 * behind the coarser file that is made of it. */
static void check_ends(int folder, struct part_view *view)
{
	const struct part_map *buckets = &view->tier[PART_BUCKETS];

	for (size_t i = 0; i < buckets->list.chunks.count; i++)
		view->damaged += buckets->list.chunks.item[i].head.kind == CHUNK_LOST;
	if (buckets->list.whole_bytes < buckets->file.len)
		view->damaged += !is_explained(folder, part_tier_name[PART_BUCKETS], buckets);
	else if (part_written(folder) > last_seq(view))
		view->damaged += !is_explained(folder, part_tier_name[PART_BUCKETS], buckets);
	for (int tier = 0; tier + 1 < PART_TIERS; tier++) {
		const struct part_map *map = &view->tier[tier];

		view->damaged += map->list.chunks.count &&
				 map->list.last_seq < map[1].list.last_seq &&
				 !has_changed(folder, part_tier_name[tier], map);
	}
}

int part_view_open(int store, const char *name, struct part_view *ret, struct err *err)
{
	AUTO_CLOSE int folder =
		openat(store, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct part_synced synced;
	unsigned number;
	int code;

	*ret = (struct part_view){ 0 };
	if (folder < 0)
		return err_errno(err, "%s", name);
	if (!part_name_parse(name, &ret->day, &number))
		return err_set(err, -EINVAL, "%s: not a part of a store", name);
	dictionary_init(&ret->dict);
	synced = part_synced(folder);
	code = read_logs(folder, ret, err);
	if (!code)
		code = read_files(folder, ret, err);
	if (!code) {
		check_ends(folder, ret);
		check_logs(folder, &synced, ret);
		return 0;
	}
	part_view_close(ret);
	return err_wrap(err, "%s", name);
}

void part_view_of_bytes(struct part_view *ret, const struct bytes *dictionary,
			const struct bytes *samples)
{
	struct chunk_list list = { 0 };

	*ret = (struct part_view){ 0 };
	dictionary_init(&ret->dict);
	chunk_list_read(&list, dictionary->at, (size_t)(dictionary->end - dictionary->at));
	read_dictionary(ret, &list);
	chunk_list_done(&list);
	chunk_list_read(&ret->tier[PART_BUCKETS].list, samples->at,
			(size_t)(samples->end - samples->at));
}

void part_view_close(struct part_view *view)
{
	for (int tier = 0; tier < PART_TIERS; tier++)
		part_map_close(&view->tier[tier]);
	for (size_t i = 0; i < view->logs.count; i++) {
		chunk_list_done(&view->logs.item[i].list);
		buf_done(&view->logs.item[i].data);
	}
	vec_done(&view->logs);
	dictionary_done(&view->dict);
}

struct visit {
	struct part_view *view;
	struct block_filter filter;
	store_row_visit visit;
	void *context;
};

/* Blocks of a list, of checkpoints after `after`. */
static void visit_list(struct visit *v, const struct chunk_list *list, uint64_t after,
		       uint64_t from_ns, uint64_t to_ns)
{
	struct block_filter filter = v->filter;
	struct err ignored = { 0 };

	filter.from_ns = from_ns;
	filter.to_ns = to_ns;
	for (size_t i = 0; i < list->chunks.count && from_ns < to_ns; i++) {
		const struct chunk *chunk = &list->chunks.item[i];

		if (chunk->head.kind != CHUNK_BLOCK || chunk->head.first_seq <= after ||
		    chunk->head.last_ns < from_ns || chunk->head.first_ns >= to_ns)
			continue;
		if (block_read(chunk, &filter, v->visit, v->context, &ignored))
			v->view->damaged++;
	}
}

static void visit_tier(struct visit *v, enum part_tier tier, uint64_t after, uint64_t from_ns,
		       uint64_t to_ns)
{
	v->view->span_ns = tier == PART_DAYS	? STORE_DAY_NS
			   : tier == PART_HOURS ? STORE_HOUR_NS
						: STORE_BUCKET_NS;
	visit_list(v, &v->view->tier[tier].list, after, from_ns, to_ns);
}

static bool has(const struct part_view *view, enum part_tier tier)
{
	return view->tier[tier].list.chunks.count > 0;
}

/* The first checkpoint in a file: later ones than the first are there when a file was deleted for
 * its age, and something came afterwards. */
static uint64_t first_seq(const struct part_view *view, enum part_tier tier)
{
	return has(view, tier) ? view->tier[tier].list.chunks.item[0].head.first_seq : UINT64_MAX;
}

/* The checkpoints after `after`, from what is finer than days. */
static void visit_hours(struct visit *v, bool coarse, uint64_t after)
{
	uint64_t from = v->filter.from_ns, to = v->filter.to_ns;
	uint64_t first = (from + STORE_HOUR_NS - 1) / STORE_HOUR_NS * STORE_HOUR_NS;
	uint64_t end = to / STORE_HOUR_NS * STORE_HOUR_NS;
	uint64_t rolled = v->view->tier[PART_HOURS].list.last_seq;

	rolled = rolled > after ? rolled : after;
	if (has(v->view, PART_HOURS) && first_seq(v->view, PART_BUCKETS) > after + 1) {
		visit_tier(v, PART_HOURS, after, from, to);
		visit_tier(v, PART_BUCKETS, rolled, from, to);
	} else if (!has(v->view, PART_HOURS) || !coarse || first >= end) {
		visit_tier(v, PART_BUCKETS, after, from, to);
	} else {
		visit_tier(v, PART_HOURS, after, first, end);
		visit_tier(v, PART_BUCKETS, rolled, first, end);
		visit_tier(v, PART_BUCKETS, after, from, first);
		visit_tier(v, PART_BUCKETS, after, end, to);
	}
}

static bool is_whole_day(const struct part_view *view, const struct block_filter *filter)
{
	uint64_t begin = (uint64_t)view->day * STORE_DAY_NS;

	return filter->from_ns <= begin && filter->to_ns >= begin + STORE_DAY_NS;
}

void part_view_rows(struct part_view *view, const struct block_filter *filter, uint64_t moment_ns,
		    store_row_visit visit, void *context)
{
	struct visit v = { view, *filter, visit, context };
	bool finer = first_seq(view, PART_HOURS) == 1 || first_seq(view, PART_BUCKETS) == 1;
	bool days = has(view, PART_DAYS) &&
		    (!finer || (moment_ns >= STORE_DAY_NS && is_whole_day(view, filter)));
	uint64_t last = 0;

	if (days)
		visit_tier(&v, PART_DAYS, 0, filter->from_ns, filter->to_ns);
	visit_hours(&v, moment_ns >= STORE_HOUR_NS, days ? view->tier[PART_DAYS].list.last_seq : 0);
	for (int tier = 0; tier < PART_TIERS; tier++)
		last = view->tier[tier].list.last_seq > last ? view->tier[tier].list.last_seq
							     : last;
	view->span_ns = STORE_BUCKET_NS;
	for (size_t i = 0; i < view->logs.count; i++)
		if (view->logs.item[i].seq > last)
			visit_list(&v, &view->logs.item[i].list, 0, filter->from_ns, filter->to_ns);
}
