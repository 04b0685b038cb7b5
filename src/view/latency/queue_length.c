/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lengths of run queues (see queue_length.h). */
#include "view/latency/queue_length.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "view/latency/latency_map.h"

#define STARS	 40
#define ALL_CPUS UINT32_MAX

/* One queue, or the sum of all. */
struct queue {
	uint32_t cpu;
	uint32_t used; /* lengths up to the longest that was met */
	uint64_t samples, waited, most;
	uint64_t *count;
};

void queue_lengths_map(const struct queue_lengths *queues, uint64_t time_ns,
		       struct latency_map *map)
{
	for (uint32_t cpu = 0; cpu < queues->cpus; cpu++)
		for (uint32_t i = 0; i < queues->lengths; i++) {
			uint64_t count = queues->count[(size_t)cpu * queues->lengths + i];

			if (count)
				latency_map_add(map, time_ns, i, count);
		}
}

static void add_cpu(struct queue *queue, const struct queue_lengths *queues, uint32_t cpu)
{
	const uint64_t *count = queues->count + (size_t)cpu * queues->lengths;

	for (uint32_t i = 0; i < queues->lengths; i++) {
		queue->count[i] += count[i];
		queue->samples += count[i];
		queue->waited += i ? count[i] : 0;
		if (queue->count[i] > queue->most)
			queue->most = queue->count[i];
		if (queue->count[i] && i >= queue->used)
			queue->used = i + 1;
	}
}

static double occupancy(const struct queue *queue)
{
	return queue->samples ? (double)queue->waited / (double)queue->samples : 0;
}

static void put_rows(const struct queue *queue, struct buf *out)
{
	if (queue->cpu != ALL_CPUS)
		(void)buf_printf(out, "\ncpu = %" PRIu32 "\n", queue->cpu);
	(void)buf_puts(out, "     runqlen       : count     distribution\n");
	for (uint32_t i = 0; i < queue->used; i++) {
		size_t stars = (size_t)(queue->count[i] * STARS / queue->most);

		(void)buf_printf(out, "        %-10" PRIu32 " : %-8" PRIu64 " |", i,
				 queue->count[i]);
		(void)buf_pad(out, '*', stars);
		(void)buf_pad(out, ' ', STARS - stars);
		(void)buf_puts(out, "|\n");
	}
}

static void put_text(const struct queue *queue, const struct queue_length_options *options,
		     struct buf *out)
{
	if (!options->occupancy)
		put_rows(queue, out);
	else if (queue->cpu == ALL_CPUS)
		(void)buf_printf(out, "runqocc: %0.2f%%\n", 100 * occupancy(queue));
	else
		(void)buf_printf(out, "runqocc, CPU %-3" PRIu32 " %6.2f%%\n", queue->cpu,
				 100 * occupancy(queue));
}

static void put_json(const struct queue *queue, const struct queue_length_options *options,
		     struct buf *out)
{
	const char *comma = "";

	(void)options;
	(void)buf_puts(out, out->data[out->len - 1] == '[' ? "{" : ",{");
	if (queue->cpu != ALL_CPUS)
		(void)buf_printf(out, "\"cpu\":%" PRIu32 ",", queue->cpu);
	(void)buf_printf(out, "\"samples\":%" PRIu64 ",\"occupancy\":%.4f,\"lengths\":[",
			 queue->samples, occupancy(queue));
	for (uint32_t i = 0; i < queue->used; i++) {
		if (!queue->count[i])
			continue;
		(void)buf_printf(out, "%s{\"length\":%" PRIu32 ",\"count\":%" PRIu64 "}", comma, i,
				 queue->count[i]);
		comma = ",";
	}
	(void)buf_puts(out, "]}");
}

/* Every CPU that was sampled, or all as one. */
static void each(const struct queue_lengths *queues, const struct queue_length_options *options,
		 void (*put)(const struct queue *, const struct queue_length_options *,
			     struct buf *),
		 struct buf *out)
{
	uint64_t *count = mem_zalloc((queues->lengths + 1) * sizeof(*count));
	struct queue queue = { .cpu = ALL_CPUS, .count = count };

	for (uint32_t cpu = 0; cpu < queues->cpus; cpu++) {
		if (options->per_cpu) {
			queue = (struct queue){ .cpu = cpu, .count = count };
			memset(count, 0, queues->lengths * sizeof(*count));
		}
		add_cpu(&queue, queues, cpu);
		if (options->per_cpu && queue.samples)
			put(&queue, options, out);
	}
	if (!options->per_cpu)
		put(&queue, options, out);
	free(count);
}

void queue_length_text(const struct queue_lengths *queues,
		       const struct queue_length_options *options, struct buf *ret)
{
	each(queues, options, put_text, ret);
}

void queue_length_json(const struct queue_lengths *queues,
		       const struct queue_length_options *options, struct buf *ret)
{
	(void)buf_puts(ret, "{\"cupel\":1,\"what\":\"run queue length\",\"queues\":[");
	each(queues, options, put_json, ret);
	(void)buf_puts(ret, "]}\n");
}
