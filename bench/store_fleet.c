/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A made-up day of a fleet for bench/fleet.sh: LOCATION HOSTS BATCH_SECONDS. Each host sends what
 * it has sampled in BATCH_SECONDS as one batch with a number of its own, as its agent does with
 * --interval, in turn with all others. A host has a service out of ten, one busy CPU at 19 Hz, and
 * in 10 seconds four stacks out of forty; each batch names three lost samples, and each hundredth
 * comes twice. Checks that samples, weight and lost ones are exact, of everything and of one
 * service, before and after the hours have taken the place of the day's 10 seconds. Prints samples,
 * rows, batches, seconds of storing, and of the query of one service: of the day without its first
 * and last 20.5 minutes, and of the whole day when only hours are left. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "profile/profile.h"
#include "store/selector.h"
#include "store/store.h"

#define SERVICES 10u
#define STACKS	 40u
#define ROWS	 4u   /* in a bucket */
#define COUNT	 190u /* samples in a bucket */
#define LOST	 3u   /* of a batch */
#define AGAIN	 100u
#define DAY_S	 (24u * 3600)
#define EDGE_S	 1230u
#define SECOND	 ((uint64_t)1000000000)

struct sums {
	uint64_t samples, weight, lost;
};

struct host {
	struct profile *profile;
	struct label_set labels, service;
	const struct label_set *by_thread[1];
	stack_id stack[STACKS];
};

struct fleet {
	struct store *store;
	struct host *host;
	uint32_t hosts, batch_s;
	uint64_t day_ns; /* of the day's begin */
	uint64_t rows, batches;
	struct sums all, one; /* what was sent; of service-0 */
};

static _Noreturn void fail(const char *what, const struct err *err)
{
	(void)fprintf(stderr, "%s: %s\n", what, err->msg);
	exit(1);
}

static void host_init(struct host *host, uint32_t number)
{
	struct profile *p = profile_new(PROFILE_KEEP_TIME);
	char text[64];

	host->profile = p;
	(void)snprintf(text, sizeof(text), "host-%03u", number);
	(void)label_set_put(&host->labels, "host", text);
	(void)snprintf(text, sizeof(text), "service-%u", number % SERVICES);
	(void)label_set_put(&host->service, "service", text);
	host->by_thread[0] = &host->service;
	(void)profile_thread(p, 100, 100, "worker");
	(void)profile_event(p, "cpu-clock", "ns");
	for (uint32_t i = 0; i < STACKS; i++) {
		stack_id at = STACK_EMPTY;

		for (uint32_t depth = 0; depth < 20; depth++) {
			struct frame frame = { .module = profile_module(p, "/usr/bin/app", "ab12"),
					       .offset = 4096 + depth * 256 +
							 (depth < 16 ? i % 4 : i) * 16 };

			(void)snprintf(text, sizeof(text), "service_%u_function_%u_%u",
				       number % SERVICES, depth, depth < 16 ? i % 4 : i);
			frame.function = strtab_puts(p->strings, text);
			at = profile_stack_push(p, at, profile_frame(p, &frame));
		}
		host->stack[i] = at;
	}
}

static void fill(struct fleet *f, uint32_t number, uint32_t from_s)
{
	struct host *host = &f->host[number];
	struct profile *p = host->profile;

	p->samples.count = 0;
	for (uint32_t i = 0; i < f->batch_s / 10 * ROWS; i++) {
		uint32_t bucket = from_s / 10 + i / ROWS, row = i % ROWS;
		struct profile_sample s = {
			.stack = host->stack[(bucket * 7 + row * 11) % STACKS],
			.event = 0,
			.stop = STACK_STOP_ROOT,
			.cpu = PROFILE_NO_CPU,
			.count = COUNT / ROWS + (row < COUNT % ROWS),
			.time_ns = f->day_ns + bucket * STORE_BUCKET_NS + row * SECOND,
		};

		s.weight = s.count * 52631578 + number + row;
		vec_push(&p->samples, s);
		f->all.samples += s.count;
		f->all.weight += s.weight;
		if (number % SERVICES == 0) {
			f->one.samples += s.count;
			f->one.weight += s.weight;
		}
	}
	p->events.item[0].lost = LOST;
	f->all.lost += LOST;
	f->rows += f->batch_s / 10 * ROWS;
}

static void send(struct fleet *f, uint32_t number, uint32_t from_s)
{
	const struct host *host = &f->host[number];
	const struct store_batch batch = { .profile = host->profile,
					   .labels = &host->labels,
					   .thread_labels = host->by_thread,
					   .id = (uint64_t)(number + 1) << 32 | (from_s + 1) };
	int times = ++f->batches % AGAIN ? 1 : 2;
	struct err err = { 0 };

	while (times--)
		if (store_append(f->store, &batch, &err) || store_sync(f->store, &err))
			fail("append", &err);
}

