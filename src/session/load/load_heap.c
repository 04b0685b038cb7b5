/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks of memory in recordings (see load_heap.h). */
#include "session/load/load_heap.h"

#include "base/err.h"
#include "event/desc.h"
#include "profile/heap/heap.h"
#include "profile/profile.h"
#include "session/filter.h"
#include "session/load/load.h"
#include "session/load/load_merge.h"

#define OTHER_ADDR                                                                      \
	(PROFILE_ADDR_IS_CGROUP | PROFILE_ADDR_IS_WEIGHT | PROFILE_ADDR_IS_SOCKET |     \
	 PROFILE_ADDR_IS_TRANSACTION | PROFILE_ADDR_IS_TRACE | PROFILE_ADDR_IS_FIELDS | \
	 PROFILE_ADDR_IS_ACCESS)

static const struct event_desc *find_allocs(const struct event_set *events)
{
	for (size_t i = 0; i < events->desc.count; i++)
		if (events->desc.item[i]->kind == EVENT_KIND_HEAP_ALLOC)
			return events->desc.item[i];
	return NULL;
}

static bool is_made(enum event_kind kind)
{
	return kind == EVENT_KIND_HEAP_ALLOC || event_kind_is_made_of_heap(kind);
}

bool load_heap_begin(const struct event_set *events, struct load_options *options)
{
	enum event_kind wanted = options->kind;

	if (options->event)
		wanted = event_kind_of_name(options->event);
	if (!options->heap &&
	    (!find_allocs(events) || options->branches || options->keep & OTHER_ADDR ||
	     (options->keep & (PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_BLOCK)) == PROFILE_KEEP_ADDR ||
	     (wanted && !is_made(wanted)) || (options->event && !wanted)))
		return false;
	options->event = NULL;
	options->kind = EVENT_KIND_OTHER;
	options->ends_only = false;
	options->merge_threads = false;
	return true;
}

unsigned load_heap_keeps(void)
{
	return PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_BLOCK;
}

int load_heap_finish(const struct event_set *events, const char *name,
		     const struct load_options *asked, struct profile *profile, struct err *err)
{
	const struct filter_spec spec = { .event = asked->event, .kind = asked->kind };
	const struct event_desc *allocs = find_allocs(events);
	uint64_t period = allocs ? allocs->attr.sample_period : 1;
	struct heap_summary unused;

	heap_sum_up(profile, period > 1 ? period : 0, asked->heap ? asked->heap : &unused);
	if (asked->heap)
		return 0;
	heap_summary_done(&unused);
	if (filter_profile(&spec, profile, name, err))
		return err->code;
	load_merge(profile, asked->keep);
	return 0;
}
