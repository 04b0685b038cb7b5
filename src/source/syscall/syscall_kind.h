/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an argument of a system call can be. */
#ifndef SOURCE_SYSCALL_KIND_H
#define SOURCE_SYSCALL_KIND_H

#include <assert.h>

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
	ARG_FCNTL_VALUE,   /* likewise, */
	ARG_IOCTL_VALUE,   /* and likewise */
	ARG_VECTOR,	   /* parts of data; their number is the next argument */
	ARG_MESSAGE,
	ARG_PROTOCOL, /* of the family, two arguments before */
	ARG_WIDE,     /* a number in two registers: the next one has its high half */
	ARG_WIDE_HIGH,
	ARG_STRUCTS, /* with a table of fields, syscall_structs.c */
	ARG_SIGACTION = ARG_STRUCTS,
	ARG_STATX,
	ARG_ITIMERVAL,
	ARG_ITIMERSPEC,
	ARG_TIMESPEC_PAIR,
	ARG_TIMEVAL_PAIR,
	ARG_RUSAGE,
	ARG_UTSNAME,
	ARG_SYSINFO,
	ARG_SCHED_ATTR,
	ARG_OPEN_HOW,
	ARG_FLOCK,
	ARG_WINSIZE,
	ARG_STATFS,
	ARG_URING_PARAMS,
	ARG_PERF_ATTR,
	ARG_SIGNAL_STACK,
	ARG_TMS,
	ARG_SIGINFO,
	ARG_FILTER, /* of seccomp */
	ARG_SIGSET, /* of signals */
	ARG_FD_SET, /* of descriptors */
	ARG_CPU_SET,
	ARG_PLAIN_TIMESPEC, /* within structs */
	ARG_PLAIN_TIMEVAL,
	ARG_COMPAT, /* structs of 32-bit programs, in syscall_compat.c */
	ARG_COMPAT_TIMESPEC = ARG_COMPAT,
	ARG_COMPAT_TIMEVAL,
	ARG_COMPAT_TIMESPEC_PAIR,
	ARG_COMPAT_TIMEVAL_PAIR,
	ARG_COMPAT_ITIMERVAL,
	ARG_COMPAT_ITIMERSPEC,
	ARG_COMPAT_RLIMIT,
	ARG_COMPAT_RUSAGE,
	ARG_COMPAT_STAT,
	ARG_COMPAT_STAT64,
	ARG_COMPAT_SIGACTION,
	ARG_COMPAT_SIGNAL_STACK,
	ARG_COMPAT_SYSINFO,
	ARG_COMPAT_TMS,
	ARG_COMPAT_STATFS,
	ARG_COMPAT_STATFS64,
	ARG_COMPAT_SIGINFO,
	ARG_COMPAT_FILTER,
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
	ARG_SA_FLAGS,
	ARG_EVENTFD,
	ARG_TIMERFD,
	ARG_EPOLL_CREATE,
	ARG_INOTIFY,
	ARG_INOTIFY_MASK,
	ARG_MEMFD,
	ARG_MREMAP,
	ARG_MSYNC,
	ARG_MLOCKALL,
	ARG_UMOUNT,
	ARG_STATX_MASK,
	ARG_STATX_FLAGS,
	ARG_AT_UNLINK,
	ARG_AT_ACCESS,
	ARG_RENAME,
	ARG_SPLICE,
	ARG_SCHED_POLICY,
	ARG_ID_TYPE,
	ARG_PRIORITY_WHICH,
	ARG_RUSAGE_WHO,
	ARG_ITIMER,
	ARG_TIMER_FLAGS,
	ARG_FALLOCATE,
	ARG_FADVISE,
	ARG_FD_CLOEXEC,
	ARG_LOCK_TYPE,
	ARG_URING_ENTER,
	ARG_URING_SETUP,
	ARG_URING_REGISTER,
	ARG_SECCOMP,
	ARG_BPF,
	ARG_PERF_TYPE,
	ARG_PERF_FLAGS,
	ARG_RESOLVE,
	ARG_INET_PROTOCOL,
	ARG_CLOSE_RANGE,
	ARG_STACK_FLAGS,
	ARG_CHILD_CODE,
	ARG_TCP_OPTION,
	ARG_IP_OPTION,
	ARG_TIMERFD_SET,
	ARG_SIGNALFD,
	ARG_FILE_RANGE,
	ARG_XATTR,
	ARG_STATX_ATTRIBUTES,
	ARG_MOUNT,
	ARG_READ_WRITE,
	ARG_PTRACE,
	ARG_COUNT,
};

static_assert(ARG_COUNT <= 0x100, "kinds and ARG_WRITTEN share bits");
#define ARG_WRITTEN 0x100 /* with a kind: the kernel writes it */

#endif
