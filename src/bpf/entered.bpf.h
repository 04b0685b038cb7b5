/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of functions that end where others end as well, because they jump to them: an exit counts
 * for such a function only if the call came through its entry. A call is known by its thread and by
 * where its return address lies. Calls that longjmp(3) or an exception left are forgotten. */
#ifndef BPF_ENTERED_BPF_H
#define BPF_ENTERED_BPF_H

#include <stdbool.h>

#include "bpf/arch/arch.bpf.h"
#include "bpf/arch/registers.h"
#include "bpf/kernel.h"

#include <bpf/bpf_helpers.h>

struct entered_call {
	__u64 return_at;
	__u32 tid, number;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct entered_call);
	__type(value, __u8);
} entered SEC(".maps");

static __always_inline struct entered_call entered_here(void *regs)
{
	return (struct entered_call){
		.return_at = ARCH_SP((const bpf_user_pt_regs_t *)regs) + ARCH_CALL_PUSHES,
		.tid = (__u32)bpf_get_current_pid_tgid(),
		.number = (__u32)bpf_get_attach_cookie(regs),
	};
}

static __always_inline int enter_call(void *regs)
{
	struct entered_call call = entered_here(regs);
	const __u8 yes = 1;

	bpf_map_update_elem(&entered, &call, &yes, BPF_ANY);
	return 0;
}

/* Whether the call that ends here has entered. */
static __always_inline bool leave_call(void *regs)
{
	struct entered_call call = entered_here(regs);

	return !bpf_map_delete_elem(&entered, &call);
}

#endif
