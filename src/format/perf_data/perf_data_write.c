/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The perf.data writer: header, data and feature sections of a file, or the records of a pipe (see
 * perf_data_write.h). Format: tools/perf/Documentation/perf.data-file-format.txt. */
#include "format/perf_data/perf_data_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "event/desc.h"
#include "event/walk_cost.h"
#include "format/perf_data/perf_data.h"
#include "format/perf_data/perf_data_write_feature.h"
#include "format/perf_data/perf_data_write_private.h"
#include "format/perf_data/perf_data_write_record.h"
#include "format/perf_data/perf_data_write_zstd.h"

/* Features that are known at the end of the recording. */
static bool known_late(unsigned feature)
{
	return feature == PERF_FEATURE_BUILD_ID || feature == PERF_FEATURE_SAMPLE_TIME;
}

/* Payloads of the features known from the start, in front of the data. */
static void append_features(struct perf_data_writer *writer, struct buf *head)
{
	const struct perf_feature_input input = { .events = writer->events,
						  .facts = &writer->facts };

	for (unsigned feature = 1; feature < PERF_DATA_FEATURES; feature++) {
		size_t start = head->len;

		if (known_late(feature) || !perf_feature_put(feature, &input, head)) {
			head->len = start; /* a count of nothing */
			continue;
		}
		writer->feature[feature] = (struct section){ start, head->len - start };
	}
}

/* header, ids of all events, attrs, payloads of features; the data follows. */
static int start_file(struct perf_data_writer *writer, struct err *err)
{
	static const char zero[8];
	const struct event_set *events = writer->events;
	struct file_header *header = &writer->header;
	struct buf head = { 0 };
	uint64_t ids_at = sizeof(*header);
	int r;

	memcpy(header->magic, "PERFILE2", 8);
	header->size = sizeof(*header);
	header->attr_size = PERF_DATA_ATTR_SIZE + sizeof(struct section);
	(void)buf_append(&head, header, sizeof(*header)); /* what comes before the data is small */
	for (size_t i = 0; i < events->desc.count; i++)
		(void)buf_append(&head, events->desc.item[i]->ids.item,
				 events->desc.item[i]->ids.count * sizeof(uint64_t));
	header->attrs.offset = head.len;
	for (size_t i = 0; i < events->desc.count; i++) {
		const struct event_desc *desc = events->desc.item[i];
		struct section ids = { ids_at, desc->ids.count * sizeof(uint64_t) };

		perf_feature_put_attr(&head, desc);
		(void)buf_append(&head, &ids, sizeof(ids));
		ids_at += ids.size;
	}
	header->attrs.size = head.len - header->attrs.offset;
	append_features(writer, &head);
	(void)buf_append(&head, zero, -head.len & 7);
	header->data.offset = head.len;
	r = writer_flush(writer, head.data, head.len, err);
	buf_done(&head);
	return r ? r : writer_put_header(writer, err);
}

int perf_data_writer_open(const struct event_set *events, const struct perf_data_facts *facts,
			  struct perf_data_writer **ret, struct err *err)
{
	struct perf_data_writer *writer;
	int r = 0;

	if (!events->desc.count)
		return err_set(err, -EINVAL, "writing: no events");
	writer = mem_zalloc(sizeof(*writer));
	writer->events = events;
	writer->facts = *facts;
	if (facts->zstd_level)
		r = perf_data_zstd_new(facts->zstd_level, &writer->zstd, err);
	if (r == 0)
		r = facts->pipe ? writer_start_pipe(writer, err) : start_file(writer, err);
	if (r) {
		perf_data_writer_free(writer);
		return r;
	}
	*ret = writer;
	return 0;
}

static int put_compressed(struct perf_data_writer *writer, const void *data, size_t len,
			  struct err *err)
{
	int r;

	buf_clear(&writer->compressed);
	r = perf_data_zstd_put(writer->zstd, data, len, &writer->compressed, err);
	writer->raw_bytes += len;
	writer->compressed_bytes += writer->compressed.len;
	return r ? r : writer_put(writer, writer->compressed.data, writer->compressed.len, err);
}

/* Events come one at a time, and few bytes hardly compress. */
static int put_waiting(struct perf_data_writer *writer, struct err *err)
{
	int r;

	if (!writer->waiting.len)
		return 0;
	r = put_compressed(writer, writer->waiting.data, writer->waiting.len, err);
	buf_clear(&writer->waiting);
	return r;
}

