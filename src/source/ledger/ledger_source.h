/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ledger: a BPF program (bpf/ledger.bpf.c) that accounts for the time of threads, of some
 * processes and their descendants, or of all. Exited threads and intervals are delivered as they
 * happen; snapshot() delivers the current ledgers of all threads; stop() the final ones, with open
 * accounts closed, then the edges and the counts. Requires Linux 5.15 with BTF, and root or CAP_BPF
 * with CAP_PERFMON. */
#ifndef SOURCE_LEDGER_SOURCE_H
#define SOURCE_LEDGER_SOURCE_H

#include "bpf/wait/wait_code.h"
#include "event/ledger_account.h"
#include "source/source.h"

/* Of struct source_options it reads pids, program, system_wide,
 * cgroup_id and ledger. */
extern const struct source_ops source_ledger;

/* Answers an EVENT_LEDGER_CODE. */
void ledger_source_answer(struct source *source, const struct ledger_code *question,
			  const struct wait_code *code);

#endif
