/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Made-up samples for bench/store.sh: FOLDER SAMPLES. A day of 50 services of unequal size on 20
 * hosts, 4,000 stacks of each service, some 22 frames deep, hot ones more often; every sample has
 * its own stack and host, which real machines do not: their loops stay in the same code. Prints CPU
 * time of storing one sample (us), bytes per sample, and the seconds of two queries of all 24
 * hours: one service, everything. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/map.h"
#include "profile/profile.h"
#include "store/segment/segment_store.h"
#include "store/selector.h"
#include "store/store.h"

#define SERVICES 50u
#define HOSTS	 20u
#define STACKS	 4000u
#define BATCHES	 (24u * 60)
#define DAY_NS	 ((uint64_t)20000 * STORE_DAY_NS)

static uint64_t state = 88172645463325252u;

static uint32_t number(uint32_t most)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 11) % most);
}

/* Low numbers more often: the square of one that is evenly spread. */
static uint32_t skewed(uint32_t most)
{
	double x = (double)number(1u << 30) / (1u << 30);

	return (uint32_t)(x * x * most);
}

static stack_id make_stack(struct profile *p, uint32_t service, uint32_t stack)
{
	uint64_t path = hash_u64((uint64_t)service << 32 | stack);
	uint32_t depth = 12 + (uint32_t)(path % 21), common = stack % 97;
	stack_id at = STACK_EMPTY;
	char name[64];

	for (uint32_t i = 0; i < depth; i++) {
		uint64_t f = hash_u64(i < 8    ? ((uint64_t)service << 16 | i)
				      : i < 14 ? ((uint64_t)service << 40 | common << 8 | i)
					       : (path + i)) %
			     20000;
		struct frame frame = { .module = profile_module(
					       p, f % 3 ? "/usr/bin/app" : "/lib/libc.so.6",
					       "ab12"),
				       .offset = 0x1000 + f * 48 };

		(void)snprintf(name, sizeof(name), "namespace::function_%u", (unsigned)f);
		frame.function = strtab_puts(p->strings, name);
		at = profile_stack_push(p, at, profile_frame(p, &frame));
	}
	return at;
}

static double cpu_s(void)
{
	return (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9;
}

/* One minute of all services; stacks are made once. */
static void fill_minute(struct profile *p, const stack_id *stacks, uint64_t minute, size_t count)
{
	uint16_t event = profile_event(p, "cpu-clock", "ns");

	for (size_t i = 0; i < count; i++) {
		uint32_t service = skewed(SERVICES), host = number(HOSTS);
		struct profile_sample s = {
			.stack = stacks[service * STACKS + skewed(STACKS)],
			.thread = { service * HOSTS + host },
			.event = event,
			.stop = STACK_STOP_ROOT,
			.cpu = PROFILE_NO_CPU,
			.count = 1,
			.weight = 52631578,
			.time_ns = DAY_NS + minute * 60000000000u + i * 60000000000u / count,
		};

		vec_push(&p->samples, s);
	}
}

static double store_day(struct store *store, size_t samples)
{
	struct label_set *sets = calloc(SERVICES * HOSTS, sizeof(*sets));
	const struct label_set **by_thread = calloc(SERVICES * HOSTS, sizeof(*by_thread));
	stack_id *stacks = malloc(sizeof(*stacks) * SERVICES * STACKS);
	struct profile *p = profile_new(PROFILE_KEEP_TIME);
	struct store_batch batch = { .profile = p, .thread_labels = by_thread };
	struct err err = { 0 };
	double cpu = 0;
	char text[32];

	for (uint32_t i = 0; i < SERVICES * HOSTS; i++) {
		(void)snprintf(text, sizeof(text), "service-%02u", i / HOSTS);
		(void)label_set_put(&sets[i], "service", text);
		(void)snprintf(text, sizeof(text), "host-%02u", i % HOSTS);
		(void)label_set_put(&sets[i], "host", text);
		by_thread[i] = &sets[i];
		(void)profile_thread(p, i, i, "worker");
	}
	for (uint32_t i = 0; i < SERVICES * STACKS; i++)
		stacks[i] = make_stack(p, i / STACKS, i % STACKS);
	for (uint64_t minute = 0; minute < BATCHES; minute += 10) {
		const struct store_limits none = { 0 };
		double before;

		p->samples.count = 0;
		for (uint64_t m = minute; m < minute + 10; m++)
			fill_minute(p, stacks, m, samples / BATCHES);
		before = cpu_s();
		if (store_append(store, &batch, &err) || store_sync(store, &err) ||
		    store_maintain(store, &none, DAY_NS + (minute + 10) * 60000000000u, &err)) {
			(void)fprintf(stderr, "%s\n", err.msg);
			exit(1);
		}
		cpu += cpu_s() - before;
	}
	profile_free(p);
	free(stacks);
	for (uint32_t i = 0; i < SERVICES * HOSTS; i++)
		label_set_done(&sets[i]);
	free(sets);
	free(by_thread);
	return cpu;
}

/* Seconds, the median of five. */
static double ask(const char *folder, const char *selector, uint64_t *ret_samples)
{
	struct store_query query = { .from_ns = DAY_NS + 1800000000000u,
				     .to_ns = DAY_NS + STORE_DAY_NS - 1800000000000u,
				     .viewer = STORE_EVERYBODY };
	struct store_options where = { .location = folder };
	struct selector *parsed = NULL;
	struct err err = { 0 };
	double took[5];

	(void)selector_parse(selector, &parsed, &err);
	query.selector = parsed;
	for (int i = 0; i < 5; i++) {
		uint64_t start = clock_ns(CLOCK_MONOTONIC);
		struct profile *p;
		struct store *store;

		if (store_open(&where, &store, &err) || store_query(store, &query, &p, &err))
			exit(1);
		took[i] = (double)(clock_ns(CLOCK_MONOTONIC) - start) / 1e9;
		*ret_samples = profile_sample_count(p);
		profile_free(p);
		store_close(store);
		for (int k = i; k > 0 && took[k] < took[k - 1]; k--) {
			double swap = took[k];

			took[k] = took[k - 1];
			took[k - 1] = swap;
		}
	}
	selector_free(parsed);
	return took[2];
}

int main(int argc, char **argv)
{
	size_t samples = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	struct store_options where = { .location = argc > 1 ? argv[1] : NULL, .write = true };
	struct err err = { 0 };
	struct store *store;
	uint64_t bytes, one, all;
	double cpu, one_s, all_s;

	if (!samples || store_open(&where, &store, &err))
		return 1;
	cpu = store_day(store, samples);
	bytes = segment_bytes((struct segment_store *)store);
	store_close(store);
	one_s = ask(argv[1], "service=service-00", &one);
	all_s = ask(argv[1], "", &all);
	(void)fprintf(stderr, "%llu samples of one service, %llu of all\n", (unsigned long long)one,
		      (unsigned long long)all);
	(void)printf("%.3f %.2f %.3f %.3f\n", cpu * 1e6 / (double)samples,
		     (double)bytes / (double)samples, one_s, all_s);
	return 0;
}
