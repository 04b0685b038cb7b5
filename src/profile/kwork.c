/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel does besides threads (see kwork.h). */
#include "profile/kwork.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define MAX_CPUS 65536

/* Something that waits, or runs. */
struct open {
	uint64_t time_ns; /* 0 = it does not */
	uint64_t delay_ns;
	uint32_t row;
};

struct follower {
	struct kwork *kwork;
	struct profile *profile;
	unsigned classes;
	const char *name;
	struct map waits, runs; /* key → index */
	VEC(struct open) open;
};

enum step {
	STEP_NONE,
	STEP_RAISED,
	STEP_BEGINS,
	STEP_ENDS,
	STEP_SWITCH,
};

static const struct {
	const char *event;
	enum kwork_class class;
	enum step step;
} steps[] = {
	{ "irq:irq_handler_entry", KWORK_IRQ, STEP_BEGINS },
	{ "irq:irq_handler_exit", KWORK_IRQ, STEP_ENDS },
	{ "irq:softirq_raise", KWORK_SOFTIRQ, STEP_RAISED },
	{ "irq:softirq_entry", KWORK_SOFTIRQ, STEP_BEGINS },
	{ "irq:softirq_exit", KWORK_SOFTIRQ, STEP_ENDS },
	{ "workqueue:workqueue_activate_work", KWORK_WORKQUEUE, STEP_RAISED },
	{ "workqueue:workqueue_execute_start", KWORK_WORKQUEUE, STEP_BEGINS },
	{ "workqueue:workqueue_execute_end", KWORK_WORKQUEUE, STEP_ENDS },
	{ "sched:sched_switch", KWORK_SCHED, STEP_SWITCH },
};

const char *kwork_events(enum kwork_class class)
{
	static const char *const events[KWORK_CLASSES] = {
		[KWORK_IRQ] = "irq:irq_handler_entry,irq:irq_handler_exit",
		[KWORK_SOFTIRQ] = "irq:softirq_raise,irq:softirq_entry,irq:softirq_exit",
		[KWORK_WORKQUEUE] = "workqueue:workqueue_activate_work,"
				    "workqueue:workqueue_execute_start,"
				    "workqueue:workqueue_execute_end",
		[KWORK_SCHED] = "sched:sched_switch",
	};

	return events[class];
}

const char *kwork_class_name(enum kwork_class class)
{
	static const char *const names[KWORK_CLASSES] = { "irq", "softirq", "workqueue", "sched" };

	return names[class];
}

static uint64_t value(const struct profile *profile, const struct profile_sample *sample,
		      enum kwork_value which)
{
	uint64_t index = sample->addr + which;

	return index < profile->values.count ? profile->values.item[index] : 0;
}

static const char *function_name(const struct profile *profile, const struct profile_sample *sample)
{
	stack_id stack = sample->stack;

	if (!stack.v)
		return "";
	return profile_string(profile,
			      profile->frames.item[profile->nodes.item[stack.v].frame.v].function);
}

static void put_name(const struct profile *profile, enum kwork_class class,
		     const struct profile_sample *sample, struct buf *out)
{
	static const char *const vectors[] = { "HI",	   "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
					       "IRQ_POLL", "TASKLET", "SCHED",	"HRTIMER", "RCU" };
	uint64_t vector = value(profile, sample, KWORK_VECTOR);
	const char *function = function_name(profile, sample);

	if (class == KWORK_IRQ) {
		string_id name = { (uint32_t)value(profile, sample, KWORK_IRQ_NAME) };

		(void)buf_printf(out, "%s:%" PRIu64, profile_string(profile, name),
				 value(profile, sample, KWORK_IRQ_NUMBER));
	} else if (class == KWORK_SOFTIRQ) {
		(void)buf_printf(out, "(s)%s:%" PRIu64,
				 vector < sizeof(vectors) / sizeof(vectors[0]) ? vectors[vector]
									       : "unknown",
				 vector);
	} else if (function[0]) {
		(void)buf_printf(out, "(w)%s", function);
	} else {
		(void)buf_printf(out, "(w)%#" PRIx64, value(profile, sample, KWORK_FUNCTION));
	}
}

static uint32_t row_of(struct follower *f, enum kwork_class class,
		       const struct profile_sample *sample)
{
	struct buf text = { 0 };
	struct kwork_row row = { .class = class, .cpu = sample->cpu };
	bool added;
	uint64_t *index;

	put_name(f->profile, class, sample, &text);
	row.name = strtab_intern(f->profile->strings, text.data, text.len);
	buf_done(&text);
	index = map_add(&f->kwork->by_key, (uint64_t)row.name.v << 32 | sample->cpu, &added);
	if (added) {
		*index = f->kwork->row.count;
		vec_push(&f->kwork->row, row);
	}
	return (uint32_t)*index;
}

