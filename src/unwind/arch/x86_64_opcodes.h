/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86-64 opcodes: which bytes follow them, and which operand they write. Intel SDM volume 2,
 * appendix A. For x86_64_instruction.c only. */
#ifndef UNWIND_ARCH_X86_64_OPCODES_H
#define UNWIND_ARCH_X86_64_OPCODES_H

#include <stdint.h>

/* Of an opcode. */
#define M   0x01 /* has a ModRM byte */
#define I1  0x02 /* one byte immediate */
#define IZ  0x04 /* two or four bytes */
#define WR  0x08 /* writes the general register of ModRM's reg */
#define WM  0x10 /* writes the general register of ModRM's rm */
#define B8  0x20 /* on bytes: without REX, numbers 4 and 5 are other registers */
#define BAD 0x80

extern const uint8_t x86_64_one_byte[256];
/* After 0x0f, and map 1 of VEX and EVEX. */
extern const uint8_t x86_64_two_byte[256];

#endif
