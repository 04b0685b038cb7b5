/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the arguments and results of system calls are: one row for each call. */
#ifndef SOURCE_SYSCALL_ARGS_H
#define SOURCE_SYSCALL_ARGS_H

#include <stddef.h>
#include <stdint.h>

#include "event/syscall.h"
#include "source/syscall/syscall_kind.h"

struct syscall_signature {
	const char *name;
	uint16_t arg[SYSCALL_ARGS]; /* enum syscall_arg, perhaps with ARG_WRITTEN */
	uint16_t result;	    /* ARG_END: a number */
};

/* NULL = not known. */
const struct syscall_signature *syscall_signature(const char *name);
/* Of 32-bit programs, where it differs. */
const struct syscall_signature *syscall_compat_signature(const char *name);
/* Of a call of any ABI. */
const struct syscall_signature *syscall_signature_of(uint32_t call);
/* How many arguments a call has, in its ABI; all registers if its number is unknown. */
size_t syscall_arg_count(uint32_t call);
/* The name of an argument of a call, and its length; 0 = not known. Not terminated. */
size_t syscall_arg_name(const char *call, size_t nr, const char **ret);
/* What the kernel part copies. */
void syscall_args_copies(uint16_t ret[SYSCALL_ABIS][SYSCALL_NUMBERS][SYSCALL_ARGS]);

struct syscall_flag {
	uint64_t value;
	const char *name;
	/* Bits of a field with this value; 0 = the value's own; UINT64_MAX = the whole. */
	uint64_t mask;
};

struct syscall_flag_set {
	const struct syscall_flag *flag;
	size_t count;
};

/* Of an argument from ARG_FLAGS on; NULL = others. */
const struct syscall_flag_set *syscall_flags(enum syscall_arg arg);

#endif
