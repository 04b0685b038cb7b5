/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts from a file (see stat_report.h). Everything read is checked: a count of an unknown event,
 * CPU or thread is left out. */
#include "session/stat/stat_report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "event/desc.h"
#include "event/event.h"
#include "event/sink.h"
#include "format/perf_data/perf_data.h"
#include "session/stat/stat_places.h"
#include "session/stat/stat_records.h"
#include "source/counter/counter.h"
#include "source/id_list.h"

#define CELLS_MAX (1u << 20) /* events on CPUs and threads */

struct stat_report {
	struct sink sink; /* first */
	const struct perf_data *data;
	const struct stat_listener *listener;
	struct arena arena;
	struct counter_set set; /* where the counters were: threads and CPUs of the recording */
	VEC(struct stat_thread_body) thread;
	struct stat_places places;
	VEC(struct counts_event) event;
	struct counter_reading *now, *before; /* [event * slots + slot] */
	struct counts counts;
	enum counts_by by, by_asked;
	uint64_t interval_ms, last_ns;
	bool as_counted, final;
};

struct body {
	const uint8_t *data;
	size_t len;
};

static bool take(struct body *body, void *ret, size_t len)
{
	if (body->len < len)
		return false;
	memcpy(ret, body->data, len);
	body->data += len;
	body->len -= len;
	return true;
}

static void take_threads(struct stat_report *report, struct body body)
{
	struct stat_thread_body item;
	uint64_t count;

	if (!take(&body, &count, sizeof(count)))
		return;
	report->thread.count = 0;
	while (count-- && take(&body, &item, sizeof(item))) {
		item.comm[sizeof(item.comm) - 1] = '\0';
		text_tidy(item.comm, strlen(item.comm));
		vec_push(&report->thread, item);
	}
}

static void add_cpu(struct stat_report *report, int cpu)
{
	if (report->set.target.cpu.count < CPU_LIST_MAX)
		vec_push(&report->set.target.cpu, cpu);
}

/* A bitmap of 4-byte or 8-byte words. */
static void take_mask(struct stat_report *report, struct body body)
{
	uint16_t head[2]; /* number and size of the words */

	if (!take(&body, head, sizeof(head)))
		return;
	if (head[1] == 8) /* which are aligned */
		(void)take(&body, &(uint32_t){ 0 }, sizeof(uint32_t));
	for (size_t i = 0; i < body.len && i < (size_t)head[0] * head[1]; i++)
		for (int bit = 0; bit < 8; bit++)
			if (body.data[i] >> bit & 1)
				add_cpu(report, (int)i * 8 + bit);
}

static void take_cpus(struct stat_report *report, struct body body)
{
	uint16_t type, count, cpu;
	struct {
		uint8_t any, pad;
		uint16_t first, last;
	} range;

	report->set.target.cpu.count = 0;
	if (!take(&body, &type, sizeof(type)))
		return;
	if (type == STAT_CPUS_MASK)
		take_mask(report, body);
	if (type == STAT_CPUS_RANGE && take(&body, &range, sizeof(range))) {
		if (range.any)
			add_cpu(report, -1);
		for (int i = range.first; !range.any && i <= range.last; i++)
			add_cpu(report, i);
	}
	if (type != STAT_CPUS_LIST || !take(&body, &count, sizeof(count)))
		return;
	while (count-- && take(&body, &cpu, sizeof(cpu)))
		add_cpu(report, cpu == UINT16_MAX ? -1 : cpu);
}

static void take_config(struct stat_report *report, struct body body)
{
	static const enum counts_by modes[] = { COUNTS_BY_CPU, COUNTS_BY_ALL,  COUNTS_BY_SOCKET,
						COUNTS_BY_DIE, COUNTS_BY_CORE, COUNTS_BY_THREAD,
						COUNTS_BY_ALL, COUNTS_BY_NODE };
	struct stat_config_body item;
	uint64_t count;

	if (!take(&body, &count, sizeof(count)))
		return;
	while (count-- && take(&body, &item, sizeof(item))) {
		if (item.tag == STAT_CONFIG_AGGR && item.value < sizeof(modes) / sizeof(*modes))
			report->by = modes[item.value];
		else if (item.tag == STAT_CONFIG_INTERVAL)
			report->interval_ms = item.value;
		else if (item.tag == STAT_CONFIG_SCALE)
			report->as_counted = item.value == 0;
	}
}

