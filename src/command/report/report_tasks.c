/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks of a recording (see report_tasks.h). Collected from the records about them; a thread stays
 * in the tree after its end, a reused id belongs to its last task. */
#include "command/report/report_tasks.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "event/event.h"
#include "format/perf_data/perf_data.h"
#include "session/recording.h"

#define NO_PARENT UINT32_MAX

struct task {
	uint32_t pid, tid;
	uint32_t ppid;	      /* NO_PARENT = not recorded */
	uint32_t child, next; /* indexes + 1; 0 = none */
	const char *comm;
	VEC(struct event_mmap) mmaps; /* of a process */
};

struct tasks {
	struct sink sink;
	struct arena strings;
	struct map by_tid;    /* index */
	VEC(struct task) all; /* in the order in which they came */
	bool mmaps;
	struct buf *out;
};

static struct task *task_of(struct tasks *tasks, uint32_t pid, uint32_t tid)
{
	bool added;
	uint64_t *index = map_add(&tasks->by_tid, (uint64_t)tid + 1, &added);

	if (added) {
		*index = tasks->all.count;
		vec_push(&tasks->all, ((struct task){ .pid = pid,
						      .tid = tid,
						      .ppid = NO_PARENT,
						      .comm = tid ? "" : "swapper" }));
	}
	return &tasks->all.item[*index];
}

/* A mapping replaces what was there; what it leaves of a mapping stays. */
static void add_mmap(struct tasks *tasks, struct task *task, const struct event_mmap *mmap)
{
	struct event_mmap item = *mmap;
	uint64_t end = item.start + item.len;
	size_t kept = 0, count = task->mmaps.count;

	for (size_t i = 0; i < count; i++) {
		struct event_mmap m = task->mmaps.item[i], right = m;
		uint64_t m_end = m.start + m.len;

		if (m_end > end && m.start < end) {
			right.pgoff += end - m.start;
			right.start = end;
			right.len = m_end - end;
			vec_push(&task->mmaps, right);
		}
		if (m.start < item.start && m_end > item.start)
			m.len = item.start - m.start;
		else if (m.start < end && m_end > item.start)
			continue;
		task->mmaps.item[kept++] = m;
	}
	while (count < task->mmaps.count)
		task->mmaps.item[kept++] = task->mmaps.item[count++];
	task->mmaps.count = kept;
	item.path = arena_strdup(&tasks->strings, mmap->path);
	vec_push(&task->mmaps, item);
}

static void fork_task(struct tasks *tasks, const struct event *event)
{
	struct task *parent = task_of(tasks, event->task.ppid, event->task.ppid);
	size_t number = (size_t)(parent - tasks->all.item);
	struct task *task = task_of(tasks, event->pid, event->tid);

	parent = &tasks->all.item[number]; /* the list may have moved */
	task->pid = event->pid;
	task->ppid = event->task.ppid;
	task->comm = parent->comm;
	task->mmaps.count = 0;
	for (size_t i = 0; event->pid != event->task.ppid && i < parent->mmaps.count; i++)
		vec_push(&task->mmaps, parent->mmaps.item[i]);
}

static int on_event(struct sink *sink, const struct event *event, struct err *err)
{
	struct tasks *tasks = (struct tasks *)sink;
	struct task *task;

	(void)err;
	switch (event->type) {
	case EVENT_FORK:
		fork_task(tasks, event);
		break;
	case EVENT_COMM:
		task = task_of(tasks, event->pid, event->tid);
		task->comm = arena_strdup(&tasks->strings, event->comm.name);
		if (event->comm.exec)
			task->mmaps.count = 0;
		break;
	case EVENT_MMAP:
		if (tasks->mmaps && (event->mmap.prot & PROT_EXEC) && event->pid != UINT32_MAX)
			add_mmap(tasks, task_of(tasks, event->pid, event->pid), &event->mmap);
		break;
	case EVENT_SAMPLE:
		if (event->tid != UINT32_MAX)
			(void)task_of(tasks, event->pid, event->tid);
		break;
	default:
		break;
	}
	return 0;
}

/* Makes lists of children; gives whether the task has a parent that is known. */
static bool join_parent(struct tasks *tasks, size_t index)
{
	struct task *task = &tasks->all.item[index];
	uint64_t parent;

	/* records may claim circles, but a parent comes before its children */
	if (!map_get(&tasks->by_tid, (uint64_t)task->ppid + 1, &parent) || parent >= index)
		return false;
	task->next = tasks->all.item[parent].child;
	tasks->all.item[parent].child = (uint32_t)index + 1;
	return true;
}

static void put_mmaps(struct tasks *tasks, const struct task *task, unsigned level)
{
	for (size_t i = 0; i < task->mmaps.count; i++) {
		const struct event_mmap *m = &task->mmaps.item[i];

		(void)buf_printf(tasks->out, "%*s  %llx-%llx %c%c%c%c %08llx %llu ",
				 (int)(30 + level), "", (unsigned long long)m->start,
				 (unsigned long long)(m->start + m->len),
				 m->prot & PROT_READ ? 'r' : '-', m->prot & PROT_WRITE ? 'w' : '-',
				 m->prot & PROT_EXEC ? 'x' : '-', m->flags & MAP_SHARED ? 's' : 'p',
				 (unsigned long long)m->pgoff, (unsigned long long)m->ino);
		(void)buf_put_tidy(tasks->out, m->path);
		(void)buf_putc(tasks->out, '\n');
	}
}

static void put_task(struct tasks *tasks, const struct task *task, unsigned level)
{
	(void)buf_printf(tasks->out, "%10d %8d %8d |%*s", (int)task->pid, (int)task->tid,
			 (int)task->ppid, (int)level, "");
	(void)buf_put_tidy(tasks->out, task->comm);
	(void)buf_putc(tasks->out, '\n');
	put_mmaps(tasks, task, level);
}

/* What is still to be printed. */
struct branch {
	uint32_t task; /* index + 1 */
	unsigned level;
};

static void put_tree(struct tasks *tasks)
{
	VEC(struct branch) open = { 0 };

	(void)buf_puts(tasks->out, "#      pid      tid     ppid  comm\n");
	for (size_t i = tasks->all.count;
	     i-- > 0;) /* the first child becomes the first of a list */
		if (!join_parent(tasks, i))
			vec_push(&open, ((struct branch){ (uint32_t)i + 1, 0 }));
	while (open.count) {
		struct branch top = open.item[--open.count];
		const struct task *task = &tasks->all.item[top.task - 1];

		put_task(tasks, task, top.level);
		if (task->next)
			vec_push(&open, ((struct branch){ task->next, top.level }));
		if (task->child)
			vec_push(&open, ((struct branch){ task->child, top.level + 1 }));
	}
	vec_done(&open);
}

int report_tasks(struct recording *recording, bool mmaps, struct buf *ret, struct err *err)
{
	struct tasks tasks = { .sink = { .event = on_event }, .mmaps = mmaps, .out = ret };
	struct perf_data *data;
	int code = recording_data(recording, &data, err);

	(void)task_of(&tasks, 0, 0);
	if (!code)
		code = perf_data_read(data, &tasks.sink, err);
	if (!code)
		put_tree(&tasks);
	for (size_t i = 0; i < tasks.all.count; i++)
		vec_done(&tasks.all.item[i].mmaps);
	vec_done(&tasks.all);
	map_done(&tasks.by_tid);
	arena_done(&tasks.strings);
	return code;
}
