/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arm64, kernel part: the few instructions that locate a return address in code without a table,
 * as in unwind/arch/aarch64.c. Encodings: Arm Architecture Reference Manual. */
#ifndef BPF_ARCH_AARCH64_CODE_H
#define BPF_ARCH_AARCH64_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/kernel.h"
#include "unwind/arch/aarch64_code.h"
#include "unwind/rule.h"

#include <bpf/bpf_helpers.h>

/* Instructions around a pc. */
struct arch_code {
	uint32_t before, at, next;
};

static __always_inline int arch_read_code(struct arch_code *code, uint64_t pc)
{
	return bpf_probe_read_user(code, sizeof(*code), (void *)(pc - sizeof(code->before)));
}

/* A direct call ends at the pc: where it leads. */
static __always_inline bool arch_after_direct_call(const struct arch_code *code, uint64_t pc,
						   uint64_t *ret)
{
	if (!aarch64_is_bl(code->before))
		return false;
	*ret = pc - 4 + (uint64_t)aarch64_bl_distance(code->before);
	return true;
}

/* An indirect call ends at the pc. */
static __always_inline bool arch_after_indirect_call(const struct arch_code *code)
{
	return aarch64_is_blr(code->before);
}

/* Go's runtime.goexit: mov x0, x0; bl runtime.goexit1, with the pc at the call. */
static __always_inline bool arch_goroutine_exit(const struct arch_code *code)
{
	return code->before == AARCH64_GO_NOP && aarch64_is_bl(code->at);
}

/* What signal handlers return to. */
static __always_inline bool arch_signal_stub(const struct arch_code *code)
{
	return code->at == AARCH64_SIGRETURN && code->next == AARCH64_SVC;
}

/* A rule for an interrupted instruction of a prologue or an epilogue; false = it is of neither. */
static __always_inline bool arch_sniff(const struct arch_code *code, struct unwind_rule *ret)
{
	return aarch64_sniff(code->before, code->at, ret);
}

#endif
