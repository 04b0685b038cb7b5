/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The few arm64 instructions that the unwinder knows, for user space and for BPF: no libc.
 * Encodings: Arm Architecture Reference Manual, "Alphabetical list of A64 base instructions". */
#ifndef UNWIND_ARCH_AARCH64_CODE_H
#define UNWIND_ARCH_AARCH64_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/arch/aarch64.h"
#include "unwind/rule.h"

#define AARCH64_NOP	  0xd503201fu
#define AARCH64_GO_NOP	  0xaa0003e0u /* mov x0, x0, as Go's assembler writes a no-op */
#define AARCH64_SVC	  0xd4000001u /* svc #0 */
#define AARCH64_SIGRETURN 0xd2801168u /* mov x8, #139 */
#define AARCH64_RET	  0xd65f03c0u
#define AARCH64_BTI_C	  0xd503245fu
#define AARCH64_SET_FP	  0x910003fdu /* mov x29, sp */

static inline bool aarch64_is_bl(uint32_t code)
{
	return (code & 0xfc000000u) == 0x94000000u;
}

static inline bool aarch64_is_blr(uint32_t code)
{
	return (code & 0xfffffc1fu) == 0xd63f0000u;
}

/* From the instruction to its target, in bytes. */
static inline int64_t aarch64_bl_distance(uint32_t code)
{
	return (int64_t)(int32_t)(code << 6) >> 4; /* 26 bits, in instructions */
}

/* stp x29, x30, [sp, #-N]!: N; 0 = something else. */
static inline int aarch64_pushed_bytes(uint32_t code)
{
	return (code & 0xffe07fffu) == 0xa9a07bfdu ? -((int)(code << 10) >> 25) * 8 : 0;
}

/* ldp x29, x30, [sp], #N: N; 0 = something else. */
static inline int aarch64_popped_bytes(uint32_t code)
{
	return (code & 0xffe07fffu) == 0xa8c07bfdu ? ((int)(code << 10) >> 25) * 8 : 0;
}

/* The rule for an interrupted instruction of a prologue or an epilogue, by it and the one before
 * it. Until x30 is saved, and when it is restored, it has the return address. */
static inline bool aarch64_sniff(uint32_t before, uint32_t at, struct unwind_rule *ret)
{
	int bytes = at == AARCH64_SET_FP ? aarch64_pushed_bytes(before) : aarch64_popped_bytes(at);

	*ret = (struct unwind_rule)ARCH_ENTRY_RULE;
	if (at == AARCH64_BTI_C || at == AARCH64_RET || aarch64_pushed_bytes(at))
		return true;
	*ret = (struct unwind_rule){ .cfa = UNWIND_SP,
				     .flags = UNWIND_BP_CFA,
				     .cfa_off = (int16_t)bytes,
				     .bp_off = (int16_t)-bytes,
				     .ra_off = (int16_t)(8 - bytes) };
	return bytes > 0;
}

#endif
