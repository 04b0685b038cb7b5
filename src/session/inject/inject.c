/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copying a recording (see inject.h). It is read twice: for what is to be injected, and to copy it;
 * a pipe is read into memory for that. */
#include "session/inject/inject.h"

#include <errno.h>

#include "base/buf.h"
#include "base/err.h"
#include "event/desc.h"
#include "event/sink.h"
#include "format/perf_data/perf_data.h"
#include "format/perf_data/perf_data_write.h"
#include "session/inject/inject_private.h"
#include "session/recording.h"

/* Records of pipes about the recording itself, which the writer makes anew, and others that need
 * more than copying. Numbers: perf.data-file-format.txt. */
enum {
	RECORD_ATTR = 64,
	RECORD_EVENT_TYPE = 65,
	RECORD_TRACING_DATA = 66,
	RECORD_ROUND = 68,
	RECORD_ID_INDEX = 69,
	RECORD_AUX_FIRST = 70,
	RECORD_AUX_LAST = 72,
	RECORD_EVENT_UPDATE = 78,
	RECORD_FEATURE = 80,
};

struct copy {
	struct sink sink;
	const struct inject_options *options;
	struct perf_data_writer *writer;
	struct inject_jit jit;
	struct inject_waits *waits;
	struct inject_tally *tally;
	bool folder; /* each thread's records are in a file of their own, by themselves in order */
};

static int put(struct copy *copy, const void *record, size_t size, struct err *err)
{
	copy->tally->records++;
	return perf_data_writer_records(copy->writer, record, size, err);
}

static int copy_record(void *context, const uint8_t *record, struct perf_event_header header,
		       struct err *err)
{
	struct copy *copy = context;

	switch (header.type) {
	case RECORD_ATTR:
	case RECORD_EVENT_TYPE:
	case RECORD_TRACING_DATA:
	case RECORD_EVENT_UPDATE:
	case RECORD_FEATURE:
		return 0;
	case RECORD_ROUND: /* what is injected belongs to no round, nor what other files have */
		return copy->options->jit || copy->waits || copy->folder
			       ? 0
			       : perf_data_writer_round(copy->writer, err);
	case RECORD_ID_INDEX: /* the writer has the names */
		if (perf_data_has_names(record, header.size))
			return 0;
		break;
	case RECORD_AUX_FIRST ... RECORD_AUX_LAST:
		(void)err_set(err, -ENOTSUP, "hardware traces are not copied");
		return err_hint(err, "use: perf inject");
	default:
		break;
	}
	if (copy->waits && header.type < RECORD_ATTR)
		return 0; /* in the order of time: copy_event() */
	if (inject_jit_replaces(&copy->jit, record, header)) {
		copy->tally->dropped++;
		return 0;
	}
	return put(copy, record, header.size, err);
}

static int copy_event(struct sink *sink, const struct event *event, struct err *err)
{
	struct copy *copy = (struct copy *)sink;
	const struct perf_event_header *record = event->raw;

	if (!copy->waits || !record || record->type >= RECORD_ATTR)
		return 0;
	if (event->type == EVENT_SAMPLE)
		record = inject_waits_sample(copy->waits, event);
	if (!record) {
		copy->tally->dropped++;
		return 0;
	}
	return put(copy, record, record->size, err);
}

static int put_events(struct copy *copy, const event_list *events, struct err *err)
{
	int code = 0;

	for (size_t i = 0; i < events->count && !code; i++)
		code = perf_data_writer_event(copy->writer, &events->item[i], err);
	return code;
}

/* An archive has more of them than the recording in it. */
static const uint8_t *names_of(const struct perf_data *data, size_t *ret_len)
{
	const struct perf_data_beside *beside = perf_data_beside(data);
	const uint8_t *names = beside->names;

	*ret_len = beside->names_len;
	if (names || perf_data_feature(data, PERF_FEATURE_KEPT_NAMES, &names, ret_len))
		return names;
	*ret_len = 0;
	return NULL;
}

