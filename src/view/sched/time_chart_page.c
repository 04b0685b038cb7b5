/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time charts as timeline pages (see time_chart.h): a lane for each CPU, which says which thread
 * ran, for each thread that ran, and for what time_chart_lanes.h names. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/strtab.h"
#include "profile/sched/sched_spans.h"
#include "view/sched/time_chart.h"
#include "view/sched/time_chart_lanes.h"
#include "view/state_kind.h"
#include "view/timeline/timeline.h"

#define MAX_SLICES 500000u
#define MAX_CPUS   1024u

struct maker {
	const struct sched_spans *spans;
	const struct time_chart_options *options;
	struct timeline timeline;
	uint16_t kinds[SCHED_DOING_COUNT];
	uint64_t *ran_ns;	/* by task: time on a CPU, in the range */
	uint32_t *lane_of_task; /* index + 1; 0 = none */
	uint32_t *lane_of_cpu;
	struct chart_lanes lanes;
	struct map locks;  /* sched_span.lock → label */
	size_t label_base; /* of words of other lanes */
	VEC(char *) texts;
	size_t slices, left_out;
};

static const char *keep(struct maker *m, struct buf *text)
{
	char *copy = mem_strdup(text->data ? text->data : "");

	vec_push(&m->texts, copy);
	buf_done(text);
	return copy;
}

static bool clip(const struct maker *m, const struct sched_span *span, struct timeline_slice *ret)
{
	const struct timeline *timeline = &m->timeline;

	ret->start_ns = span->start_ns > timeline->start_ns ? span->start_ns : timeline->start_ns;
	ret->end_ns = span->end_ns < timeline->end_ns ? span->end_ns : timeline->end_ns;
	ret->ns = ret->end_ns > ret->start_ns ? ret->end_ns - ret->start_ns : 0;
	ret->kind = m->kinds[span->doing];
	ret->label = 0;
	return ret->ns > 0;
}

/* What threads ran, and with too many slices for a page, where it has to end. */
static void survey(struct maker *m)
{
	const struct sched_spans *spans = m->spans;
	struct timeline_slice slice;

	for (size_t i = 0; i < spans->span.count; i++) {
		const struct sched_span *span = &spans->span.item[i];

		if (!clip(m, span, &slice))
			continue;
		if (++m->slices == MAX_SLICES)
			m->timeline.end_ns = slice.end_ns;
		if (span->doing == SCHED_DOING_RUNNING)
			m->ran_ns[span->task] += slice.ns;
	}
	for (size_t i = 0; i < spans->lanes.span.count; i++) {
		uint64_t end_ns = spans->lanes.span.item[i].end_ns;

		if (end_ns > m->timeline.start_ns && ++m->slices == MAX_SLICES &&
		    end_ns < m->timeline.end_ns)
			m->timeline.end_ns = end_ns;
	}
}

static const char *thread_name(struct maker *m, const struct sched_task *task, bool number)
{
	struct buf text = { 0 };

	(void)buf_put_tidy(&text, task && task->comm ? task->comm : "?");
	if (number && task)
		(void)buf_printf(&text, ":%" PRIu32, task->tid);
	return keep(m, &text);
}

static void add_cpu(struct maker *m, uint32_t cpu)
{
	struct timeline_lane lane = {
		.process = "CPUs", .thread = "CPUs", .tid = cpu, .cpu = true
	};
	struct buf text = { 0 };

	(void)buf_printf(&text, "CPU %" PRIu32, cpu);
	lane.name = keep(m, &text);
	vec_push(&m->timeline.lane, lane);
	m->lane_of_cpu[cpu] = (uint32_t)m->timeline.lane.count;
}

static void add_task(struct maker *m, size_t index)
{
	const struct sched_task *task = m->spans->present.item[index].task;
	struct timeline_lane lane = { 0 };

	lane.name = thread_name(m, task, true);
	lane.thread = lane.process = thread_name(m, task, false);
	lane.tid = task->tid;
	lane.pid = task->pid == UINT32_MAX ? task->tid : task->pid;
	vec_push(&m->timeline.lane, lane);
	m->lane_of_task[index] = (uint32_t)m->timeline.lane.count;
}

