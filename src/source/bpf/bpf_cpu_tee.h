/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What comes through perf's rings beside the program's own, for the bpf_cpu source. Samples of
 * events that are walked wait for their stacks; the rest goes on. */
#ifndef SOURCE_BPF_BPF_CPU_TEE_H
#define SOURCE_BPF_BPF_CPU_TEE_H

struct bpf_cpu;

/* What the rings deliver goes through self->tee, and on to self->to. */
void bpf_cpu_open_tee(struct bpf_cpu *self);

#endif
