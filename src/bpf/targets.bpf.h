/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes or threads that a program watches; user space fills the map. */
#ifndef BPF_TARGETS_BPF_H
#define BPF_TARGETS_BPF_H

#include <stdbool.h>

#include "bpf/kernel.h"

#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u8);
} targets SEC(".maps");

static __always_inline bool is_target(__u32 id)
{
	return bpf_map_lookup_elem(&targets, &id) != NULL;
}

#endif
