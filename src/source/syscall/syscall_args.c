/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signatures of system calls (see syscall_args.h), sorted by name. */
#include "source/syscall/syscall_args.h"

#include <stdlib.h>
#include <string.h>

#include "source/syscall/syscall_table.h"

#define INT    ARG_INT
#define UINT   ARG_UINT
#define LONG   ARG_LONG
#define SIZE   ARG_SIZE
#define HEX    ARG_HEX
#define OCTAL  ARG_OCTAL
#define ADDR   ARG_ADDRESS
#define FD     ARG_FD
#define DIRFD  ARG_DIRFD
#define PATH   ARG_PATH
#define STR    ARG_STRING
#define IN     ARG_DATA_IN
#define OUT    ARG_DATA_OUT
#define SIGNAL ARG_SIGNAL
#define TIME   ARG_TIMESPEC

/* clang-format off */
static const struct syscall_signature signatures[] = {
	{ "accept", { FD, ADDR, ADDR }, FD },
	{ "accept4", { FD, ADDR, ADDR, ARG_SOCKET }, FD },
	{ "access", { PATH, ARG_ACCESS }, 0 },
	{ "alarm", { UINT }, 0 },
	{ "arch_prctl", { HEX, ADDR }, 0 },
	{ "bind", { FD, ARG_SOCKADDR, INT }, 0 },
	{ "brk", { ADDR }, ADDR },
	{ "chdir", { PATH }, 0 },
	{ "chmod", { PATH, OCTAL }, 0 },
	{ "chown", { PATH, INT, INT }, 0 },
	{ "clock_getres", { ARG_CLOCK, TIME }, 0 },
	{ "clock_gettime", { ARG_CLOCK, TIME }, 0 },
	{ "clock_nanosleep", { ARG_CLOCK, INT, TIME, ADDR }, 0 },
	{ "clone", { ARG_CLONE, ADDR, ADDR, ADDR, ADDR }, 0 },
	{ "clone3", { ADDR, SIZE }, 0 },
	{ "close", { FD }, 0 },
	{ "close_range", { UINT, UINT, HEX }, 0 },
	{ "connect", { FD, ARG_SOCKADDR, INT }, 0 },
	{ "copy_file_range", { FD, ADDR, FD, ADDR, SIZE, HEX }, 0 },
	{ "creat", { PATH, OCTAL }, FD },
	{ "dup", { FD }, FD },
	{ "dup2", { FD, INT }, FD },
	{ "dup3", { FD, INT, ARG_FD_FLAGS }, FD },
	{ "epoll_create", { INT }, FD },
	{ "epoll_create1", { ARG_FD_FLAGS }, FD },
	{ "epoll_ctl", { FD, ARG_EPOLL_OP, FD, ARG_EPOLL_EVENT }, 0 },
	{ "epoll_pwait", { FD, ARG_EPOLL_EVENTS, INT, INT, ADDR, SIZE }, 0 },
	{ "epoll_wait", { FD, ARG_EPOLL_EVENTS, INT, INT }, 0 },
	{ "eventfd2", { UINT, ARG_FD_FLAGS }, FD },
	{ "execve", { PATH, ADDR, ADDR }, 0 },
	{ "execveat", { DIRFD, PATH, ADDR, ADDR, ARG_AT }, 0 },
	{ "exit", { INT }, 0 },
	{ "exit_group", { INT }, 0 },
	{ "faccessat", { DIRFD, PATH, ARG_ACCESS }, 0 },
	{ "faccessat2", { DIRFD, PATH, ARG_ACCESS, ARG_AT }, 0 },
	{ "fadvise64", { FD, LONG, SIZE, INT }, 0 },
	{ "fallocate", { FD, HEX, LONG, LONG }, 0 },
	{ "fchdir", { FD }, 0 },
	{ "fchmod", { FD, OCTAL }, 0 },
	{ "fchmodat", { DIRFD, PATH, OCTAL }, 0 },
	{ "fchown", { FD, INT, INT }, 0 },
	{ "fchownat", { DIRFD, PATH, INT, INT, ARG_AT }, 0 },
	{ "fcntl", { FD, ARG_FCNTL, HEX }, 0 },
	{ "fdatasync", { FD }, 0 },
	{ "flock", { FD, ARG_LOCK }, 0 },
	{ "fstat", { FD, ARG_STAT }, 0 },
	{ "fstatfs", { FD, ADDR }, 0 },
	{ "fsync", { FD }, 0 },
	{ "ftruncate", { FD, LONG }, 0 },
	{ "futex", { ADDR, ARG_FUTEX, UINT, ADDR, ADDR, HEX }, 0 },
	{ "getcwd", { ARG_STRING_OUT, SIZE }, 0 },
	{ "getdents64", { FD, ADDR, SIZE }, 0 },
	{ "getpeername", { FD, ADDR, ADDR }, 0 },
	{ "getpgid", { INT }, 0 },
	{ "getrandom", { ADDR, SIZE, ARG_RANDOM }, 0 },
	{ "getrlimit", { ARG_RESOURCE, ARG_RLIMIT }, 0 },
	{ "getsockname", { FD, ADDR, ADDR }, 0 },
	{ "getsockopt", { FD, INT, INT, ADDR, ADDR }, 0 },
	{ "gettimeofday", { ARG_TIMEVAL, ADDR }, 0 },
	{ "getxattr", { PATH, STR, ADDR, SIZE }, 0 },
	{ "inotify_add_watch", { FD, PATH, HEX }, 0 },
	{ "inotify_init1", { ARG_FD_FLAGS }, FD },
	{ "io_uring_enter", { FD, UINT, UINT, HEX, ADDR, SIZE }, 0 },
	{ "io_uring_setup", { UINT, ADDR }, FD },
	{ "ioctl", { FD, ARG_IOCTL, HEX }, 0 },
	{ "kill", { INT, SIGNAL }, 0 },
	{ "lgetxattr", { PATH, STR, ADDR, SIZE }, 0 },
	{ "link", { PATH, PATH }, 0 },
	{ "linkat", { DIRFD, PATH, DIRFD, PATH, ARG_AT }, 0 },
	{ "listen", { FD, INT }, 0 },
	{ "lseek", { FD, LONG, ARG_SEEK }, 0 },
	{ "lstat", { PATH, ARG_STAT }, 0 },
	{ "madvise", { ADDR, SIZE, ARG_MADVISE }, 0 },
	{ "memfd_create", { STR, HEX }, FD },
	{ "mkdir", { PATH, OCTAL }, 0 },
	{ "mkdirat", { DIRFD, PATH, OCTAL }, 0 },
	{ "mmap", { ADDR, SIZE, ARG_PROT, ARG_MAP, FD, HEX }, ADDR },
	{ "mount", { PATH, PATH, STR, HEX, ADDR }, 0 },
	{ "mprotect", { ADDR, SIZE, ARG_PROT }, 0 },
	{ "mremap", { ADDR, SIZE, SIZE, HEX, ADDR }, ADDR },
	{ "munmap", { ADDR, SIZE }, 0 },
	{ "nanosleep", { TIME, ADDR }, 0 },
	{ "newfstatat", { DIRFD, PATH, ARG_STAT, ARG_AT }, 0 },
	{ "open", { PATH, ARG_OPEN, OCTAL }, FD },
	{ "openat", { DIRFD, PATH, ARG_OPEN, OCTAL }, FD },
	{ "openat2", { DIRFD, PATH, ADDR, SIZE }, FD },
	{ "pidfd_open", { INT, ARG_FD_FLAGS }, FD },
	{ "pipe", { ARG_FD_PAIR }, 0 },
	{ "pipe2", { ARG_FD_PAIR, ARG_FD_FLAGS }, 0 },
	{ "poll", { ARG_POLLFDS, UINT, INT }, 0 },
	{ "ppoll", { ARG_POLLFDS, UINT, TIME, ADDR, SIZE }, 0 },
	{ "prctl", { ARG_PRCTL, HEX, HEX, HEX, HEX }, 0 },
	{ "pread64", { FD, OUT, SIZE, LONG }, 0 },
	{ "prlimit64", { INT, ARG_RESOURCE, ARG_RLIMIT, ARG_RLIMIT }, 0 },
	{ "pselect6", { INT, ADDR, ADDR, ADDR, TIME, ADDR }, 0 },
	{ "pwrite64", { FD, IN, SIZE, LONG }, 0 },
	{ "read", { FD, OUT, SIZE }, 0 },
	{ "readlink", { PATH, OUT, SIZE }, 0 },
	{ "readlinkat", { DIRFD, PATH, OUT, SIZE }, 0 },
	{ "readv", { FD, ADDR, INT }, 0 },
	{ "recvfrom", { FD, OUT, SIZE, ARG_MSG, ADDR, ADDR }, 0 },
	{ "recvmsg", { FD, ADDR, ARG_MSG }, 0 },
	{ "rename", { PATH, PATH }, 0 },
	{ "renameat", { DIRFD, PATH, DIRFD, PATH }, 0 },
	{ "renameat2", { DIRFD, PATH, DIRFD, PATH, HEX }, 0 },
	{ "rmdir", { PATH }, 0 },
	{ "rseq", { ADDR, SIZE, HEX, HEX }, 0 },
	{ "rt_sigaction", { SIGNAL, ADDR, ADDR, SIZE }, 0 },
	{ "rt_sigprocmask", { ARG_SIGMASK_HOW, ADDR, ADDR, SIZE }, 0 },
	{ "rt_sigsuspend", { ADDR, SIZE }, 0 },
	{ "select", { INT, ADDR, ADDR, ADDR, ARG_TIMEVAL }, 0 },
	{ "sendfile", { FD, FD, ADDR, SIZE }, 0 },
	{ "sendmsg", { FD, ADDR, ARG_MSG }, 0 },
	{ "sendto", { FD, IN, SIZE, ARG_MSG, ARG_SOCKADDR, INT }, 0 },
	{ "set_robust_list", { ADDR, SIZE }, 0 },
	{ "set_tid_address", { ADDR }, 0 },
	{ "setpgid", { INT, INT }, 0 },
	{ "setrlimit", { ARG_RESOURCE, ARG_RLIMIT }, 0 },
	{ "setsockopt", { FD, INT, INT, ADDR, INT }, 0 },
	{ "shutdown", { FD, ARG_SHUTDOWN }, 0 },
	{ "sigaltstack", { ADDR, ADDR }, 0 },
	{ "socket", { ARG_FAMILY, ARG_SOCKET, INT }, FD },
	{ "socketpair", { ARG_FAMILY, ARG_SOCKET, INT, ARG_FD_PAIR }, 0 },
	{ "splice", { FD, ADDR, FD, ADDR, SIZE, HEX }, 0 },
	{ "stat", { PATH, ARG_STAT }, 0 },
	{ "statfs", { PATH, ADDR }, 0 },
	{ "statx", { DIRFD, PATH, ARG_AT, HEX, ADDR }, 0 },
	{ "symlink", { PATH, PATH }, 0 },
	{ "symlinkat", { PATH, DIRFD, PATH }, 0 },
	{ "tgkill", { INT, INT, SIGNAL }, 0 },
	{ "timerfd_create", { ARG_CLOCK, ARG_FD_FLAGS }, FD },
	{ "tkill", { INT, SIGNAL }, 0 },
	{ "truncate", { PATH, LONG }, 0 },
	{ "umask", { OCTAL }, OCTAL },
	{ "umount2", { PATH, HEX }, 0 },
	{ "uname", { ADDR }, 0 },
	{ "unlink", { PATH }, 0 },
	{ "unlinkat", { DIRFD, PATH, ARG_AT }, 0 },
	{ "utimensat", { DIRFD, PATH, ADDR, ARG_AT }, 0 },
	{ "wait4", { INT, ARG_WAIT_STATUS, ARG_WAIT, ADDR }, 0 },
	{ "waitid", { INT, INT, ADDR, ARG_WAIT, ADDR }, 0 },
	{ "write", { FD, IN, SIZE }, 0 },
	{ "writev", { FD, ADDR, INT }, 0 },
};
/* clang-format on */

