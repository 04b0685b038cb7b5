/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls and events in order of time (see trace_merge.h). */
#include "session/trace/trace_merge.h"

#include <pthread.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "event/syscall.h"
#include "session/trace/trace_stack.h"

/* A call, an event, or the stack where a call begins; owned. */
struct item {
	uint64_t time_ns, number; /* of equal times the one that came first */
	struct syscall_line *line;
	struct trace_event event; /* its strings are one block, which begins with comm */
	struct trace_stack *stack;
	uint32_t tid; /* of a stack without an event */
};

struct trace_merge {
	pthread_mutex_t lock;
	VEC(struct item) item;
	uint64_t count;
	/* Of calls that have not returned. */
	struct map by_tid; /* index + 1 */
	VEC(struct trace_stack *) begun;
};

struct trace_merge *trace_merge_new(void)
{
	struct trace_merge *merge = mem_zalloc(sizeof(*merge));

	(void)pthread_mutex_init(&merge->lock, NULL);
	return merge;
}

static void free_item(struct item *item)
{
	free(item->line);
	free((char *)item->event.comm);
	trace_stack_free(item->stack);
}

void trace_merge_free(struct trace_merge *merge)
{
	if (!merge)
		return;
	for (size_t i = 0; i < merge->item.count; i++)
		free_item(&merge->item.item[i]);
	vec_done(&merge->item);
	for (size_t i = 0; i < merge->begun.count; i++)
		trace_stack_free(merge->begun.item[i]);
	vec_done(&merge->begun);
	map_done(&merge->by_tid);
	(void)pthread_mutex_destroy(&merge->lock);
	free(merge);
}

static void add(struct trace_merge *merge, struct item item)
{
	(void)pthread_mutex_lock(&merge->lock);
	item.number = merge->count++;
	vec_push(&merge->item, item);
	(void)pthread_mutex_unlock(&merge->lock);
}

void trace_merge_line(struct trace_merge *merge, const struct syscall_line *line)
{
	size_t size = sizeof(*line);

	for (size_t i = 0; i < SYSCALL_ARGS; i++)
		size += line->copied[i] == SYSCALL_COPY_NONE ? 0 : line->copied[i];
	add(merge, (struct item){ .time_ns = line->start_ns + line->ns,
				  .line = memcpy(mem_alloc(size), line, size) });
}

static char *put(char *at, const char *text, const char **ret)
{
	size_t len = strlen(text) + 1;

	memcpy(at, text, len);
	*ret = at;
	return at + len;
}

void trace_merge_event(struct trace_merge *merge, const struct trace_event *event)
{
	struct item item = { .time_ns = event->time_ns, .event = *event };
	char *at = mem_alloc(strlen(event->comm) + strlen(event->name) + strlen(event->text) + 3);

	at = put(at, event->comm, &item.event.comm);
	at = put(at, event->name, &item.event.name);
	(void)put(at, event->text, &item.event.text);
	item.event.stack = item.stack = event->stack ? trace_stack_copy(event->stack) : NULL;
	add(merge, item);
}

void trace_merge_begin(struct trace_merge *merge, uint32_t tid, uint64_t time_ns,
		       struct trace_stack *stack)
{
	add(merge, (struct item){ .time_ns = time_ns, .stack = stack, .tid = tid });
}

static struct trace_stack **begun_by(struct trace_merge *merge, uint32_t tid)
{
	bool added;
	uint64_t *index = map_add(&merge->by_tid, tid, &added);

	if (added) {
		vec_push(&merge->begun, NULL);
		*index = merge->begun.count;
	}
	return &merge->begun.item[*index - 1];
}

/* The stack of a call is the last one before it returns. One that began before tracing did may
 * come again when tracing ends. */
static int give_line(struct trace_merge *merge, const struct syscall_line *line,
		     const struct trace_samples_options *to, struct err *err)
{
	struct trace_stack **begun = begun_by(merge, line->tid);
	int code;

	if (to->stack)
		to->stack(to->context, *begun);
	code = to->line(to->context, line, err);
	if (!line->old) {
		trace_stack_free(*begun);
		*begun = NULL;
	}
	return code;
}

static int give(struct trace_merge *merge, struct item *item,
		const struct trace_samples_options *to, struct err *err)
{
	struct trace_stack **begun;

	if (item->line)
		return give_line(merge, item->line, to, err);
	if (item->event.comm)
		return to->event(to->context, &item->event, err);
	begun = begun_by(merge, item->tid);
	trace_stack_free(*begun);
	*begun = item->stack;
	item->stack = NULL;
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct item *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

int trace_merge_give(struct trace_merge *merge, uint64_t until_ns,
		     const struct trace_samples_options *to, struct err *err)
{
	VEC(struct item) ready = { 0 };
	size_t count = 0;
	int code = 0;

	(void)pthread_mutex_lock(&merge->lock);
	if (merge->item.count)
		qsort(merge->item.item, merge->item.count, sizeof(struct item), compare);
	while (count < merge->item.count && merge->item.item[count].time_ns <= until_ns) {
		vec_push(&ready, merge->item.item[count]);
		count++;
	}
	merge->item.count -= count;
	if (merge->item.count)
		memmove(merge->item.item, merge->item.item + count,
			merge->item.count * sizeof(struct item));
	(void)pthread_mutex_unlock(&merge->lock);
	for (size_t i = 0; i < ready.count; i++) {
		struct item *item = &ready.item[i];

		if (!code)
			code = give(merge, item, to, err);
		free_item(item);
	}
	vec_done(&ready);
	return code;
}
