/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Run queues, observed in the kernel (bpf/run_queue.bpf.c): either each long wait for a CPU, or
 * sampled queue lengths. Requires Linux 5.11 with BTF, and root or CAP_BPF with CAP_PERFMON. */
#ifndef SOURCE_RUN_QUEUE_H
#define SOURCE_RUN_QUEUE_H

#include "bpf/run_queue_delay.h"
#include "source/source.h"

/* Waits as EVENT_OWN: struct run_queue_delay; stop() fills in the loss. Of struct source_options it
 * reads pids, tids, comm, cgroup_id and min_ns. */
extern const struct source_ops source_run_delay;
/* snapshot() and stop() deliver EVENT_OWN: uint64_t[CPUs][RUN_QUEUE_LENGTHS], how often queues had
 * a length since the start. Of struct source_options it reads frequency. */
extern const struct source_ops source_run_lengths;

#endif