/* Calls without arguments: everything about them is known. */
static const char *const plain[] = {
	"fork",	  "getegid",	  "geteuid",	 "getgid", "getpgrp", "getpid", "getppid", "gettid",
	"getuid", "rt_sigreturn", "sched_yield", "setsid", "sync",    "vfork",	"pause",
};

static int compare(const void *name, const void *row)
{
	return strcmp(name, ((const struct syscall_signature *)row)->name);
}

const struct syscall_signature *syscall_signature(const char *name)
{
	static const struct syscall_signature none;

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if (strcmp(plain[i], name) == 0)
			return &none;
	return bsearch(name, signatures, sizeof(signatures) / sizeof(*signatures),
		       sizeof(*signatures), compare);
}

static uint16_t copy_of(uint8_t arg)
{
	static const uint16_t copies[ARG_COUNT] = {
		[ARG_PATH] = SYSCALL_COPY_STRING,
		[ARG_STRING] = SYSCALL_COPY_STRING,
		[ARG_STRING_OUT] = SYSCALL_COPY_STRING,
		[ARG_DATA_IN] = SYSCALL_COPY_BY_NEXT | 1,
		[ARG_DATA_OUT] = SYSCALL_COPY_BY_RESULT | 1,
		[ARG_TIMESPEC] = SYSCALL_COPY_FIXED | 16,
		[ARG_TIMEVAL] = SYSCALL_COPY_FIXED | 16,
		[ARG_SOCKADDR] = SYSCALL_COPY_BY_NEXT | 1,
		[ARG_FD_PAIR] = SYSCALL_COPY_FIXED | 8,
		[ARG_STAT] = SYSCALL_COPY_FIXED | 144,
		[ARG_RLIMIT] = SYSCALL_COPY_FIXED | 16,
		[ARG_POLLFDS] = SYSCALL_COPY_BY_NEXT | 8,
		[ARG_EPOLL_EVENT] = SYSCALL_COPY_FIXED | 12,
		[ARG_EPOLL_EVENTS] = SYSCALL_COPY_BY_RESULT | 12,
		[ARG_WAIT_STATUS] = SYSCALL_COPY_FIXED | 4,
	};

	return copies[arg];
}

void syscall_args_copies(uint16_t ret[SYSCALL_NUMBERS][SYSCALL_ARGS])
{
	for (uint32_t call = 0; call < SYSCALL_NUMBERS; call++) {
		const char *name = syscall_name(call);
		const struct syscall_signature *row = name ? syscall_signature(name) : NULL;

		for (size_t i = 0; row && i < SYSCALL_ARGS; i++)
			ret[call][i] = copy_of(row->arg[i]);
	}
}
