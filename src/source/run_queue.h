/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queues for CPUs, watched in the kernel (bpf/run_queue.bpf.c): either who waited long for a CPU,
 * one by one, or how many threads wait, sampled. Needs Linux 5.11 with BTF, and root or CAP_BPF
 * with CAP_PERFMON. */
#ifndef SOURCE_RUN_QUEUE_H
#define SOURCE_RUN_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/run_queue_delay.h"

struct err;
struct run_queue;

struct run_queue_delays {
	uint64_t min_ns;
	const uint32_t *pid, *tid; /* only these: of one kind; NULL = all threads */
	size_t count;
	const char *comm;   /* only of this name; NULL = any */
	uint64_t cgroup_id; /* 0 = any */
	/* Called by run_queue_drain(). */
	void (*delay)(void *context, const struct run_queue_delay *delay);
	void *context;
};

/* Begins at once. *delays must live until run_queue_close(). */
int run_queue_open_delays(const struct run_queue_delays *delays, struct run_queue **ret,
			  struct err *err);
/* So many samples a second on every CPU. */
int run_queue_open_lengths(uint64_t frequency_hz, struct run_queue **ret, struct err *err);

/* Becomes readable when there are delays to drain. */
int run_queue_fd(const struct run_queue *queue);
int run_queue_drain(struct run_queue *queue, struct err *err);
uint64_t run_queue_lost(const struct run_queue *queue);

/* How often queues had a length so far; RUN_QUEUE_LENGTHS numbers for each of the CPUs, the
 * caller's to free. */
int run_queue_lengths(const struct run_queue *queue, uint32_t *ret_cpus, uint64_t **ret,
		      struct err *err);
void run_queue_close(struct run_queue *queue); /* NULL is fine */

#endif
