/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ledger: a core in the kernel (bpf/ledger.bpf.c) that books the time of threads, of some
 * processes and what they fork, or of everybody. Threads that ended, and intervals, come as they
 * happen; snapshot() delivers the books of all threads as they stand, stop() the last ones, with
 * open accounts closed, then the edges and the counts. Needs Linux 5.15 with BTF, and root or
 * CAP_BPF with CAP_PERFMON. */
#ifndef SOURCE_LEDGER_SOURCE_H
#define SOURCE_LEDGER_SOURCE_H

#include "event/ledger_account.h"
#include "source/source.h"

/* Of struct source_options it reads pids, program, system_wide and ledger. */
extern const struct source_ops source_ledger;

#endif