/* The writer's facts are the recording's own. */
static struct perf_data_facts facts_of(const struct perf_data *data, int fd, bool pipe)
{
	const struct perf_data_header *header = perf_data_header(data);
	struct perf_data_facts facts = { .fd = fd,
					 .pipe = pipe,
					 .from = data,
					 .tracing_data = header->tracing_data,
					 .tracing_data_len = header->tracing_data_len };

	if (pipe)
		facts.names = names_of(data, &facts.names_len);
	return facts;
}

/* A copy is whole, and must say that its original was not. */
static int finish(struct copy *copy, struct perf_data *data, const event_list *ids, struct err *err)
{
	const struct perf_data_stats *stats = perf_data_stats(data);
	struct perf_data_summary summary = { .truncated_bytes = stats->truncated_bytes,
					     .damage = stats->damage };

	if (stats->truncated_bytes || stats->damage[0])
		(void)buf_printf(&copy->tally->notes,
				 "the recording is damaged, and its copy says so: %s; %llu bytes "
				 "are missing\n",
				 stats->damage, (unsigned long long)stats->truncated_bytes);
	if (!copy->options->pipe) {
		summary.names = names_of(data, &summary.names_len);
		summary.build_ids = ids->item;
		summary.build_id_count = ids->count;
	}
	return perf_data_writer_finish(copy->writer, &summary, err);
}

/* The second reading. */
static int copy_all(struct copy *copy, struct perf_data *data, int fd, const event_list *ids,
		    struct err *err)
{
	struct perf_data_facts facts = facts_of(data, fd, copy->options->pipe);
	int code = perf_data_writer_open(perf_data_events(data), &facts, &copy->writer, err);

	copy->folder = perf_data_header(data)->features[0] >> PERF_FEATURE_DIR_FORMAT & 1;
	perf_data_set_tap(data, &(struct perf_data_tap){ copy_record, copy });
	if (!copy->waits)
		perf_data_unordered(data);
	if (!code && copy->options->pipe) /* before anything that needs them */
		code = put_events(copy, ids, err);
	if (!code)
		code = put_events(copy, &copy->jit.maps, err);
	if (!code)
		code = perf_data_read(data, &copy->sink, err);
	if (!code)
		code = finish(copy, data, ids, err);
	perf_data_writer_free(copy->writer);
	return code;
}

/* What is to be injected. */
static int prepare(struct copy *copy, struct recording *base, struct arena *arena, event_list *ids,
		   struct err *err)
{
	int code = inject_find_ids(base, copy->options, arena, ids, err);

	copy->tally->build_ids = ids->count;
	if (!code && copy->options->jit)
		code = inject_find_jit(base, &copy->jit, &copy->tally->notes, err);
	copy->tally->jit_functions = copy->jit.functions;
	return code;
}

static int copy_recording(struct copy *copy, struct recording *base, int fd, const event_list *ids,
			  struct err *err)
{
	struct recording *recording;
	struct perf_data *data;
	int code = recording_again(base, &recording, err);

	if (code)
		return code;
	code = recording_data(recording, &data, err);
	if (!code && perf_data_header(data)->swapped)
		code = err_set(err, -ENOTSUP, "%s: recorded on a machine of the other byte order",
			       recording_name(recording));
	if (!code && copy->options->sched_stat) {
		copy->waits = inject_waits_new(data, err);
		code = copy->waits ? 0 : err->code;
	}
	if (!code)
		code = copy_all(copy, data, fd, ids, err);
	if (copy->waits)
		copy->tally->waits = inject_waits_count(copy->waits);
	inject_waits_free(copy->waits);
	recording_close(recording);
	return code;
}

int inject_recording(const char *path, const struct inject_options *options, int fd,
		     struct inject_tally *ret, struct err *err)
{
	struct copy copy = { .sink = { .event = copy_event }, .options = options, .tally = ret };
	struct recording *base;
	struct arena arena = { 0 };
	event_list ids = { 0 };
	int code = recording_open(path, &base, err);

	*ret = (struct inject_tally){ 0 };
	if (code)
		return code;
	code = prepare(&copy, base, &arena, &ids, err);
	if (!code)
		code = copy_recording(&copy, base, fd, &ids, err);
	inject_jit_done(&copy.jit);
	vec_done(&ids);
	arena_done(&arena);
	recording_close(base);
	return code;
}
