/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a child that reads binaries sends: a profile, or, behind 'h', the sums of the heap of a
 * profile with one stack, or, behind 'p', places to probe. What is accepted must be usable. */
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/packing.h"
#include "profile/heap/heap.h"
#include "profile/heap/heap_pack.h"
#include "profile/profile.h"
#include "profile/profile_pack.h"
#include "source/probe/probe_choice.h"
#include "source/probe/probe_choice_pack.h"

static void look_at_profile(const uint8_t *data, size_t size)
{
	struct profile *profile, *all;
	struct err err = { 0 };

	if (profile_unpack(data, size, &profile, &err))
		return;
	all = profile_new(profile->keep);
	profile_count(profile);
	profile_merge(all, profile);
	profile_free(all);
	profile_free(profile);
}

static void look_at_heap(const uint8_t *data, size_t size)
{
	struct profile *profile = profile_new(0);
	struct heap_summary summary;
	struct heap_holders holders = { 0 };
	struct err err = { 0 };

	(void)profile_stack_push(profile, STACK_EMPTY,
				 profile_frame(profile, &(struct frame){ 0 }));
	if (!heap_unpack(data, size, profile, &summary, &err)) {
		heap_holders_collect(&summary.lives, &holders);
		heap_holders_done(&holders);
		heap_summary_done(&summary);
	}
	profile_free(profile);
}

static void look_at_places(const uint8_t *data, size_t size)
{
	struct unpack from = { .data = data, .len = size };
	struct probe_choice choice = { 0 };
	struct arena arena = { 0 };

	probe_choice_unpack(&from, SIZE_MAX, &arena, &choice);
	for (size_t i = 0; unpack_end(&from) && i < choice.places.count; i++)
		if (choice.places.item[i].binary >= choice.binaries.count ||
		    choice.places.item[i].number >= choice.names.count)
			abort();
	vec_done(&choice.binaries);
	vec_done(&choice.names);
	vec_done(&choice.tracepoints);
	vec_done(&choice.kernel);
	vec_done(&choice.places);
	vec_done(&choice.exits);
	arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size && data[0] == 'h')
		look_at_heap(data + 1, size - 1);
	else if (size && data[0] == 'p')
		look_at_places(data + 1, size - 1);
	else
		look_at_profile(data, size);
	return 0;
}