static int longer_first(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

/* How long the last one ran that is to be shown. */
static uint64_t least_ns(const struct maker *m, size_t count)
{
	AUTO_FREE uint64_t *sorted = mem_alloc((count + 1) * sizeof(*sorted));
	uint32_t most = m->options->max_tasks;

	memcpy(sorted, m->ran_ns, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), longer_first);
	return most && most < count ? sorted[most - 1] : 1;
}

static void add_lanes(struct maker *m)
{
	const struct time_chart_options *o = m->options;
	size_t count = m->spans->present.count;
	uint64_t least;

	for (uint32_t cpu = 0; !o->no_cpus && cpu < m->spans->cpus && cpu < MAX_CPUS; cpu++)
		add_cpu(m, cpu);
	for (size_t i = 0; i < count; i++) {
		const struct sched_task *task = m->spans->present.item[i].task;

		if (!task || o->no_tasks || (o->wanted && !o->wanted(o->context, task)))
			m->ran_ns[i] = 0;
	}
	least = least_ns(m, count);
	for (size_t i = 0; i < count; i++)
		if (m->ran_ns[i] && m->ran_ns[i] >= least)
			add_task(m, i);
		else
			m->left_out += m->ran_ns[i] != 0;
}

/* Labels of locks come after those of threads. */
static uint32_t label_of_lock(struct maker *m, const char *lock)
{
	bool added;
	uint64_t *label;
	struct buf text = { 0 };

	if (!lock)
		return 0;
	label = map_add(&m->locks, (uintptr_t)lock, &added); /* interned */
	if (added) {
		(void)buf_puts(&text, lock);
		*label = m->timeline.label.count;
		vec_push(&m->timeline.label, keep(m, &text));
	}
	return (uint32_t)*label;
}

/* Label 1 + i is the thread with index i, as lanes of CPUs tell it. */
static void add_labels(struct maker *m)
{
	vec_push(&m->timeline.label, "");
	for (size_t i = 0; i < m->spans->present.count; i++)
		vec_push(&m->timeline.label, thread_name(m, m->spans->present.item[i].task, true));
}

static void add_slices(struct maker *m)
{
	const struct sched_spans *spans = m->spans;
	struct timeline_slice slice;

	for (size_t i = 0; i < spans->span.count; i++) {
		const struct sched_span *span = &spans->span.item[i];
		uint32_t task = m->lane_of_task[span->task];
		uint32_t cpu = span->cpu < spans->cpus && span->cpu < MAX_CPUS
				       ? m->lane_of_cpu[span->cpu]
				       : 0;

		if (!clip(m, span, &slice))
			continue;
		if (task) {
			slice.label = label_of_lock(m, span->lock);
			vec_push(&m->timeline.lane.item[task - 1].slice, slice);
		}
		slice.label = 1 + span->task;
		if (cpu && span->doing == SCHED_DOING_RUNNING)
			vec_push(&m->timeline.lane.item[cpu - 1].slice, slice);
	}
}

/* Lanes of a kind are one group, apart from that of threads' states. */
static void name_lane(struct maker *m, uint32_t index, struct timeline_lane *ret)
{
	static const char *const groups[] = { "interrupts", "disks", "networks", "networks" };
	const struct sched_lane *lane = &m->spans->lanes.lane.item[index];
	struct buf name = { 0 }, text = { 0 };

	chart_lane_name(&m->spans->lanes, index, SIZE_MAX, &name);
	ret->name = keep(m, &name);
	if (lane->kind != SCHED_LANE_CALLS) {
		ret->process = ret->thread = groups[lane->kind];
		ret->cpu = true;
		ret->tid = MAX_CPUS + (uint32_t)m->timeline.lane.count; /* in this order */
		return;
	}
	(void)buf_put_tidy(&text, lane->task->comm ? lane->task->comm : "?");
	(void)buf_puts(&text, " I/O");
	ret->process = ret->thread = keep(m, &text);
	ret->tid = lane->task->tid;
	ret->pid = lane->task->pid == UINT32_MAX ? lane->task->tid : lane->task->pid;
}

static void add_parts(struct maker *m, uint32_t index, struct timeline_lane *lane,
		      struct strtab *words)
{
	const struct sched_lanes *from = &m->spans->lanes;
	size_t before = m->label_base;
	struct chart_lane_part part;
	struct buf text = { 0 };