static int end_of_list(struct stat_report *report, struct err *err)
{
	const struct event_set *events = perf_data_events(report->data);
	struct counter_set *set = &report->set;
	size_t cells;

	set->target.pid.count = 0;
	for (size_t i = 0; i < report->thread.count; i++)
		vec_push(&set->target.pid, (pid_t)report->thread.item[i].pid);
	set->slots = set->target.cpu.count * set->target.pid.count;
	cells = events->desc.count * set->slots;
	if (!cells || cells > CELLS_MAX)
		return err_set(err, -EINVAL, "counts of %zu events on %zu CPUs and %zu threads",
			       events->desc.count, set->target.cpu.count, set->target.pid.count);
	report->now = mem_zalloc(cells * sizeof(*report->now));
	report->before = mem_zalloc(cells * sizeof(*report->before));
	return 0;
}

static struct counts_event make_event(const struct event_desc *desc)
{
	const struct perf_event_attr *attr = &desc->attr;

	return (struct counts_event){
		.name = desc->name,
		.unit = "",
		.scale = 1,
		.type = attr->type,
		.config = attr->config,
		.exclude = (unsigned)(attr->exclude_user | attr->exclude_kernel << 1 |
				      attr->exclude_hv << 2 | attr->exclude_host << 3 |
				      attr->exclude_guest << 4),
		.supported = desc->ids.count > 0,
	};
}

static struct counts_event *find_event(struct stat_report *report, uint64_t id, size_t *ret)
{
	const struct event_set *events = perf_data_events(report->data);
	const struct event_desc *desc = event_set_find(events, id);

	for (size_t i = report->event.count; i < events->desc.count; i++)
		vec_push(&report->event, make_event(events->desc.item[i]));
	if (!desc)
		return NULL;
	*ret = desc->index;
	return &report->event.item[desc->index];
}

static void take_update(struct stat_report *report, struct body body)
{
	struct stat_update_body update;
	struct counts_event *event;
	double scale;
	size_t index;

	if (!take(&body, &update, sizeof(update)))
		return;
	event = find_event(report, update.id, &index);
	if (!event)
		return;
	if (update.type == STAT_UPDATE_UNIT)
		event->unit = arena_strndup(&report->arena, (const char *)body.data,
					    strnlen((const char *)body.data, body.len));
	else if (update.type == STAT_UPDATE_SCALE && take(&body, &scale, sizeof(scale)) &&
		 isfinite(scale))
		event->scale = scale;
}

static int take_count(struct stat_report *report, struct body body, struct err *err)
{
	struct stat_count_body count;
	const struct counter_set *set = &report->set;
	size_t event, cpu = 0;

	if (!take(&body, &count, sizeof(count)))
		return 0;
	if (!report->now && end_of_list(report, err))
		return err->code;
	while (cpu < set->target.cpu.count && set->target.cpu.item[cpu] != (int)count.cpu)
		cpu++;
	if (!find_event(report, count.id, &event) || cpu == set->target.cpu.count ||
	    count.thread >= set->target.pid.count)
		return 0;
	event = event * set->slots + cpu * set->target.pid.count + count.thread;
	if (event < perf_data_events(report->data)->desc.count * set->slots)
		report->now[event] =
			(struct counter_reading){ count.value, count.enabled_ns, count.running_ns };
	return 0;
}

/* sysfs says which core a CPU belongs to, on this machine. */
static bool is_this_machine(const struct stat_report *report)
{
	const char *there = perf_data_header(report->data)->hostname;
	struct utsname here;

	return !there || (uname(&here) == 0 && strcmp(here.nodename, there) == 0);
}

static int find_places(struct stat_report *report, struct err *err)
{
	struct counts *counts = &report->counts;
	enum counts_by by = report->by_asked != COUNTS_BY_ALL ? report->by_asked : report->by;
	const struct counter_set *set = &report->set;

	if (counts->cell)
		return 0;
	if (by != COUNTS_BY_ALL && by != COUNTS_BY_THREAD && set->target.cpu.item[0] == -1)
		return err_set(err, -EINVAL, "the counts are those of threads, not of CPUs");
	if (by == COUNTS_BY_THREAD && set->target.pid.item[0] == -1)
		return err_set(err, -EINVAL, "the counts are those of CPUs, not of threads");
	if (by != COUNTS_BY_ALL && by != COUNTS_BY_THREAD && by != COUNTS_BY_CPU &&
	    !is_this_machine(report))
		return err_set(err, -EINVAL, "recorded on another machine: use -A or --per-thread");
	stat_places_find(&report->places, set, by);
	for (size_t i = 0; by == COUNTS_BY_THREAD && i < set->slots; i++) {
		size_t thread = i % set->target.pid.count;

		memcpy(report->places.place.item[report->places.of_slot.item[i]].comm,
		       report->thread.item[thread].comm, sizeof(report->thread.item->comm));
	}
	counts->by = by;
	counts->event = report->event.item;
	counts->events = report->event.count;
	counts->place = report->places.place.item;
	counts->places = report->places.place.count;
	counts_init(counts);
	return 0;
}

