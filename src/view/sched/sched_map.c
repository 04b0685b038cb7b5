/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which thread had which CPU (see sched_map.h). Threads get short names A0, B0, … Z0, A1, … in the
 * order in which they are switched to; `.` is the idle task, `-` a thread that is not shown. */
#include "view/sched/sched_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "view/sched/sched_time_text.h"

#define MAX_CPUS    65536
#define FILLED_CPUS 1024
#define LETTERS	    26
#define NAME_COUNT  (LETTERS * 10) /* then they begin again */
#define BLUE	    "\033[34m"
#define RED_GROUND  "\033[41m"
#define PLAIN	    "\033[m"

static bool is_shown(const struct sched_map *map, const struct sched_task *task)
{
	const struct sched_map_options *o = map->options;

	return !o->has_name || o->has_name(o->context, task->comm);
}

static bool has_cpu(const struct sched_map *map, uint32_t cpu)
{
	const struct sched_map_options *o = map->options;

	return !o->has_cpu || o->has_cpu(o->context, cpu);
}

/* True when the thread got a short name just now. */
static bool give_name(struct sched_map *map, const struct sched_task *task)
{
	while (map->name.count <= task->index)
		vec_push(&map->name, 0);
	if (map->name.item[task->index])
		return false;
	if (sched_is_idle(task) || !is_shown(map, task))
		map->name.item[task->index] = UINT16_MAX;
	else
		map->name.item[task->index] = (uint16_t)(map->names++ % NAME_COUNT + 1);
	return true;
}

static void short_name(const struct sched_map *map, const struct sched_task *task, char ret[2])
{
	uint16_t number = map->name.item[task->index];

	ret[0] = '.';
	ret[1] = ' ';
	if (sched_is_idle(task))
		return;
	ret[0] = '-';
	if (number == UINT16_MAX)
		return;
	ret[0] = (char)('A' + (number - 1) % LETTERS);
	ret[1] = (char)('0' + (number - 1) / LETTERS);
}

/* Columns for CPUs up to this one, or for this one only when compact or when it has a number that
 * machines do not have: a number costs nothing to claim. True when it is new. */
static bool add_column(struct sched_map *map, uint32_t cpu)
{
	for (size_t i = 0; i < map->column.count; i++)
		if (map->column.item[i] == cpu)
			return false;
	if (map->options->compact || cpu >= FILLED_CPUS)
		vec_push(&map->column, cpu);
	while (!map->options->compact && cpu < FILLED_CPUS && map->filled <= cpu)
		vec_push(&map->column, map->filled++);
	return true;
}

static void put_marked(struct buf *ret, const char *mark, const char *text, size_t len)
{
	if (*mark)
		(void)buf_puts(ret, mark);
	(void)buf_append(ret, text, len);
	if (*mark)
		(void)buf_puts(ret, PLAIN);
}

static void put_cell(const struct sched_map *map, uint32_t cpu, bool here)
{
	const struct sched_map_options *o = map->options;
	const struct sched_task *task = cpu < map->running.count ? map->running.item[cpu] : NULL;
	bool mark_task = task && o->marks_task && o->marks_task(o->context, task->tid);
	bool mark_cpu = o->marks_cpu && o->marks_cpu(o->context, cpu);
	char cell[] = "    "; /* a star, the name, a blank */

	if (here)
		cell[0] = '*';
	if (task)
		short_name(map, task, cell + 1);
	put_marked(map->out, here && mark_cpu ? RED_GROUND : "", cell, 1);
	put_marked(map->out, mark_task ? BLUE : "", cell + 1, 3);
}

static void put_who(const struct sched_map *map, const struct sched_task *task)
{
	const struct sched_map_options *o = map->options;
	bool mark = o->marks_task && o->marks_task(o->context, task->tid);
	char name[2];

	short_name(map, task, name);
	(void)buf_puts(map->out, mark ? BLUE : "");
	(void)buf_append(map->out, name, sizeof(name));
	(void)buf_printf(map->out, " => %s:%" PRIu32 "%s", task->comm, task->tid,
			 mark ? PLAIN : "");
}

static void put_line(struct sched_map *map, const struct sched_event *event, bool named)
{
	struct sched_task *next = event->leave.next;
	bool new_column = add_column(map, event->cpu);

	(void)buf_puts(map->out, "  ");
	for (size_t i = 0; i < map->column.count; i++)
		if (has_cpu(map, map->column.item[i]))
			put_cell(map, map->column.item[i], map->column.item[i] == event->cpu);
	(void)buf_puts(map->out, "  ");
	sched_put_time(map->out, event->time_ns, 12);
	(void)buf_puts(map->out, " secs ");
	if ((named || next->renamed) && is_shown(map, next))
		put_who(map, next);
	next->renamed = false;
	if (map->options->compact && new_column)
		(void)buf_printf(map->out, " (CPU %" PRIu32 ")", event->cpu);
	(void)buf_putc(map->out, '\n');
}

static void take(struct sched_sink *sink, const struct sched_event *event)
{
	struct sched_map *map = (struct sched_map *)sink;
	bool named;

	if (event->kind != SCHED_SWITCH || event->cpu >= MAX_CPUS)
		return;
	while (map->running.count <= event->cpu)
		vec_push(&map->running, NULL);
	map->running.item[event->cpu] = event->leave.next;
	named = give_name(map, event->leave.next);
	if (!has_cpu(map, event->cpu) ||
	    (map->options->has_name && !is_shown(map, event->current) &&
	     !is_shown(map, event->leave.next)))
		return;
	put_line(map, event, named);
}

void sched_map_start(struct sched_map *map, const struct sched_map_options *options,
		     struct buf *out)
{
	memset(map, 0, sizeof(*map));
	map->sink.event = take;
	map->options = options;
	map->out = out;
	while (!options->compact && map->filled < options->cpu_count && map->filled < FILLED_CPUS)
		vec_push(&map->column, map->filled++);
}

void sched_map_done(struct sched_map *map)
{
	vec_done(&map->running);
	vec_done(&map->column);
	vec_done(&map->name);
}