/* Seconds. The store's own work (roll-ups, partitions) is done as it is by an agent or server. */
static double send_all(struct fleet *f)
{
	const struct store_limits none = { .clock_is_sure = true };
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	struct err err = { 0 };

	for (uint32_t s = 0; s < DAY_S; s += f->batch_s) {
		for (uint32_t i = 0; i < f->hosts; i++) {
			fill(f, i, s);
			send(f, i, s);
		}
		if (store_maintain(f->store, &none, f->day_ns + (s + f->batch_s) * SECOND, &err))
			fail("upkeep", &err);
	}
	return (double)(clock_ns(CLOCK_MONOTONIC) - begin) / 1e9;
}

/* Adds what is in a part of the day. Returns the seconds. */
static double ask(const struct fleet *f, const char *selector, const uint32_t part_s[2],
		  struct sums *sums)
{
	struct store_query query = { .from_ns = f->day_ns + part_s[0] * SECOND,
				     .to_ns = f->day_ns + part_s[1] * SECOND,
				     .viewer = STORE_EVERYBODY };
	uint64_t begin = clock_ns(CLOCK_MONOTONIC), took;
	struct selector *parsed = NULL;
	struct err err = { 0 };
	struct profile *p;

	if (selector_parse(selector, &parsed, &err))
		fail(selector, &err);
	query.selector = parsed;
	if (store_query(f->store, &query, &p, &err))
		fail("query", &err);
	took = clock_ns(CLOCK_MONOTONIC) - begin;
	for (size_t i = 0; i < p->samples.count; i++) {
		sums->samples += p->samples.item[i].count;
		sums->weight += p->samples.item[i].weight;
	}
	sums->lost += p->meta.lost_samples;
	profile_free(p);
	selector_free(parsed);
	return (double)took / 1e9;
}

static void compare(const char *what, const struct sums *got, const struct sums *want, bool lost)
{
	if (got->samples == want->samples && got->weight == want->weight &&
	    (!lost || got->lost == want->lost))
		return;
	(void)fprintf(stderr,
		      "%s: %" PRIu64 " samples, %" PRIu64 " weight, %" PRIu64
		      " lost; sent: %" PRIu64 ", %" PRIu64 ", %" PRIu64 "\n",
		      what, got->samples, got->weight, got->lost, want->samples, want->weight,
		      want->lost);
	exit(1);
}

/* The whole day is in one piece in the store. With an edge it is asked for in three parts, which
 * begin and end within an hour. Returns the seconds of the part in the middle, of one service. */
static double check(const struct fleet *f, const char *when, uint32_t edge_s)
{
	const uint32_t parts[3][2] = { { 0, edge_s },
				       { edge_s, DAY_S - edge_s },
				       { DAY_S - edge_s, DAY_S } };
	struct sums all = { 0 }, one = { 0 };
	double took = 0;

	for (int i = edge_s ? 0 : 1; i < (edge_s ? 3 : 2); i++) {
		double part_s;

		(void)ask(f, "", parts[i], &all);
		part_s = ask(f, "service=service-0", parts[i], &one);
		took = i == 1 ? part_s : took;
	}
	compare(when, &all, &f->all, true);
	compare(when, &one, &f->one, false); /* lost ones have no service */
	return took;
}

int main(int argc, char **argv)
{
	const struct store_limits hours_only = { .bucket_age_ns = STORE_DAY_NS,
						 .clock_is_sure = true };
	struct store_options where = { .location = argc > 1 ? argv[1] : NULL, .write = true };
	struct fleet f = { .hosts = argc > 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0,
			   .batch_s = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0 };
	uint64_t now = clock_ns(CLOCK_REALTIME);
	struct err err = { 0 };
	double stored, fine, hours;

	if (!f.hosts || !f.batch_s || DAY_S % f.batch_s || f.batch_s % 10)
		return 2;
	if (store_open(&where, &f.store, &err))
		fail(where.location, &err);
	f.day_ns = now / STORE_DAY_NS * STORE_DAY_NS - 3 * STORE_DAY_NS;
	f.host = calloc(f.hosts, sizeof(*f.host));
	for (uint32_t i = 0; i < f.hosts; i++)
		host_init(&f.host[i], i);
	stored = send_all(&f);
	fine = check(&f, "10 seconds", EDGE_S);
	(void)check(&f, "the day", 0);
	if (store_maintain(f.store, &hours_only, now, &err))
		fail("upkeep", &err);
	hours = check(&f, "hours", 0);
	store_close(f.store);
	(void)printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %.1f %.3f %.3f\n", f.all.samples, f.rows,
		     f.batches, stored, fine, hours);
	for (uint32_t i = 0; i < f.hosts; i++) {
		profile_free(f.host[i].profile);
		label_set_done(&f.host[i].labels);
		label_set_done(&f.host[i].service);
	}
	free(f.host);
	return 0;
}