static void add_up(struct stat_report *report)
{
	struct counts *counts = &report->counts;
	size_t slots = report->set.slots;
	struct count *sum = mem_alloc((counts->places + 1) * sizeof(*sum));

	for (size_t e = 0; e < counts->events; e++) {
		memset(sum, 0, counts->places * sizeof(*sum));
		for (size_t slot = 0; slot < slots; slot++) {
			const struct counter_reading *now = &report->now[e * slots + slot];
			struct counter_reading *before = &report->before[e * slots + slot];
			struct count count = {
				.value = (double)(now->value - before->value),
				.enabled_ns = now->enabled_ns - before->enabled_ns,
				.running_ns = now->running_ns - before->running_ns,
			};

			count_add(&sum[report->places.of_slot.item[slot]], &count,
				  report->as_counted);
			if (report->interval_ms)
				*before = *now;
		}
		for (size_t p = 0; p < counts->places; p++)
			counts_add(counts, e, p, &sum[p]);
	}
	free(sum);
}

static int take_round(struct stat_report *report, struct body body, struct err *err)
{
	struct stat_round_body round;
	size_t ignored;
	int code;

	if (!take(&body, &round, sizeof(round)))
		return 0;
	(void)find_event(report, 0, &ignored); /* those without counts have rows, too */
	code = report->now ? 0 : end_of_list(report, err);
	if (!code)
		code = find_places(report, err);
	if (code)
		return code;
	counts_clear(&report->counts);
	mean_add(&report->counts.elapsed_ns, (double)(round.time_ns - report->last_ns));
	add_up(report);
	report->final = true;
	if (!report->interval_ms)
		return 0;
	report->last_ns = round.time_ns;
	return report->listener->interval(report->listener->context, &report->counts, round.time_ns,
					  err);
}

static int take_event(struct sink *sink, const struct event *event, struct err *err)
{
	struct stat_report *report = (struct stat_report *)sink;
	struct body body;

	if (!event->raw || event->raw->size < sizeof(*event->raw))
		return 0;
	body.data = (const uint8_t *)(event->raw + 1);
	body.len = event->raw->size - sizeof(*event->raw);
	/* lists that come after counts have no meaning */
	switch (event->raw->type) {
	case STAT_RECORD_THREADS:
		if (!report->now)
			take_threads(report, body);
		return 0;
	case STAT_RECORD_CPUS:
		if (!report->now)
			take_cpus(report, body);
		return 0;
	case STAT_RECORD_CONFIG:
		take_config(report, body);
		return 0;
	case STAT_RECORD_COUNT:
		return take_count(report, body, err);
	case STAT_RECORD_ROUND:
		return take_round(report, body, err);
	case STAT_RECORD_UPDATE:
		if (!report->counts.cell)
			take_update(report, body);
		return 0;
	default:
		return 0;
	}
}

int session_stat_report(struct perf_data *data, enum counts_by by,
			const struct stat_listener *listener, struct stat_report **ret,
			struct err *err)
{
	struct stat_report *report = mem_zalloc(sizeof(*report));
	int code;

	*ret = report;
	*report = (struct stat_report){
		.sink.event = take_event, .data = data, .by_asked = by, .listener = listener
	};
	if (perf_data_header(data)->swapped)
		return err_set(err, -ENOTSUP,
			       "counts of a machine of the other byte order cannot be read");
	code = perf_data_read(data, &report->sink, err);
	if (code || report->final)
		return code;
	if (report->thread.count)
		return err_set(err, -ENODATA, "no counts: the recording ended before the first");
	return err_set(err, -ENODATA, "no counts: not made by stat record");
}

const struct counts *stat_report_counts(const struct stat_report *report)
{
	return report->final && !report->interval_ms ? &report->counts : NULL;
}

void stat_report_free(struct stat_report *report)
{
	if (!report)
		return;
	counts_done(&report->counts);
	stat_places_done(&report->places);
	vec_done(&report->event);
	vec_done(&report->thread);
	vec_done(&report->set.target.cpu);
	vec_done(&report->set.target.pid);
	free(report->now);
	free(report->before);
	arena_done(&report->arena);
	free(report);
}