int perf_data_writer_records(struct perf_data_writer *writer, const void *data, size_t len,
			     struct err *err)
{
	if (!writer->zstd)
		return writer_put(writer, data, len, err);
	if (put_waiting(writer, err))
		return err->code;
	return put_compressed(writer, data, len, err);
}

int perf_data_writer_event(struct perf_data_writer *writer, const struct event *event,
			   struct err *err)
{
	int r;

	if (event->type == EVENT_ROUND)
		return perf_data_writer_round(writer, err);
	buf_clear(&writer->scratch);
	r = perf_data_encode(writer->events, event, &writer->scratch);
	if (r)
		return err_set(err, r, "writing: cannot write an event of type %d",
			       (int)event->type);
	if (!writer->zstd)
		return writer_put(writer, writer->scratch.data, writer->scratch.len, err);
	(void)buf_append(&writer->waiting, writer->scratch.data,
			 writer->scratch.len); /* no limit */
	return writer->waiting.len < PERF_DATA_ZSTD_CHUNK ? 0 : put_waiting(writer, err);
}

/* Appends {offset, size} of every feature, in the order of their bits; returns the bits. */
static uint64_t append_index(const struct section *feature, struct buf *ret)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < PERF_DATA_FEATURES; i++)
		if (feature[i].offset) {
			(void)buf_append(ret, &feature[i], sizeof(feature[i])); /* small */
			bits |= 1ULL << i;
		}
	return bits;
}

/* Behind the data. Only other readers need it, so a full disk at this point is not a failure. */
static int put_index(struct perf_data_writer *writer, struct err *err)
{
	struct err ignored;
	uint64_t bits;

	buf_clear(&writer->scratch);
	bits = append_index(writer->feature, &writer->scratch);
	if (writer_put_at(writer, writer->scratch.data, writer->scratch.len,
			  writer_data_end(writer), &ignored))
		bits = 0;
	writer->header.features[0] = bits;
	return writer_put_header(writer, err);
}

/* Makes everything so far readable. */
static int commit(struct perf_data_writer *writer, struct err *err)
{
	if (writer_flush(writer, NULL, 0, err))
		return err->code;
	if (writer->facts.pipe)
		return 0;
	writer->header.data.size = writer->offset - writer->header.data.offset;
	return put_index(writer, err);
}

int perf_data_writer_round(struct perf_data_writer *writer, struct err *err)
{
	const struct perf_event_header round = { .type = RECORD_FINISHED_ROUND,
						 .size = sizeof(round) };

	if (put_waiting(writer, err) || writer_put(writer, &round, sizeof(round), err))
		return err->code;
	return commit(writer, err);
}

static void facts_of_cpus(struct buf *text, const char *key, const uint64_t *count, size_t cpus)
{
	for (size_t i = 0; count && i < cpus; i++)
		if (count[i])
			(void)buf_printf(text, "%s %zu %llu\n", key, i,
					 (unsigned long long)count[i]);
}

static void facts_of_walks(struct buf *text, const struct walk_cost *cost)
{
	for (const struct walk_count *count = walk_counts; cost && count->name; count++)
		(void)buf_printf(text, "%s %llu\n", count->name,
				 (unsigned long long)walk_count_get(cost, count));
	for (size_t i = 0; cost && i < WALK_COST_BUCKETS; i++)
		if (cost->by_time[i])
			(void)buf_printf(text, "walk_time %zu %llu\n", i,
					 (unsigned long long)cost->by_time[i]);
}

static void facts_of_recorder(const struct perf_data_summary *summary, struct buf *text)
{
	(void)buf_printf(text,
			 "self_cpu_ns %llu\nself_peak_rss_bytes %llu\n"
			 "lost_samples %llu\nlost_records %llu\n",
			 (unsigned long long)summary->self_cpu_ns,
			 (unsigned long long)summary->self_peak_rss_bytes,
			 (unsigned long long)summary->lost_samples,
			 (unsigned long long)summary->lost_records);
	facts_of_cpus(text, "lost_cpu", summary->lost_by_cpu, summary->cpus);
	facts_of_cpus(text, "throttled_cpu", summary->throttled_by_cpu, summary->cpus);
	facts_of_walks(text, summary->walks);
}

/* Cupel's own facts (see the header), cut at line ends if they do not fit one record. */
static int put_facts(struct perf_data_writer *writer, const struct perf_data_summary *summary,
		     struct err *err)
{
	struct buf text = { 0 };
	const char *line;
	int r = 0;

