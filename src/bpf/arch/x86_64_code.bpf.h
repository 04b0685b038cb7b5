/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86-64, kernel part: the few instructions that locate a return address in code without a table,
 * as in unwind/arch/x86_64.c. Encodings: Intel SDM volume 2. */
#ifndef BPF_ARCH_X86_64_CODE_H
#define BPF_ARCH_X86_64_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/kernel.h"
#include "unwind/rule.h"

#include <bpf/bpf_helpers.h>

/* Code around a pc. */
#define ARCH_CODE_BEFORE 8
struct arch_code {
	uint8_t byte[ARCH_CODE_BEFORE + 8];
};

static __always_inline int arch_read_code(struct arch_code *code, uint64_t pc)
{
	return bpf_probe_read_user(code->byte, sizeof(code->byte), (void *)(pc - ARCH_CODE_BEFORE));
}

/* A direct call ends at the pc: where it leads. */
static __always_inline bool arch_after_direct_call(const struct arch_code *code, uint64_t pc,
						   uint64_t *ret)
{
	const uint8_t *at = code->byte + ARCH_CODE_BEFORE;

	if (at[-5] != 0xe8)
		return false;
	*ret = pc +
	       (uint64_t)(int32_t)(at[-4] | at[-3] << 8 | at[-2] << 16 | (uint32_t)at[-1] << 24);
	return true;
}

/* Length of FF /2 (call through register or memory) by its ModRM and SIB bytes; 0 = is not one. */
static __always_inline unsigned arch_indirect_call_len(const uint8_t *at)
{
	uint8_t mod = at[1] >> 6, rm = at[1] & 7;
	unsigned len = 2;

	if (at[0] != 0xff || (at[1] >> 3 & 7) != 2)
		return 0;
	if (mod == 3)
		return len;
	if (rm == 4) {
		rm = mod == 0 ? at[2] & 7 : rm;
		len++;
	}
	if (mod == 0)
		return rm == 5 ? len + 4 : len;
	return len + (mod == 1 ? 1 : 4);
}

/* An indirect call ends at the pc. */
static __always_inline bool arch_after_indirect_call(const struct arch_code *code)
{
#pragma unroll
	for (unsigned len = 2; len <= 7; len++)
		if (arch_indirect_call_len(code->byte + ARCH_CODE_BEFORE - len) == len)
			return true;
	return false;
}

/* Go's runtime.goexit: nop; call runtime.goexit1; nop, with the pc at the call. */
static __always_inline bool arch_goroutine_exit(const struct arch_code *code)
{
	const uint8_t *at = code->byte + ARCH_CODE_BEFORE;

	return at[-1] == 0x90 && at[0] == 0xe8 && at[5] == 0x90;
}

/* What signal handlers return to: mov $15,%rax (or %eax); syscall. */
static __always_inline bool arch_signal_stub(const struct arch_code *code)
{
	const uint8_t *at = code->byte + ARCH_CODE_BEFORE;

	if (at[0] == 0x48)
		return at[1] == 0xc7 && at[2] == 0xc0 && at[3] == 15 && !at[4] && !at[5] && !at[6];
	return at[0] == 0xb8 && at[1] == 15 && !at[2] && !at[3] && !at[4] && at[5] == 0x0f &&
	       at[6] == 0x05;
}

static __always_inline bool arch_is_return(const uint8_t *at)
{
	return at[0] == 0xc3 || at[0] == 0xc2 || (at[0] == 0xf3 && at[1] == 0xc3);
}

static __always_inline bool arch_sets_bp(const uint8_t *at)
{
	return (at[0] == 0x48 && at[1] == 0x89 && at[2] == 0xe5) ||
	       (at[0] == 0x48 && at[1] == 0x8b && at[2] == 0xec);
}

/* A rule for an interrupted instruction of a prologue or an epilogue; false = it is of neither. */
static __always_inline bool arch_sniff(const struct arch_code *code, struct unwind_rule *ret)
{
	const uint8_t *at = code->byte + ARCH_CODE_BEFORE;
	bool endbr64 = at[0] == 0xf3 && at[1] == 0x0f && at[2] == 0x1e && at[3] == 0xfa;
	bool pushed = at[-1] == 0x55 && arch_sets_bp(at);
	bool pops = at[0] == 0x5d && arch_is_return(at + 1);

	*ret = (struct unwind_rule){ .cfa = UNWIND_SP, .cfa_off = 8, .ra_off = -8 };
	if (endbr64 || (at[0] == 0x55 && arch_sets_bp(at + 1)) || arch_is_return(at))
		return true;
	if (pushed || pops) {
		ret->cfa_off = 16;
		ret->flags = UNWIND_BP_CFA;
		ret->bp_off = -16;
		return true;
	}
	*ret = (struct unwind_rule){ .cfa = UNWIND_FP };
	return at[0] == 0xc9 && arch_is_return(at + 1);
}

#endif
