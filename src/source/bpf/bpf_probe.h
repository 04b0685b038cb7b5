/* SPDX-License-Identifier: GPL-2.0-or-later */
/* May this process use BPF on this kernel? Answered by doing it, not by reading settings. */
#ifndef SOURCE_BPF_PROBE_H
#define SOURCE_BPF_PROBE_H

struct err;

/* Loads a program, attaches it to a perf event of the calling thread, and sees it run and read a
 * kernel type. Takes a few milliseconds. Returns 0, or -errno with the step that failed and, where
 * the user can act, a hint. */
int bpf_probe(struct err *err);

/* Features with their own BPF programs. */
enum bpf_part { BPF_WHOLE_STACKS, BPF_OFF_CPU, BPF_LEDGER, BPF_PARTS };

/* Loads the programs of that part, or remembers that the kernel refused them: 0, or -errno with the
 * reason. */
int bpf_probe_part(enum bpf_part part, struct err *err);
/* Whether the kernel is known to refuse them: -ENOEXEC with the reason. Loads nothing. */
int bpf_probe_remembered(enum bpf_part part, struct err *err);

#endif
