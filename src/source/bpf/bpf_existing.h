/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The BPF programs that are loaded, ours among them: samples land in them, too. */
#ifndef SOURCE_BPF_EXISTING_H
#define SOURCE_BPF_EXISTING_H

struct err;
struct sink;

/* A KSYMBOL event per function, with the names that the kernel gives in kallsyms, but that a
 * subprogram has its program's name. Nothing where that is not permitted (it takes CAP_SYS_ADMIN)
 * or addresses are hidden. Returns 0, or what the sink returns. */
int bpf_existing_tell(struct sink *sink, struct err *err);

#endif
