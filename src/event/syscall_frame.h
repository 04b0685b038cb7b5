/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of system calls by caller. The kernel part puts the call on top of the user stack that
 * made it; user space puts on top of that what the sample's weight is: the ns of an account of the
 * ledger, or the number of calls of a length. They look like addresses in the last 2 MiB of the
 * address space, where no architecture has code; the kernel's markers in call chains are above. */
#ifndef EVENT_SYSCALL_FRAME_H
#define EVENT_SYSCALL_FRAME_H

#include "event/syscall.h"

#define SYSCALL_FRAME_CALL    0xffffffffffe00000ull
#define SYSCALL_FRAME_ACCOUNT 0xffffffffffe80000ull /* + enum ledger_account */
#define SYSCALL_FRAME_LENGTH  0xffffffffffe90000ull /* + bucket of a length */
#define SYSCALL_FRAME_END     0xffffffffffea0000ull
#define SYSCALL_FRAME_NUMBERS 0x10000u /* higher numbers count as the last of these */
#define SYSCALL_FRAME_COMPAT  0x10000u
#define SYSCALL_FRAME_X32     0x20000u

static inline uint64_t syscall_frame_of_call(uint32_t call)
{
	uint32_t number = call & ~(SYSCALL_COMPAT_BIT | SYSCALL_X32_BIT);
	uint64_t frame = SYSCALL_FRAME_CALL;

	if (call & SYSCALL_COMPAT_BIT)
		frame += SYSCALL_FRAME_COMPAT;
	else if (call & SYSCALL_X32_BIT)
		frame += SYSCALL_FRAME_X32;
	return frame + (number < SYSCALL_FRAME_NUMBERS ? number : SYSCALL_FRAME_NUMBERS - 1);
}

static inline uint32_t syscall_frame_call(uint64_t frame)
{
	uint32_t place = (uint32_t)(frame - SYSCALL_FRAME_CALL);
	uint32_t number = place & (SYSCALL_FRAME_NUMBERS - 1);

	return place & SYSCALL_FRAME_COMPAT ? number | SYSCALL_COMPAT_BIT
	       : place & SYSCALL_FRAME_X32  ? number | SYSCALL_X32_BIT
					    : number;
}

#endif
