/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batches of made-up samples for tests of the store, and a folder for it. */
#ifndef TEST_STORE_SAMPLES_H
#define TEST_STORE_SAMPLES_H

#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "profile/profile.h"
#include "store/store.h"

#define DAY_NS	  STORE_DAY_NS
#define SECOND_NS ((uint64_t)1000000000)
#define MONDAY_NS ((uint64_t)20000 * DAY_NS)

struct sample_plan {
	uint64_t from_ns, step_ns; /* of the samples */
	uint64_t first;		   /* number of the first one: stacks and weights follow from it */
	size_t count;
	const char *comm;
};

/* Returns the sum of the weights. */
static inline uint64_t fill_samples(struct profile *p, const struct sample_plan *plan)
{
	uint16_t event = profile_event(p, "cpu-clock", "ns");
	uint64_t sum = 0;

	for (size_t i = 0; i < plan->count; i++) {
		uint64_t n = plan->first + i;
		struct profile_sample sample = {
			.event = event,
			.thread = profile_thread(p, 1, 1, plan->comm ? plan->comm : "worker"),
			.cpu = PROFILE_NO_CPU,
			.time_ns = plan->from_ns + i * plan->step_ns,
			.stop = n % 5 ? STACK_STOP_ROOT : STACK_STOP_DEPTH,
			.weight = n % 7 ? 1000 : n,
			.count = 1,
		};
		char name[32];

		for (unsigned depth = 0; depth < 3; depth++) {
			struct frame frame = { .module = profile_module(p, "/bin/x", "abcd") };

			(void)snprintf(name, sizeof(name), "f%u_%u", depth,
				       (unsigned)(n * (depth + 1) % 11));
			frame.function = strtab_puts(p->strings, name);
			sample.stack =
				profile_stack_push(p, sample.stack, profile_frame(p, &frame));
		}
		profile_add(p, &sample);
		sum += sample.weight;
	}
	return sum;
}

static inline uint64_t put_samples(struct store *store, const struct sample_plan *plan,
				   const struct label_set *labels, struct err *err)
{
	struct profile *p = profile_new(PROFILE_KEEP_TIME);
	struct store_batch batch = { .profile = p, .labels = labels };
	uint64_t sum = fill_samples(p, plan);

	if (store_append(store, &batch, err))
		sum = 0;
	profile_free(p);
	return sum;
}

static inline struct store *open_store(const char *folder, bool write)
{
	struct store_options options = { .location = folder, .write = write };
	struct store *store = NULL;
	struct err err = { 0 };

	if (store_open(&options, &store, &err)) {
		(void)fprintf(stderr, "%s\n", err.msg);
		return NULL;
	}
	return store;
}

/* Sum of the weights in a range; *ret_count (may be NULL) are the samples. */
static inline uint64_t stored_weight(const char *folder, uint64_t from_ns, uint64_t to_ns,
				     uint64_t *ret_count)
{
	struct store_query query = { .from_ns = from_ns,
				     .to_ns = to_ns,
				     .viewer = STORE_EVERYBODY };
	struct store *store = open_store(folder, false);
	struct profile *p = NULL;
	struct err err = { 0 };
	uint64_t sum = 0;

	if (!store || store_query(store, &query, &p, &err)) {
		(void)fprintf(stderr, "%s\n", err.msg);
		abort();
	}
	if (ret_count)
		*ret_count = 0;
	for (size_t i = 0; i < p->events.count; i++) {
		sum += p->events.item[i].weight;
		if (ret_count)
			*ret_count += p->events.item[i].samples;
	}
	profile_free(p);
	store_close(store);
	return sum;
}

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void make_folder(char ret[64])
{
	(void)snprintf(ret, 64, "/tmp/cupel-store-XXXXXX");
	if (!mkdtemp(ret))
		abort();
}

static inline void remove_folder(const char *folder)
{
	(void)nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
