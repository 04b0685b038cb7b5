/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which kinds of BPF program this kernel takes from this user, found by loading one of two
 * instructions. Nothing is attached. */
#ifndef SOURCE_BPF_KIND_H
#define SOURCE_BPF_KIND_H

#include <stddef.h>
#include <stdint.h>

/* The kinds of Cupel's programs, by the names of their sections; UPROBE_MULTI stands for probes in
 * user space. */
enum bpf_kind {
	BPF_KIND_PERF_EVENT,
	BPF_KIND_RAW_TP,
	BPF_KIND_TP_BTF,
	BPF_KIND_ITER,
	BPF_KIND_UPROBE_MULTI,
	BPF_KINDS
};

const char *bpf_kind_name(enum bpf_kind kind);

/* For each kind 0 or -errno. -ENOENT: the kernel has no BTF, or not that type in it. */
void bpf_kinds_try(int ret[BPF_KINDS]);
/* UPROBE_MULTI alone. */
int bpf_uprobe_multi_try(void);

/* BPF programs of a kind that can take or count samples: those of the whole machine. */
struct bpf_attached {
	size_t count;
	char names[160]; /* of the first ones, separated by ", " */
};

/* Returns 0, or -errno if this user may not list them. */
int bpf_attached_list(struct bpf_attached *ret);

#endif
