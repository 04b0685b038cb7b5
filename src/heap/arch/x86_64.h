/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86-64, for heap_arch.h. */
#ifndef HEAP_ARCH_X86_64_H
#define HEAP_ARCH_X86_64_H

#include <elf.h>
#include <stdint.h>

/* Where a function's first, second and fourth argument are, for notes of static probes. */
#define ARCH_NOTE_ALLOC "8@%rdi 8@%rsi 8@%rcx"
#define ARCH_NOTE_FREE	"8@%rdi"

/* Relocations that hold the address of a function. */
#define ARCH_RELOC_SLOT	  R_X86_64_JUMP_SLOT
#define ARCH_RELOC_GLOBAL R_X86_64_GLOB_DAT
#define ARCH_RELOC_WORD	  R_X86_64_64

/* Different for each thread of a process. */
static inline uintptr_t arch_thread_pointer(void)
{
	uintptr_t pointer;

	__asm__("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
}

/* A system call. Returns -errno. */
static inline long arch_call(long number, uintptr_t a, uintptr_t b, uintptr_t c)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

/* A function that is not called, but jumped to with a stack: it calls a function with three
 * arguments where a function has its first four, and ends in an instruction that faults, with what
 * that returned as its first argument. */
/* clang-format off */
#define ARCH_ENTRY(name)                                                      \
	__asm__(".pushsection .text\n\t.balign 16\n\t.globl " name "\n\t"     \
		".type " name ", %function\n" name ":\n\t.cfi_startproc\n\t"  \
		".cfi_undefined rip\n\txor %ebp, %ebp\n\tcall *%rcx\n\t"      \
		"mov %rax, %rdi\n\thlt\n\t"       \
		".cfi_endproc\n\t.size " name ", . - " name "\n\t.popsection\n")
/* clang-format on */

#endif