	if (summary->truncated_bytes)
		(void)buf_printf(&text, "truncated_bytes %llu\n",
				 (unsigned long long)summary->truncated_bytes);
	if (summary->damage && *summary->damage)
		(void)buf_printf(&text, "damage %s\n", summary->damage);
	if (writer->facts.part)
		(void)buf_puts(&text, "part 1\n");
	if (!writer->facts.from) /* else they are among its records */
		facts_of_recorder(summary, &text);
	for (line = text.data; line && *line && r == 0;) {
		const uint64_t entries = 0;

		writer_start_scratch(writer, RECORD_ID_INDEX);
		(void)buf_append(&writer->scratch, &entries, sizeof(entries)); /* small */
		(void)buf_puts(&writer->scratch, PERF_DATA_FACTS_MAGIC);
		while (*line && writer->scratch.len < PERF_RECORD_BYTES_MAX / 2) {
			size_t len = strcspn(line, "\n") + 1;

			(void)buf_append(&writer->scratch, line, len);
			line += len;
		}
		r = writer_put_scratch(writer, err);
	}
	buf_done(&text);
	return r;
}

/* The final index, followed by the payloads of the late features. Without room for them the index
 * of the last round, which lay there, is written again. */
static int put_features(struct perf_data_writer *writer, const struct perf_data_summary *summary,
			struct err *err)
{
	const struct perf_feature_input input = {
		writer->events,	   &writer->facts,	     summary,
		writer->raw_bytes, writer->compressed_bytes, false
	};
	static const unsigned late[] = { PERF_FEATURE_BUILD_ID, PERF_FEATURE_SAMPLE_TIME,
					 PERF_FEATURE_COMPRESSED };
	struct section feature[PERF_DATA_FEATURES];
	struct buf end = { 0 }, payload = { 0 };
	struct err ignored; /* the first one counts */
	uint64_t bits, at;
	int r = summary->build_id_count ? writer_append_build_ids(writer, summary, &payload, err)
					: 0;

	memcpy(feature, writer->feature, sizeof(feature));
	feature[PERF_FEATURE_BUILD_ID] = (struct section){ payload.len > 0, payload.len };
	for (size_t i = 1; i < 3; i++) {
		size_t start = payload.len;
		bool there = perf_feature_put(late[i], &input, &payload);

		feature[late[i]] = (struct section){ there, payload.len - start };
	}
	bits = append_index(feature, &end); /* for its size */
	at = writer_data_end(writer) + end.len;
	for (size_t i = 0; i < 3; i++)
		if (feature[late[i]].offset) {
			feature[late[i]].offset = at;
			at += feature[late[i]].size;
		}
	buf_clear(&end);
	(void)append_index(feature, &end);
	(void)buf_append(&end, payload.data, payload.len); /* at most a few MB */
	if (r == 0)
		r = writer_put_at(writer, end.data, end.len, writer_data_end(writer), err);
	if (r == 0) {
		writer->header.features[0] = bits;
		writer->offset = writer_data_end(writer) + end.len;
		r = writer_put_header(writer, err);
	} else {
		(void)put_index(writer, &ignored);
	}
	buf_done(&payload);
	buf_done(&end);
	return r;
}

int perf_data_writer_finish(struct perf_data_writer *writer,
			    const struct perf_data_summary *summary, struct err *err)
{
	struct err first = { 0 };
	int r;

	if (writer->error && writer->facts.pipe)
		return err_set(err, writer->error, "writing: %s", strerror(-writer->error));
	writer->error = 0; /* the failed round is cut off: try to complete the rest */
	if (put_waiting(writer, &first) || put_facts(writer, summary, &first) ||
	    (!writer->facts.pipe &&
	     writer_put_names(writer, summary->names, summary->names_len, &first)) ||
	    commit(writer, &first))
		writer->error = 0;
	r = writer->facts.pipe ? writer_finish_pipe(writer, summary, err)
			       : put_features(writer, summary, err);
	if (r == 0 && first.code)
		*err = first;
	return r ? r : first.code;
}

uint64_t perf_data_writer_bytes(const struct perf_data_writer *writer)
{
	return writer->offset + writer->pending_len;
}

void perf_data_writer_free(struct perf_data_writer *writer)
{
	if (!writer)
		return;
	perf_data_zstd_free(writer->zstd);
	buf_done(&writer->scratch);
	buf_done(&writer->compressed);
	buf_done(&writer->waiting);
	free(writer);
}