/* What identifies it between its steps: work goes from CPU to CPU. */
static uint64_t key_of(const struct follower *f, enum kwork_class class,
		       const struct profile_sample *sample)
{
	if (class == KWORK_WORKQUEUE)
		return hash_u64(value(f->profile, sample, KWORK_WORK));
	return hash_u64(
		(uint64_t)sample->cpu << 32 | (uint64_t) class << 24 |
		(value(f->profile, sample, class == KWORK_IRQ ? KWORK_IRQ_NUMBER : KWORK_VECTOR) &
		 0xffffff));
}

static struct open *open_of(struct follower *f, struct map *map, uint64_t key)
{
	bool added;
	uint64_t *index = map_add(map, key, &added);

	if (added) {
		*index = f->open.count;
		vec_push(&f->open, ((struct open){ 0 }));
	}
	return &f->open.item[*index];
}

static void add(struct kwork_sum *sum, uint64_t start_ns, uint64_t end_ns)
{
	uint64_t ns = end_ns - start_ns;

	sum->ns += ns;
	sum->count++;
	if (ns >= sum->max_ns) {
		sum->max_ns = ns;
		sum->max_start_ns = start_ns;
		sum->max_end_ns = end_ns;
	}
}

static struct kwork_cpu *cpu_of(struct kwork *kwork, uint32_t cpu)
{
	if (cpu >= MAX_CPUS)
		return &kwork->beyond;
	while (kwork->cpu.count <= cpu)
		vec_push(&kwork->cpu, ((struct kwork_cpu){ 0 }));
	kwork->cpu.item[cpu].used = true;
	return &kwork->cpu.item[cpu];
}

static bool is_wanted(const struct follower *f, uint32_t row)
{
	const char *name = profile_string(f->profile, f->kwork->row.item[row].name);

	return !f->name || strstr(name, f->name);
}

static void begin(struct follower *f, enum kwork_class class, const struct profile_sample *sample)
{
	uint64_t key = key_of(f, class, sample), delay_ns = UINT64_MAX;
	uint32_t row = row_of(f, class, sample);
	struct open *open = open_of(f, &f->waits, key);

	if (open->time_ns && sample->time_ns >= open->time_ns) {
		delay_ns = sample->time_ns - open->time_ns;
		if (is_wanted(f, row))
			add(&f->kwork->row.item[row].delay, open->time_ns, sample->time_ns);
	}
	open->time_ns = 0;
	*open_of(f, &f->runs, key) = (struct open){ sample->time_ns, delay_ns, row };
}

static void end(struct follower *f, enum kwork_class class, const struct profile_sample *sample)
{
	struct open *open = open_of(f, &f->runs, key_of(f, class, sample));
	struct kwork_cpu *cpu = cpu_of(f->kwork, sample->cpu);

	if (!open->time_ns || sample->time_ns < open->time_ns) {
		f->kwork->unpaired++;
		return;
	}
	if (class == KWORK_IRQ)
		cpu->irq_ns += sample->time_ns - open->time_ns;
	if (class == KWORK_SOFTIRQ)
		cpu->softirq_ns += sample->time_ns - open->time_ns;
	if (is_wanted(f, open->row)) {
		add(&f->kwork->row.item[open->row].run, open->time_ns, sample->time_ns);
		vec_push(&f->kwork->run, ((struct kwork_run){ open->row, open->time_ns,
							      sample->time_ns, open->delay_ns }));
	}
	open->time_ns = 0;
}

static struct kwork_task *task_of(struct kwork *kwork, uint32_t tid, string_id comm)
{
	bool added;
	uint64_t *index = map_add(&kwork->task_of, tid, &added);

	if (added) {
		*index = kwork->task.count;
		vec_push(&kwork->task, ((struct kwork_task){ tid, comm, 0 }));
	}
	if (comm.v != STRING_EMPTY.v)
		kwork->task.item[*index].comm = comm;
	return &kwork->task.item[*index];
}

static void add_time(struct kwork *kwork, struct kwork_cpu *cpu, struct kwork_task task,
		     uint64_t until_ns)
{
	uint64_t since_ns = cpu->seen_ns ? cpu->seen_ns : kwork->first_ns;
	uint64_t ns = until_ns > since_ns ? until_ns - since_ns : 0;

	if (task.tid)
		task_of(kwork, task.tid, task.comm)->ns += ns;
	else
		cpu->idle_ns += ns;
}

