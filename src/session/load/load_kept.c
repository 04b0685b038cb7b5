/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What samples keep besides their stacks (see load_kept.h). The profile's strings belong to the
 * thread that names frames while samples are read, so texts are in a table of our own until then.
 */
#include "session/load/load_kept.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/strtab.h"
#include "event/event.h"
#include "format/perf_data/perf_data.h"
#include "format/trace/trace_print.h"
#include "proc/proc.h"
#include "profile/profile.h"

#define MAX_TEXT_BYTES 4096 /* of a tracepoint's fields */

struct load_kept {
	const struct perf_data *data;
	unsigned keep;
	struct strtab *texts;
	struct trace_print *trace;
	struct buf text;
};

struct load_kept *load_kept_new(const struct perf_data *data, unsigned keep)
{
	struct load_kept *kept = mem_zalloc(sizeof(*kept));

	kept->data = data;
	kept->keep = keep;
	kept->texts = strtab_new();
	kept->text.limit = MAX_TEXT_BYTES;
	return kept;
}

void load_kept_free(struct load_kept *kept)
{
	if (!kept)
		return;
	strtab_free(kept->texts);
	trace_print_free(kept->trace);
	buf_done(&kept->text);
	free(kept);
}

/* The payload of a tracepoint as text; of other samples it is empty. */
static uint64_t trace_of(struct load_kept *kept, const struct event *event)
{
	if (!kept->trace)
		kept->trace = trace_print_new(kept->data);
	buf_clear(&kept->text);
	if (!event->sample.raw || !trace_print_event(kept->trace, event, &kept->text))
		return STRING_EMPTY.v;
	return strtab_intern(kept->texts, kept->text.data, kept->text.len).v;
}

/* The one weight, or the first of three that share the word. */
static uint64_t weight_of(const struct event *event)
{
	bool three = event->desc->attr.sample_type & PERF_SAMPLE_WEIGHT_STRUCT;

	return three ? event->sample.weight & UINT32_MAX : event->sample.weight;
}

uint64_t load_kept_value(struct load_kept *kept, const struct event *event)
{
	if (kept->keep & PROFILE_ADDR_IS_CGROUP)
		return event->sample.cgroup;
	if (kept->keep & PROFILE_ADDR_IS_WEIGHT)
		return weight_of(event);
	if (kept->keep & PROFILE_ADDR_IS_TRANSACTION)
		return event->sample.transaction;
	if (kept->keep & PROFILE_ADDR_IS_SOCKET)
		return perf_data_socket(kept->data, event->cpu);
	if (kept->keep & PROFILE_ADDR_IS_TRACE)
		return trace_of(kept, event);
	return event->sample.addr;
}

void load_kept_finish(const struct load_kept *kept, const struct proc_table *procs,
		      struct profile *profile)
{
	bool cgroups = kept->keep & PROFILE_ADDR_IS_CGROUP;

	if (!cgroups && !(kept->keep & PROFILE_ADDR_IS_TRACE))
		return;
	for (size_t i = 0; i < profile->samples.count; i++) {
		struct profile_sample *s = &profile->samples.item[i];
		const char *text = NULL;

		if (!cgroups)
			text = strtab_get(kept->texts, (string_id){ (uint32_t)s->addr });
		else if (s->addr)
			text = proc_table_cgroup(procs, s->addr);
		s->addr = text ? strtab_puts(profile->strings, text).v : STRING_EMPTY.v;
	}
}
