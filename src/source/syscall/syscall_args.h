/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the arguments and results of system calls are: one row for each call. */
#ifndef SOURCE_SYSCALL_ARGS_H
#define SOURCE_SYSCALL_ARGS_H

#include <stddef.h>
#include <stdint.h>

#include "event/syscall.h"

enum syscall_arg {
	ARG_END, /* no further argument */
	ARG_INT,
	ARG_UINT,
	ARG_LONG,
	ARG_SIZE,
	ARG_HEX,
	ARG_OCTAL, /* of a mode */
	ARG_ADDRESS,
	ARG_FD,
	ARG_DIRFD, /* or AT_FDCWD */
	ARG_PATH,
	ARG_STRING,
	ARG_STRING_OUT, /* written by the kernel */
	ARG_DATA_IN,	/* as many bytes as the next argument says */
	ARG_DATA_OUT,	/* as many as the result */
	ARG_SIGNAL,
	ARG_TIMESPEC,
	ARG_TIMEVAL,
	ARG_TIMESPEC_OUT, /* written by the kernel */
	ARG_TIMEVAL_OUT,
	ARG_SOCKADDR, /* its length is the next argument */
	ARG_FD_PAIR,
	ARG_STAT,
	ARG_RLIMIT,
	ARG_RLIMIT_OUT,
	ARG_POLLFDS, /* their number is the next argument */
	ARG_EPOLL_EVENT,
	ARG_EPOLL_EVENTS, /* their number is the result */
	ARG_WAIT_STATUS,
	ARG_WORDS,	  /* of a new program */
	ARG_SOCKADDR_OUT, /* written by the kernel, and its length by the next argument */
	ARG_INT_IN,	  /* points to one */
	ARG_INT_OUT,
	ARG_CLONE_ARGS,	   /* their size is the next argument */
	ARG_PRCTL_NAME,	   /* depends on the argument before, */
	ARG_SOCKET_OPTION, /* likewise */
	/* Constants and sets of them, in syscall_flags.c. */
	ARG_FLAGS,
	ARG_OPEN = ARG_FLAGS,
	ARG_FD_FLAGS, /* O_CLOEXEC, O_NONBLOCK */
	ARG_ACCESS,
	ARG_AT,
	ARG_SEEK,
	ARG_PROT,
	ARG_MAP,
	ARG_MADVISE,
	ARG_FUTEX,
	ARG_CLONE,
	ARG_FAMILY,
	ARG_SOCKET,
	ARG_MSG,
	ARG_SHUTDOWN,
	ARG_FCNTL,
	ARG_EPOLL_OP,
	ARG_SIGMASK_HOW,
	ARG_CLOCK,
	ARG_WAIT,
	ARG_RESOURCE,
	ARG_PRCTL,
	ARG_IOCTL,
	ARG_LOCK,
	ARG_RANDOM,
	ARG_SOCKET_LEVEL,
	ARG_SOL_SOCKET, /* ARG_SOCKET_OPTION of that level */
	ARG_ARCH_PRCTL,
	ARG_COUNT,
};

struct syscall_signature {
	const char *name;
	uint8_t arg[SYSCALL_ARGS]; /* enum syscall_arg */
	uint8_t result;		   /* ARG_END: a number */
};

/* NULL = not known. */
const struct syscall_signature *syscall_signature(const char *name);
/* How many arguments a call has, in its ABI; all registers if its number is unknown. */
size_t syscall_arg_count(uint32_t call);
/* The name of an argument of a call, and its length; 0 = not known. Not terminated. */
size_t syscall_arg_name(const char *call, size_t nr, const char **ret);
/* What the kernel part copies, by number of native calls. */
void syscall_args_copies(uint16_t ret[SYSCALL_NUMBERS][SYSCALL_ARGS]);

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

/* Of an argument from ARG_FLAGS on. */
const struct syscall_flag_set *syscall_flags(enum syscall_arg arg);

#endif
