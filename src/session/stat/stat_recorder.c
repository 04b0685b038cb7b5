/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recording counts (see stat_recorder.h). */
#include "session/stat/stat_recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "format/perf_data/perf_data_write.h"
#include "session/stat/stat_records.h"
#include "session/stat/stat_run.h"
#include "source/counter/counter.h"

/* One record: header, body, padding. */
static int put(struct stat_recorder *recorder, uint32_t type, const struct buf *body,
	       struct err *err)
{
	struct perf_event_header header = { .type = type };
	size_t size = (sizeof(header) + body->len + 7) & ~(size_t)7;
	struct buf record = { 0 };
	int code;

	if (size > UINT16_MAX)
		return err_set(err, -E2BIG, "too many threads or CPUs for a recording of counts");
	header.size = (uint16_t)size;
	(void)buf_append(&record, &header, sizeof(header));
	(void)buf_append(&record, body->data, body->len);
	(void)buf_pad(&record, '\0', size - record.len);
	code = perf_data_writer_records(recorder->writer, record.data, record.len, err);
	buf_done(&record);
	return code;
}

static int put_bytes(struct stat_recorder *recorder, uint32_t type, const void *data, size_t len,
		     struct err *err)
{
	struct buf body = { 0 };
	int code;

	(void)buf_append(&body, data, len);
	code = put(recorder, type, &body, err);
	buf_done(&body);
	return code;
}

static int put_threads(struct stat_recorder *recorder, const struct counter_set *set,
		       struct err *err)
{
	uint64_t count = set->target.pid.count;
	struct buf body = { 0 };
	int code;

	(void)buf_append(&body, &count, sizeof(count));
	for (size_t i = 0; i < count; i++) {
		struct stat_thread_body item = { .pid = (uint64_t)set->target.pid.item[i] };

		if (set->target.pid.item[i] == -1)
			item.pid = UINT64_MAX;
		else
			counter_thread_comm(set->target.pid.item[i], item.comm);
		(void)buf_append(&body, &item, sizeof(item));
	}
	code = put(recorder, STAT_RECORD_THREADS, &body, err);
	buf_done(&body);
	return code;
}

static int put_cpus(struct stat_recorder *recorder, const struct counter_set *set, struct err *err)
{
	uint16_t head[2] = { STAT_CPUS_LIST, (uint16_t)set->target.cpu.count };
	struct buf body = { 0 };
	int code;

	(void)buf_append(&body, head, sizeof(head));
	for (size_t i = 0; i < set->target.cpu.count; i++) {
		uint16_t cpu = (uint16_t)set->target.cpu.item[i];

		(void)buf_append(&body, &cpu, sizeof(cpu));
	}
	code = put(recorder, STAT_RECORD_CPUS, &body, err);
	buf_done(&body);
	return code;
}

static int put_config(struct stat_recorder *recorder, const struct stat_options *options,
		      struct err *err)
{
	/* perf's numbers of the modes that it has */
	static const uint64_t aggr[] = {
		[COUNTS_BY_ALL] = 1,  [COUNTS_BY_CPU] = 0,     [COUNTS_BY_SOCKET] = 2,
		[COUNTS_BY_DIE] = 3,  [COUNTS_BY_CORE] = 4,    [COUNTS_BY_THREAD] = 5,
		[COUNTS_BY_NODE] = 7, [COUNTS_BY_CLUSTER] = 1, [COUNTS_BY_CACHE] = 1
	};
	const struct {
		uint64_t count;
		struct stat_config_body item[3];
	} body = { 3,
		   { { STAT_CONFIG_AGGR, aggr[options->by] },
		     { STAT_CONFIG_INTERVAL, options->interval_ms },
		     { STAT_CONFIG_SCALE, !options->as_counted } } };

	return put_bytes(recorder, STAT_RECORD_CONFIG, &body, sizeof(body), err);
}

static int put_update(struct stat_recorder *recorder, const struct counter *counter, uint64_t id,
		      struct err *err)
{
	bool clock = counter_is_clock(counter);
	const char *unit = clock ? "msec" : counter->spec->unit;
	double scale = clock ? 1e-6 : counter->spec->scale;
	struct stat_update_body update = { STAT_UPDATE_UNIT, id };
	struct buf body = { 0 };
	int code = 0;

	if (unit) {
		(void)buf_append(&body, &update, sizeof(update));
		(void)buf_append(&body, unit, strlen(unit) + 1);
		code = put(recorder, STAT_RECORD_UPDATE, &body, err);
	}
	if (!code && (scale < 1 || scale > 1)) {
		update.type = STAT_UPDATE_SCALE;
		buf_clear(&body);
		(void)buf_append(&body, &update, sizeof(update));
		(void)buf_append(&body, &scale, sizeof(scale));
		code = put(recorder, STAT_RECORD_UPDATE, &body, err);
	}
	buf_done(&body);
	return code;
}