	for (uint32_t at = m->lanes.first[index]; at; at = m->lanes.next[at - 1]) {
		const struct sched_lane_span *span = &from->span.item[at - 1];
		struct timeline_slice slice = { .kind = m->kinds[span->doing] };
		string_id word;

		if (!chart_lanes_part(&m->lanes, at - 1, &part) ||
		    part.start_ns >= m->timeline.end_ns)
			continue;
		buf_clear(&text);
		chart_lane_span_text(from, span, &text);
		word = text.len ? strtab_intern(words, text.data, text.len) : STRING_EMPTY;
		slice.start_ns = part.start_ns;
		slice.end_ns = part.end_ns < m->timeline.end_ns ? part.end_ns : m->timeline.end_ns;
		slice.ns = slice.end_ns - slice.start_ns;
		slice.ns = part.ns < slice.ns ? part.ns : slice.ns;
		slice.label = word.v ? (uint32_t)before + word.v : 0;
		vec_push(&lane->slice, slice);
	}
	buf_done(&text);
}

/* After the lanes of threads and their labels. */
static void add_other_lanes(struct maker *m)
{
	struct strtab *words = strtab_new();

	m->label_base = m->timeline.label.count - 1;
	chart_lanes_make(m->spans, m->options, &m->lanes);
	m->left_out += m->lanes.left_out;
	for (size_t i = 0; i < m->lanes.shown.count; i++) {
		struct timeline_lane lane = { 0 };

		name_lane(m, m->lanes.shown.item[i], &lane);
		add_parts(m, m->lanes.shown.item[i], &lane, words);
		vec_push(&m->timeline.lane, lane);
	}
	for (uint32_t i = 1; i < strtab_count(words); i++) {
		struct buf text = { 0 };

		(void)buf_puts(&text, strtab_get(words, (string_id){ i }));
		vec_push(&m->timeline.label, keep(m, &text));
	}
	chart_lanes_done(&m->lanes);
	strtab_free(words);
}

static void put_words(struct maker *m)
{
	const struct timeline *timeline = &m->timeline;
	struct buf about = { 0 }, missing = { 0 };

	(void)buf_printf(&about, "%.3f s", (double)(timeline->end_ns - timeline->start_ns) / 1e9);
	if (m->options->about)
		(void)buf_printf(&about, " \xc2\xb7 %s", m->options->about);
	if (m->spans->lost)
		(void)buf_printf(&missing,
				 "%" PRIu64 " events were lost: record with a larger buffer (-m). ",
				 m->spans->lost);
	if (m->left_out)
		(void)buf_printf(&missing, "%zu less busy thread%s not shown: use -n 0. ",
				 m->left_out, m->left_out == 1 ? " is" : "s are");
	if (m->slices > MAX_SLICES)
		(void)buf_puts(&missing,
			       "Only the beginning is shown: choose another part with --time.");
	m->timeline.about = keep(m, &about);
	m->timeline.missing = keep(m, &missing);
}

int time_chart_page(const struct sched_spans *spans, const struct time_chart_options *options,
		    struct buf *ret, struct err *err)
{
	size_t tasks = spans->present.count + 1;
	AUTO_FREE uint64_t *ran_ns = mem_zalloc(tasks * sizeof(*ran_ns));
	AUTO_FREE uint32_t *lane_of_task = mem_zalloc(tasks * sizeof(*lane_of_task));
	AUTO_FREE uint32_t *lane_of_cpu = mem_zalloc(MAX_CPUS * sizeof(*lane_of_cpu));
	struct maker m = { .spans = spans,
			   .options = options,
			   .ran_ns = ran_ns,
			   .lane_of_task = lane_of_task,
			   .lane_of_cpu = lane_of_cpu };
	int code;

	m.timeline.title = options->title;
	m.timeline.what = "time chart";
	m.timeline.kind = state_kinds;
	m.timeline.kinds = state_kind_count;
	time_chart_range(spans, options, &m.timeline.start_ns, &m.timeline.end_ns);
	for (int i = 0; i < SCHED_DOING_COUNT; i++)
		m.kinds[i] = (uint16_t)state_kind_find(sched_doing_text((enum sched_doing)i));
	survey(&m);
	add_lanes(&m);
	add_labels(&m);
	add_slices(&m);
	add_other_lanes(&m);
	put_words(&m);
	code = timeline_html(&m.timeline, ret, err);
	timeline_done(&m.timeline);
	map_done(&m.locks);
	for (size_t i = 0; i < m.texts.count; i++)
		free(m.texts.item[i]);
	vec_done(&m.texts);
	return code;
}
