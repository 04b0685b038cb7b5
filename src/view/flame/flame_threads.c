/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads of a profile (see flame_threads.h). */
#include "view/flame/flame_threads.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/map.h"
#include "profile/profile.h"

#define THREADS_MAX 100

/* A thread of the kernel's, under all its names. */
struct found_thread {
	uint32_t thread; /* the one of its thread_ids with most samples */
	uint64_t samples, most;
};

typedef VEC(struct found_thread) found_list;

static int compare_found(const void *pa, const void *pb)
{
	const struct found_thread *a = pa, *b = pb;

	if (a->samples != b->samples)
		return a->samples < b->samples ? 1 : -1;
	return (a->thread > b->thread) - (a->thread < b->thread);
}

static uint64_t thread_key(const struct profile_thread *thread)
{
	return (uint64_t)thread->pid << 32 | thread->tid;
}

static void list_threads(const struct profile *profile, const uint64_t *samples, found_list *ret)
{
	struct map known = { 0 };

	for (size_t i = 0; i < profile->threads.count; i++) {
		const struct profile_thread *thread = &profile->threads.item[i];
		struct found_thread *found;
		uint64_t *place;
		bool added;

		if (!samples[i] || thread->pid == PROFILE_NO_ID)
			continue;
		place = map_add(&known, thread_key(thread), &added);
		if (added) {
			*place = ret->count;
			vec_push(ret, ((struct found_thread){ 0 }));
		}
		found = &ret->item[*place];
		found->samples += samples[i];
		if (samples[i] > found->most) {
			found->most = samples[i];
			found->thread = (uint32_t)i;
		}
	}
	map_done(&known);
}

void flame_threads_find(const struct profile *profile, struct flame_threads *ret)
{
	uint64_t *samples = mem_zalloc((profile->threads.count + 1) * sizeof(*samples));
	found_list list = { 0 };
	struct map place = { 0 };

	*ret = (struct flame_threads){ 0 };
	for (size_t i = 0; i < profile->samples.count; i++)
		samples[profile->samples.item[i].thread.v] += profile->samples.item[i].count;
	list_threads(profile, samples, &list);
	if (list.count)
		qsort(list.item, list.count, sizeof(*list.item), compare_found);
	for (size_t i = 0; i < list.count && i < THREADS_MAX; i++) {
		map_set(&place, thread_key(&profile->threads.item[list.item[i].thread]), i);
		vec_push(&ret->list, list.item[i].thread);
	}
	ret->of = mem_alloc((profile->threads.count + 1) * sizeof(*ret->of));
	for (size_t i = 0; i < profile->threads.count; i++) {
		const struct profile_thread *thread = &profile->threads.item[i];
		uint64_t at = ret->list.count;

		(void)map_get(&place, thread_key(thread), &at);
		ret->of[i] = (uint32_t)at;
		ret->others += samples[i] && at == ret->list.count;
	}
	map_done(&place);
	vec_done(&list);
	free(samples);
}

size_t flame_threads_count(const struct flame_threads *threads)
{
	return threads->list.count + (threads->others != 0);
}

void flame_threads_done(struct flame_threads *threads)
{
	vec_done(&threads->list);
	free(threads->of);
}