static int describe_events(struct stat_recorder *recorder, const struct counter_set *set,
			   struct err *err)
{
	for (size_t e = 0; e < set->counter.count; e++) {
		const struct counter *counter = &set->counter.item[e];
		struct perf_event_attr attr = counter->spec->attr;
		struct event_desc *desc;

		attr.size = PERF_ATTR_SIZE_VER7;
		attr.sample_type = PERF_SAMPLE_IDENTIFIER;
		attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		desc = event_set_add(&recorder->events, &attr, counter->name);
		desc->group_leader = (int32_t)counter->spec->group_leader;
		for (size_t slot = 0; slot < set->slots; slot++) {
			uint64_t *id = &recorder->id[e * set->slots + slot];

			if (counter->spec->tool && slot == 0)
				*id = UINT64_MAX - e; /* the kernel counts ids up from 0 */
			else if (counter->fd[slot] < 0)
				continue;
			else if (ioctl(counter->fd[slot], PERF_EVENT_IOC_ID, id))
				return err_errno(err, "%s: event id", counter->name);
			event_set_add_id(&recorder->events, desc, *id);
		}
	}
	return 0;
}

static int open_output(struct stat_recorder *recorder, const char *path, struct err *err)
{
	if (strcmp(path, "-") == 0)
		recorder->fd = dup(STDOUT_FILENO);
	else
		recorder->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	return recorder->fd < 0 ? err_errno(err, "%s", path) : 0;
}

int stat_recorder_open(struct stat_recorder *recorder, const struct counter_set *set,
		       const struct stat_options *options, struct err *err)
{
	struct perf_data_facts facts = { .pipe = strcmp(options->record, "-") == 0,
					 .counts = true,
					 .cmdline = options->words,
					 .cmdline_count = options->word_count };
	int code;

	*recorder = (struct stat_recorder){ .fd = -1 };
	recorder->id = mem_zalloc((set->counter.count * set->slots + 1) * sizeof(*recorder->id));
	code = describe_events(recorder, set, err);
	if (!code)
		code = open_output(recorder, options->record, err);
	facts.fd = recorder->fd;
	if (!code)
		code = perf_data_writer_open(&recorder->events, &facts, &recorder->writer, err);
	for (size_t e = 0; !code && e < set->counter.count; e++) {
		const struct event_desc *desc = recorder->events.desc.item[e];

		if (desc->ids.count)
			code = put_update(recorder, &set->counter.item[e], desc->ids.item[0], err);
	}
	if (!code)
		code = put_threads(recorder, set, err);
	if (!code)
		code = put_cpus(recorder, set, err);
	if (!code)
		code = put_config(recorder, options, err);
	return code ? code : perf_data_writer_round(recorder->writer, err);
}

static int put_round(struct stat_recorder *recorder, const struct counter_set *set,
		     const struct stat_round *round, struct err *err)
{
	const struct stat_round_body end = { round->final ? STAT_ROUND_FINAL : STAT_ROUND_INTERVAL,
					     round->time_ns };
	int code = 0;

	for (size_t i = 0; !code && i < set->counter.count * set->slots; i++) {
		size_t slot = i % set->slots;
		const struct stat_count_body count = {
			.id = recorder->id[i],
			.cpu = (uint32_t)counter_slot_cpu(set, slot),
			.thread = (uint32_t)(slot % set->target.pid.count),
			.value = round->reading[i].value,
			.enabled_ns = round->reading[i].enabled_ns,
			.running_ns = round->reading[i].running_ns,
		};

		if (count.id)
			code = put_bytes(recorder, STAT_RECORD_COUNT, &count, sizeof(count), err);
	}
	if (!code)
		code = put_bytes(recorder, STAT_RECORD_ROUND, &end, sizeof(end), err);
	/* the counts so far are safe if we are killed */
	return code ? code : perf_data_writer_round(recorder->writer, err);
}

void stat_recorder_round(struct stat_recorder *recorder, const struct counter_set *set,
			 const struct stat_round *round)
{
	if (recorder->writer && !recorder->failed.code)
		(void)put_round(recorder, set, round, &recorder->failed);
}

void stat_recorder_close(struct stat_recorder *recorder, struct err *ret_failed)
{
	const struct perf_data_summary summary = { 0 };
	struct err end = { 0 };

	if (recorder->failed.code)
		*ret_failed = recorder->failed;
	if (recorder->writer && perf_data_writer_finish(recorder->writer, &summary, &end) &&
	    !recorder->failed.code)
		*ret_failed = end;
	perf_data_writer_free(recorder->writer);
	fd_close(&recorder->fd);
	event_set_done(&recorder->events);
	free(recorder->id);
	*recorder = (struct stat_recorder){ .fd = -1 };
}
