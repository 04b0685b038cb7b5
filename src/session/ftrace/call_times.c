/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks from entries and exits (see call_times.h). */
#include "session/ftrace/call_times.h"

#include <stddef.h>

static struct call_thread *thread_of(struct call_times *times, uint64_t tid)
{
	bool added;
	uint64_t *at = map_add(&times->by_tid, tid, &added);

	if (added) {
		vec_push(&times->threads, ((struct call_thread){ 0 }));
		*at = times->threads.count - 1;
	}
	return &times->threads.item[*at];
}

static void end_deeper(struct call_thread *thread, uint32_t depth)
{
	while (thread->calls.count && vec_last(&thread->calls)->depth > depth)
		thread->calls.count--;
}

void call_times_enter(struct call_times *times, uint64_t tid, const struct call *call)
{
	struct call_thread *thread = thread_of(times, tid);

	end_deeper(thread, call->depth);
	if (thread->calls.count && vec_last(&thread->calls)->depth == call->depth)
		thread->calls.count--; /* its exit is missing */
	vec_push(&thread->calls, *call);
	vec_last(&thread->calls)->children_ns = 0;
}

bool call_times_exit(struct call_times *times, uint64_t tid, const struct call *call,
		     uint64_t duration_ns, uint64_t *ret_self_ns)
{
	struct call_thread *thread = thread_of(times, tid);
	struct call *top;

	end_deeper(thread, call->depth);
	if (!thread->calls.count)
		return false;
	top = vec_last(&thread->calls);
	if (top->depth != call->depth || (call->function && top->function != call->function))
		return false;
	if (duration_ns == UINT64_MAX)
		duration_ns = call->start_ns - top->start_ns;
	*ret_self_ns = duration_ns > top->children_ns ? duration_ns - top->children_ns : 0;
	times->frame.count = 0;
	/* callers as return addresses, which are behind the call */
	for (size_t i = thread->calls.count; i--;)
		vec_push(&times->frame,
			 thread->calls.item[i].function + (i + 1 < thread->calls.count));
	thread->calls.count--;
	if (thread->calls.count)
		vec_last(&thread->calls)->children_ns += duration_ns;
	return true;
}

void call_times_done(struct call_times *times)
{
	for (size_t i = 0; i < times->threads.count; i++)
		vec_done(&times->threads.item[i].calls);
	vec_done(&times->threads);
	vec_done(&times->frame);
	map_done(&times->by_tid);
}
