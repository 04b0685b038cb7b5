/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See slowest_calls.h. */
#include "view/probe/slowest_calls.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "profile/profile.h"
#include "view/probe/call_latency.h"
#include "view/probe/counted_stacks.h"

static int slowest_first(const void *left, const void *right)
{
	const struct profile_sample *a = *(const struct profile_sample *const *)left;
	const struct profile_sample *b = *(const struct profile_sample *const *)right;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

/* All calls in their order; the caller frees them. */
static const struct profile_sample **sort(const struct profile *profile)
{
	size_t count = profile->samples.count;
	const struct profile_sample **call = mem_zalloc((count + 1) * sizeof(*call));

	for (size_t i = 0; i < count; i++)
		call[i] = &profile->samples.item[i];
	qsort(call, count, sizeof(*call), slowest_first);
	return call;
}

void slowest_calls_text(const struct profile *profile, size_t most,
			const struct call_latency_view *view, struct buf *ret)
{
	const struct profile_sample **call = sort(profile);

	for (size_t i = 0; i < most && i < profile->samples.count; i++) {
		const struct profile_thread *thread = &profile->threads.item[call[i]->thread.v];

		(void)buf_printf(ret, "%s\n%" PRIu64 " %s, ", i ? "" : "\nSlowest calls:\n",
				 call[i]->weight / view->unit_ns, view->unit);
		(void)buf_put_tidy(ret, profile_string(profile, thread->comm));
		(void)buf_printf(ret, " [%" PRIu32 "]\n", thread->tid);
		counted_stacks_put(profile, call[i]->stack.v, 2, ret);
	}
	free(call);
}

void slowest_calls_json(const struct profile *profile, size_t most, struct buf *ret)
{
	const struct profile_sample **call = sort(profile);

	(void)buf_puts(ret, ",\"slowest\":[");
	for (size_t i = 0; i < most && i < profile->samples.count; i++) {
		const struct profile_thread *thread = &profile->threads.item[call[i]->thread.v];

		(void)buf_printf(ret, "%s{\"ns\":%" PRIu64 ",\"comm\":", i ? "," : "",
				 call[i]->weight);
		(void)buf_put_json(ret, profile_string(profile, thread->comm));
		(void)buf_printf(ret, ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"stopped\":\"%s\"",
				 thread->pid, thread->tid,
				 stack_stop_name((enum stack_stop)call[i]->stop));
		counted_stacks_put_json(profile, call[i]->stack.v, ret);
		(void)buf_putc(ret, '}');
	}
	(void)buf_putc(ret, ']');
	free(call);
}
