/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loaded BPF programs, including ours: samples may hit them. */
#ifndef SOURCE_BPF_EXISTING_H
#define SOURCE_BPF_EXISTING_H

struct err;
struct sink;

/* Emits a KSYMBOL event per function, with the names of kallsyms, except that a subprogram has its
 * program's name. Emits nothing without permission (it requires CAP_SYS_ADMIN) or if addresses are
 * hidden. Returns 0, or the sink's error. */
int bpf_existing_emit(struct sink *sink, struct err *err);

#endif