/* The thread that leaves has run since the CPU's switch before. */
static void leave(struct follower *f, const struct profile_sample *sample)
{
	const struct profile_thread *thread = &f->profile->threads.item[sample->thread.v];
	struct kwork_cpu *cpu = cpu_of(f->kwork, sample->cpu);

	add_time(f->kwork, cpu, (struct kwork_task){ thread->tid, thread->comm, 0 },
		 sample->time_ns);
	cpu->seen_ns = sample->time_ns;
	cpu->running_tid = (uint32_t)value(f->profile, sample, KWORK_NEXT_TID);
	(void)task_of(f->kwork, cpu->running_tid,
		      (string_id){ (uint32_t)value(f->profile, sample, KWORK_NEXT_COMM) });
}

/* Threads that run until the end. */
static void end_threads(struct kwork *kwork)
{
	for (size_t i = 0; i < kwork->cpu.count; i++) {
		struct kwork_cpu *cpu = &kwork->cpu.item[i];

		if (cpu->seen_ns)
			add_time(kwork, cpu,
				 (struct kwork_task){ cpu->running_tid, STRING_EMPTY, 0 },
				 kwork->last_ns);
	}
}

static void take(struct follower *f, const struct profile_sample *sample)
{
	const char *name = profile_string(f->profile, f->profile->events.item[sample->event].name);

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		enum kwork_class class = steps[i].class;
		struct open *open;

		if (strcmp(name, steps[i].event) != 0 || !(f->classes >> class & 1))
			continue;
		switch (steps[i].step) {
		case STEP_RAISED: /* again before it runs: it waits since the first time */
			open = open_of(f, &f->waits, key_of(f, class, sample));
			if (!open->time_ns)
				open->time_ns = sample->time_ns;
			break;
		case STEP_BEGINS:
			begin(f, class, sample);
			break;
		case STEP_ENDS:
			end(f, class, sample);
			break;
		case STEP_SWITCH:
			leave(f, sample);
			break;
		case STEP_NONE:
			break;
		}
		return;
	}
}

void kwork_fill(struct kwork *kwork, struct profile *profile, unsigned classes, const char *name)
{
	struct follower f = {
		.kwork = kwork, .profile = profile, .classes = classes, .name = name
	};

	if (profile->samples.count)
		kwork->first_ns = profile->samples.item[0].time_ns;
	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *sample = &profile->samples.item[i];

		kwork->last_ns = sample->time_ns;
		(void)cpu_of(kwork, sample->cpu);
		take(&f, sample);
	}
	end_threads(kwork);
	map_done(&f.waits);
	map_done(&f.runs);
	vec_done(&f.open);
}

struct sorting {
	bool delays;
	enum kwork_order order;
};

static uint64_t rank(const struct kwork_row *row, const struct sorting *sorting)
{
	const struct kwork_sum *sum = sorting->delays ? &row->delay : &row->run;

	switch (sorting->order) {
	case KWORK_BY_MAX:
		return sum->max_ns;
	case KWORK_BY_COUNT:
		return sum->count;
	case KWORK_BY_AVERAGE:
		return sum->count ? sum->ns / sum->count : 0;
	case KWORK_BY_TIME:
		break;
	}
	return sum->ns;
}

static int compare(const void *a, const void *b, void *sorting)
{
	const struct kwork_row *one = a, *other = b;
	uint64_t x = rank(one, sorting), y = rank(other, sorting);

	if (x != y)
		return x < y ? 1 : -1;
	return one->name.v != other->name.v ? (one->name.v < other->name.v ? -1 : 1)
					    : (one->cpu > other->cpu) - (one->cpu < other->cpu);
}

static int by_time(const void *a, const void *b)
{
	const struct kwork_task *one = a, *other = b;

	if (one->ns != other->ns)
		return one->ns < other->ns ? 1 : -1;
	return (one->tid > other->tid) - (one->tid < other->tid);
}

void kwork_sort(struct kwork *kwork, bool delays, enum kwork_order order)
{
	struct sorting sorting = { delays, order };

	if (kwork->row.count)
		qsort_r(kwork->row.item, kwork->row.count, sizeof(*kwork->row.item), compare,
			&sorting);
	if (kwork->task.count)
		qsort(kwork->task.item, kwork->task.count, sizeof(*kwork->task.item), by_time);
}

void kwork_done(struct kwork *kwork)
{
	vec_done(&kwork->row);
	vec_done(&kwork->run);
	vec_done(&kwork->task);
	vec_done(&kwork->cpu);
	map_done(&kwork->by_key);
	map_done(&kwork->task_of);
}
