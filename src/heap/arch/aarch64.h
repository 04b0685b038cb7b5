/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arm64, for heap_arch.h. */
#ifndef HEAP_ARCH_AARCH64_H
#define HEAP_ARCH_AARCH64_H

#include <elf.h>
#include <stdint.h>

#define ARCH_NOTE_ALLOC "8@x0 8@x1 8@x3"
#define ARCH_NOTE_FREE	"8@x0"

#define ARCH_RELOC_SLOT	  R_AARCH64_JUMP_SLOT
#define ARCH_RELOC_GLOBAL R_AARCH64_GLOB_DAT
#define ARCH_RELOC_WORD	  R_AARCH64_ABS64

/* Different for each thread of a process. */
static inline uintptr_t arch_thread_pointer(void)
{
	uintptr_t pointer;

	__asm__("mrs %0, tpidr_el0" : "=r"(pointer));
	return pointer;
}

static inline long arch_call(long number, uintptr_t a, uintptr_t b, uintptr_t c)
{
	register uintptr_t x0 __asm__("x0") = a;
	register uintptr_t x1 __asm__("x1") = b;
	register uintptr_t x2 __asm__("x2") = c;
	register long x8 __asm__("x8") = number;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x8) : "memory");
	return (long)x0;
}

/* clang-format off */
#define ARCH_ENTRY(name)                                                      \
	__asm__(".pushsection .text\n\t.balign 16\n\t.globl " name "\n\t"     \
		".type " name ", %function\n" name ":\n\t.cfi_startproc\n\t"  \
		".cfi_undefined x30\n\tmov x29, #0\n\tblr x3\n\t"             \
		".inst 0\n\t"                         \
		".cfi_endproc\n\t.size " name ", . - " name "\n\t.popsection\n")
/* clang-format on */

#endif
