/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaches loaded BPF programs to functions of the kernel: one link for all of them (kprobe_multi,
 * Linux 5.18), else an event of the kprobe PMU for each. As with probe_links.h, all of it belongs
 * to descriptors of this process. */
#ifndef SOURCE_PROBE_KERNEL_LINKS_H
#define SOURCE_PROBE_KERNEL_LINKS_H

#include <stdbool.h>

struct bpf_program;
struct err;
struct probe_choice;
struct probe_links;

/* Whether this kernel attaches one link to many functions, for this user. */
bool kernel_links_multi(void);
/* Whether it has probes in the kernel at all. */
bool kernel_links_possible(void);

/* Before loading, after probe_links_prepare(). */
void kernel_links_prepare(struct bpf_program *program, const struct probe_choice *choice);
/* At the beginnings, or the ends, of all functions of the kernel in the choice. Fails if it can
 * attach to none of them. */
int kernel_links_attach(struct probe_links *links, const struct bpf_program *program,
			const struct probe_choice *choice, bool at_return, struct err *err);

#endif
