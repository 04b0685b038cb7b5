/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and classes of system calls. Numbers are in arch/CPU.c; the rest is the same everywhere. */
#ifndef SOURCE_SYSCALL_TABLE_H
#define SOURCE_SYSCALL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/syscall.h"

/* As in strace: a call may be in several. */
#define SYSCALL_CLASSES(X)    \
	X(FILE, "file")       \
	X(DESC, "desc")       \
	X(MEMORY, "memory")   \
	X(PROCESS, "process") \
	X(SIGNAL, "signal")   \
	X(NET, "net")         \
	X(IPC, "ipc")         \
	X(CREDS, "creds")     \
	X(CLOCK, "clock")     \
	X(PURE, "pure")

enum syscall_class {
#define SYSCALL_CLASS_ROW(id, name) SYSCALL_CLASS_##id,
	SYSCALL_CLASSES(SYSCALL_CLASS_ROW)
#undef SYSCALL_CLASS_ROW
		SYSCALL_CLASS_COUNT,
};

/* One by one, indexed by number; NULL = not known. Of this CPU (arch/CPU.c). */
struct syscall_numbers {
	const char *const *name;
	size_t count;
};

extern const struct syscall_numbers syscall_numbers[SYSCALL_ABIS];

/* NULL = not known. `call` as in struct syscall_key. */
const char *syscall_name(uint32_t call);
#define SYSCALL_NAME_SIZE 48
/* The same, "read (32-bit)" for those of SYSCALL_COMPAT, "syscall 999" for unknown ones. In buf. */
const char *syscall_label(uint32_t call, char buf[SYSCALL_NAME_SIZE]);
/* Bits: 1 << enum syscall_class. */
uint32_t syscall_classes(const char *name);
/* The class of a word without its '%'. False: there is none. */
bool syscall_class_find(const char *word, enum syscall_class *ret);
const char *syscall_class_name(enum syscall_class class);
/* "ENOENT"; NULL = not known. Also those that only the kernel and tracers see. */
const char *syscall_error_name(uint32_t error);

#endif
