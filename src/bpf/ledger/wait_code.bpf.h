/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits on a condition in the code of a runtime's lock. HotSpot's monitors wait on a condition
 * variable, as Object.wait() does; only the functions that called it tell one from the other. User
 * space has the symbols and the unwind rules, and is asked for each address once. */
#ifndef BPF_WAIT_CODE_BPF_H
#define BPF_WAIT_CODE_BPF_H

#include "bpf/arch/arch.bpf.h"
#include "bpf/kernel.h"
#include "bpf/ledger/ledger_account.bpf.h"
#include "bpf/wait/wait_code.h"

#include <bpf/bpf_helpers.h>

struct wait_memory {
	__u32 unused;
};

static __always_inline int unwind_read(struct wait_memory *memory, uint64_t addr, uint64_t *ret)
{
	uint64_t word;

	(void)memory;
	if (bpf_probe_read_user(&word, sizeof(word), (void *)addr))
		return -1;
	*ret = word;
	return 0;
}

static __always_inline int unwind_leaf(struct wait_memory *memory, unsigned reg, uint64_t *ret)
{
	(void)memory;
	(void)reg;
	(void)ret;
	return -1;
}

#define UNWIND_CONTEXT struct wait_memory
#include "unwind/walker.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WAIT_CODE_MOST); /* preallocated */
	__type(key, struct wait_code_key);
	__type(value, struct wait_code);
} wait_codes SEC(".maps");

/* The entry, or, when there is none, a question to user space. */
static __always_inline const struct wait_code *wait_code_of(const struct wait_code_key *key)
{
	const struct wait_code *code = bpf_map_lookup_elem(&wait_codes, key);
	struct wait_code asked = { .verdict = WAIT_CODE_ASKED };
	struct ledger_code question = { .pc = key->pc, .tgid = key->tgid };

	if (code || bpf_map_update_elem(&wait_codes, key, &asked, BPF_NOEXIST))
		return code;
	if (bpf_ringbuf_output(&ended, &question, sizeof(question), 0))
		(void)bpf_map_delete_elem(&wait_codes, key); /* the next wait asks */
	return NULL;
}

/* Of the current task, which is about to wait. */
static __noinline int wait_code_account(struct task_struct *task)
{
	struct wait_code_key key = { 0 };
	struct unwind_frame frame = { .leaf = true };
	struct wait_memory memory = { 0 };
	const struct wait_code *code;
	const struct pt_regs *regs;

	if (!task)
		return LEDGER_CONDITION;
	key.tgid = (__u32)task->tgid;
	code = wait_code_of(&key);
	if (!code || code->verdict != WAIT_CODE_CALLER)
		return LEDGER_CONDITION;
	regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	if (!arch_is_native(regs))
		return LEDGER_CONDITION;
	frame.pc = ARCH_PC(regs);
	frame.sp = ARCH_SP(regs);
	frame.bp = ARCH_BP(regs);
	for (int i = 0; i < WAIT_CODE_FRAMES; i++) {
		key.pc = frame.pc;
		code = wait_code_of(&key);
		if (!code || code->verdict == WAIT_CODE_OTHER)
			break;
		if (code->verdict == WAIT_CODE_LOCK)
			return LEDGER_LOCK;
		if (code->verdict != WAIT_CODE_CALLER || unwind_step(&code->rule, &frame, &memory))
			break;
	}
	return LEDGER_CONDITION;
}

#endif
