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
	{ "accept", { FD, ARG_SOCKADDR_OUT, ARG_INT_OUT }, FD },
	{ "accept4", { FD, ARG_SOCKADDR_OUT, ARG_INT_OUT, ARG_SOCKET }, FD },
	{ "access", { PATH, ARG_ACCESS }, 0 },
	{ "alarm", { UINT }, 0 },
	{ "arch_prctl", { ARG_ARCH_PRCTL, ADDR }, 0 },
	{ "bind", { FD, ARG_SOCKADDR, INT }, 0 },
	{ "brk", { ADDR }, ADDR },
	{ "chdir", { PATH }, 0 },
	{ "chmod", { PATH, OCTAL }, 0 },
	{ "chown", { PATH, INT, INT }, 0 },
	{ "clock_getres", { ARG_CLOCK, ARG_TIMESPEC_OUT }, 0 },
	{ "clock_gettime", { ARG_CLOCK, ARG_TIMESPEC_OUT }, 0 },
	{ "clock_nanosleep", { ARG_CLOCK, INT, TIME, ADDR }, 0 },
	{ "clone", { ARG_CLONE, ADDR, ADDR, ADDR, ADDR }, 0 },
	{ "clone3", { ARG_CLONE_ARGS, SIZE }, 0 },
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
	{ "execve", { PATH, ARG_WORDS, ADDR }, 0 },
	{ "execveat", { DIRFD, PATH, ARG_WORDS, ADDR, ARG_AT }, 0 },
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
	{ "getpeername", { FD, ARG_SOCKADDR_OUT, ARG_INT_OUT }, 0 },
	{ "getpgid", { INT }, 0 },
	{ "getrandom", { ADDR, SIZE, ARG_RANDOM }, 0 },
	{ "getrlimit", { ARG_RESOURCE, ARG_RLIMIT_OUT }, 0 },
	{ "getsockname", { FD, ARG_SOCKADDR_OUT, ARG_INT_OUT }, 0 },
	{ "getsockopt", { FD, ARG_SOCKET_LEVEL, ARG_SOCKET_OPTION, ARG_INT_OUT, ARG_INT_OUT }, 0 },
	{ "gettimeofday", { ARG_TIMEVAL_OUT, ADDR }, 0 },
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
	{ "prctl", { ARG_PRCTL, ARG_PRCTL_NAME, HEX, HEX, HEX }, 0 },
	{ "pread64", { FD, OUT, SIZE, LONG }, 0 },
	{ "prlimit64", { INT, ARG_RESOURCE, ARG_RLIMIT, ARG_RLIMIT_OUT }, 0 },
	{ "pselect6", { INT, ADDR, ADDR, ADDR, TIME, ADDR }, 0 },
	{ "pwrite64", { FD, IN, SIZE, LONG }, 0 },
	{ "read", { FD, OUT, SIZE }, 0 },
	{ "readlink", { PATH, OUT, SIZE }, 0 },
	{ "readlinkat", { DIRFD, PATH, OUT, SIZE }, 0 },
	{ "readv", { FD, ADDR, INT }, 0 },
	{ "recvfrom", { FD, OUT, SIZE, ARG_MSG, ARG_SOCKADDR_OUT, ARG_INT_OUT }, 0 },
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
	{ "setsockopt", { FD, ARG_SOCKET_LEVEL, ARG_SOCKET_OPTION, ARG_INT_IN, INT }, 0 },
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

/* Of all other calls only the number of arguments is known. Sorted by name. */
struct arity {
	const char *name;
	size_t count;
};

/* clang-format off */
static const struct arity arities[] = {
	{ "_llseek", 5 }, { "_newselect", 5 }, { "_sysctl", 1 }, { "acct", 1 }, { "add_key", 5 },
	{ "adjtimex", 1 }, { "bdflush", 2 }, { "bpf", 3 }, { "cachestat", 4 }, { "capget", 2 },
	{ "capset", 2 }, { "chown32", 3 }, { "chroot", 1 }, { "clock_adjtime", 2 },
	{ "clock_adjtime64", 2 }, { "clock_getres_time64", 2 }, { "clock_gettime64", 2 },
	{ "clock_nanosleep_time64", 4 }, { "clock_settime", 2 }, { "clock_settime64", 2 },
	{ "create_module", 2 }, { "delete_module", 2 }, { "epoll_ctl_old", 4 },
	{ "epoll_pwait2", 6 }, { "epoll_wait_old", 4 }, { "eventfd", 1 }, { "fadvise64_64", 6 },
	{ "fanotify_init", 2 }, { "fanotify_mark", 5 }, { "fchmodat2", 4 }, { "fchown32", 3 },
	{ "fcntl64", 3 }, { "fgetxattr", 4 }, { "file_getattr", 5 }, { "file_setattr", 5 },
	{ "finit_module", 3 }, { "flistxattr", 3 }, { "fork", 0 }, { "fremovexattr", 2 },
	{ "fsconfig", 5 }, { "fsetxattr", 5 }, { "fsmount", 3 }, { "fsopen", 2 }, { "fspick", 3 },
	{ "fstat64", 2 }, { "fstatat64", 4 }, { "fstatfs64", 3 }, { "ftruncate64", 3 },
	{ "futex_requeue", 4 }, { "futex_time64", 6 }, { "futex_wait", 6 }, { "futex_waitv", 5 },
	{ "futex_wake", 4 }, { "futimesat", 3 }, { "get_kernel_syms", 1 }, { "get_mempolicy", 5 },
	{ "get_robust_list", 3 }, { "get_thread_area", 1 }, { "getcpu", 3 }, { "getdents", 3 },
	{ "getegid", 0 }, { "getegid32", 0 }, { "geteuid", 0 }, { "geteuid32", 0 },
	{ "getgid", 0 }, { "getgid32", 0 }, { "getgroups", 2 }, { "getgroups32", 2 },
	{ "getitimer", 2 }, { "getpgrp", 0 }, { "getpid", 0 }, { "getppid", 0 },
	{ "getpriority", 2 }, { "getresgid", 3 }, { "getresgid32", 3 }, { "getresuid", 3 },
	{ "getresuid32", 3 }, { "getrusage", 2 }, { "getsid", 1 }, { "gettid", 0 },
	{ "getuid", 0 }, { "getuid32", 0 }, { "getxattrat", 6 }, { "init_module", 3 },
	{ "inotify_init", 0 }, { "inotify_rm_watch", 2 }, { "io_cancel", 3 }, { "io_destroy", 1 },
	{ "io_getevents", 5 }, { "io_pgetevents", 6 }, { "io_pgetevents_time64", 6 },
	{ "io_setup", 2 }, { "io_submit", 3 }, { "io_uring_register", 4 }, { "ioperm", 3 },
	{ "iopl", 1 }, { "ioprio_get", 2 }, { "ioprio_set", 3 }, { "ipc", 6 }, { "kcmp", 5 },
	{ "kexec_file_load", 5 }, { "kexec_load", 4 }, { "keyctl", 5 },
	{ "landlock_add_rule", 4 }, { "landlock_create_ruleset", 3 },
	{ "landlock_restrict_self", 2 }, { "lchown", 3 }, { "lchown32", 3 }, { "listmount", 4 },
	{ "listxattr", 3 }, { "listxattrat", 5 }, { "llistxattr", 3 }, { "lookup_dcookie", 3 },
	{ "lremovexattr", 2 }, { "lsetxattr", 5 }, { "lsm_get_self_attr", 4 },
	{ "lsm_list_modules", 3 }, { "lsm_set_self_attr", 4 }, { "lstat64", 2 },
	{ "map_shadow_stack", 3 }, { "mbind", 6 }, { "membarrier", 3 }, { "memfd_secret", 1 },
	{ "migrate_pages", 4 }, { "mincore", 3 }, { "mknod", 3 }, { "mknodat", 4 },
	{ "mlock", 2 }, { "mlock2", 3 }, { "mlockall", 1 }, { "mmap2", 6 }, { "modify_ldt", 3 },
	{ "mount_setattr", 5 }, { "move_mount", 5 }, { "move_pages", 6 }, { "mq_getsetattr", 3 },
	{ "mq_notify", 2 }, { "mq_open", 4 }, { "mq_timedreceive", 5 },
	{ "mq_timedreceive_time64", 5 }, { "mq_timedsend", 5 }, { "mq_timedsend_time64", 5 },
	{ "mq_unlink", 1 }, { "mseal", 3 }, { "msgctl", 3 }, { "msgget", 2 }, { "msgrcv", 5 },
	{ "msgsnd", 4 }, { "msync", 3 }, { "munlock", 2 }, { "munlockall", 0 },
	{ "name_to_handle_at", 5 }, { "nfsservctl", 3 }, { "nice", 1 }, { "oldfstat", 2 },
	{ "oldlstat", 2 }, { "oldolduname", 1 }, { "oldstat", 2 }, { "olduname", 1 },
	{ "open_by_handle_at", 3 }, { "open_tree", 3 }, { "open_tree_attr", 5 }, { "pause", 0 },
	{ "perf_event_open", 5 }, { "personality", 1 }, { "pidfd_getfd", 3 },
	{ "pidfd_send_signal", 4 }, { "pivot_root", 2 }, { "pkey_alloc", 2 }, { "pkey_free", 1 },
	{ "pkey_mprotect", 4 }, { "ppoll_time64", 5 }, { "preadv", 5 }, { "preadv2", 6 },
	{ "process_madvise", 5 }, { "process_mrelease", 2 }, { "process_vm_readv", 6 },
	{ "process_vm_writev", 6 }, { "pselect6_time64", 6 }, { "ptrace", 4 }, { "pwritev", 5 },
	{ "pwritev2", 6 }, { "query_module", 5 }, { "quotactl", 4 }, { "quotactl_fd", 4 },
	{ "readahead", 3 }, { "readdir", 3 }, { "reboot", 4 }, { "recvmmsg", 5 },
	{ "recvmmsg_time64", 5 }, { "remap_file_pages", 5 }, { "removexattr", 2 },
	{ "removexattrat", 4 }, { "request_key", 4 }, { "restart_syscall", 0 },
	{ "rt_sigpending", 2 }, { "rt_sigqueueinfo", 3 }, { "rt_sigreturn", 0 },
	{ "rt_sigtimedwait", 4 }, { "rt_sigtimedwait_time64", 4 }, { "rt_tgsigqueueinfo", 4 },
	{ "sched_get_priority_max", 1 }, { "sched_get_priority_min", 1 },
	{ "sched_getaffinity", 3 }, { "sched_getattr", 4 }, { "sched_getparam", 2 },
	{ "sched_getscheduler", 1 }, { "sched_rr_get_interval", 2 },
	{ "sched_rr_get_interval_time64", 2 }, { "sched_setaffinity", 3 }, { "sched_setattr", 3 },
	{ "sched_setparam", 2 }, { "sched_setscheduler", 3 }, { "sched_yield", 0 },
	{ "seccomp", 3 }, { "semctl", 4 }, { "semget", 3 }, { "semop", 3 }, { "semtimedop", 4 },
	{ "semtimedop_time64", 4 }, { "sendfile64", 4 }, { "sendmmsg", 4 },
	{ "set_mempolicy", 3 }, { "set_mempolicy_home_node", 4 }, { "set_thread_area", 1 },
	{ "setdomainname", 2 }, { "setfsgid", 1 }, { "setfsgid32", 1 }, { "setfsuid", 1 },
	{ "setfsuid32", 1 }, { "setgid", 1 }, { "setgid32", 1 }, { "setgroups", 2 },
	{ "setgroups32", 2 }, { "sethostname", 2 }, { "setitimer", 3 }, { "setns", 2 },
	{ "setpriority", 3 }, { "setregid", 2 }, { "setregid32", 2 }, { "setresgid", 3 },
	{ "setresgid32", 3 }, { "setresuid", 3 }, { "setresuid32", 3 }, { "setreuid", 2 },
	{ "setreuid32", 2 }, { "setsid", 0 }, { "settimeofday", 2 }, { "setuid", 1 },
	{ "setuid32", 1 }, { "setxattr", 5 }, { "setxattrat", 6 }, { "sgetmask", 0 },
	{ "shmat", 3 }, { "shmctl", 3 }, { "shmdt", 1 }, { "shmget", 3 }, { "sigaction", 3 },
	{ "signal", 2 }, { "signalfd", 3 }, { "signalfd4", 4 }, { "sigpending", 1 },
	{ "sigprocmask", 3 }, { "sigreturn", 0 }, { "sigsuspend", 3 }, { "socketcall", 2 },
	{ "ssetmask", 1 }, { "stat64", 2 }, { "statfs64", 3 }, { "statmount", 4 }, { "stime", 1 },
	{ "swapoff", 1 }, { "swapon", 2 }, { "sync", 0 }, { "sync_file_range", 4 },
	{ "sync_file_range2", 4 }, { "syncfs", 1 }, { "sysfs", 3 }, { "sysinfo", 1 },
	{ "syslog", 3 }, { "tee", 4 }, { "time", 1 }, { "timer_create", 3 },
	{ "timer_delete", 1 }, { "timer_getoverrun", 1 }, { "timer_gettime", 2 },
	{ "timer_gettime64", 2 }, { "timer_settime", 4 }, { "timer_settime64", 4 },
	{ "timerfd_gettime", 2 }, { "timerfd_gettime64", 2 }, { "timerfd_settime", 4 },
	{ "timerfd_settime64", 4 }, { "times", 1 }, { "truncate64", 3 }, { "ugetrlimit", 2 },
	{ "umount", 1 }, { "unshare", 1 }, { "uselib", 1 }, { "userfaultfd", 1 }, { "ustat", 2 },
	{ "utime", 2 }, { "utimensat_time64", 4 }, { "utimes", 2 }, { "vfork", 0 },
	{ "vhangup", 0 }, { "vm86", 2 }, { "vm86old", 1 }, { "vmsplice", 4 }, { "waitpid", 3 },
};
/* 32-bit calls that have more or fewer: a number of 64 bits takes two. Of x86. */
static const struct arity compat_arities[] = {
	{ "fadvise64", 5 }, { "fallocate", 6 }, { "fanotify_mark", 6 }, { "mmap", 1 },
	{ "pread64", 5 }, { "pwrite64", 5 }, { "readahead", 4 }, { "select", 1 },
	{ "sync_file_range", 6 },
};
/* clang-format on */

static int compare(const void *name, const void *row)
{
	return strcmp(name, ((const struct syscall_signature *)row)->name);
}

static int compare_arity(const void *name, const void *row)
{
	return strcmp(name, ((const struct arity *)row)->name);
}

#define FIND(name, rows, compare) \
	bsearch(name, rows, sizeof(rows) / sizeof(*(rows)), sizeof(*(rows)), compare)

const struct syscall_signature *syscall_signature(const char *name)
{
	static const struct syscall_signature none;
	const struct syscall_signature *row = FIND(name, signatures, compare);
	const struct arity *arity = row ? NULL : FIND(name, arities, compare_arity);

	return arity && !arity->count ? &none : row;
}

size_t syscall_arg_count(uint32_t call)
{
	uint32_t bits = call & (SYSCALL_COMPAT_BIT | SYSCALL_X32_BIT);
	const char *name = syscall_name(bits == SYSCALL_X32_BIT ? call & ~bits : call);
	const struct syscall_signature *row;
	const struct arity *arity = NULL;
	size_t count = 0;

	if (!name)
		return SYSCALL_ARGS;
	if (call & SYSCALL_COMPAT_BIT)
		arity = FIND(name, compat_arities, compare_arity);
	if (!arity)
		arity = FIND(name, arities, compare_arity);
	if (arity)
		return arity->count;
	row = FIND(name, signatures, compare);
	while (row && count < SYSCALL_ARGS && row->arg[count] != ARG_END)
		count++;
	return count;
}

static uint16_t copy_of(uint8_t arg)
{
	static const uint16_t copies[ARG_COUNT] = {
		[ARG_PATH] = SYSCALL_COPY_INPUT | SYSCALL_COPY_STRING,
		[ARG_STRING] = SYSCALL_COPY_INPUT | SYSCALL_COPY_STRING,
		[ARG_STRING_OUT] = SYSCALL_COPY_STRING,
		[ARG_DATA_IN] = SYSCALL_COPY_INPUT | SYSCALL_COPY_BY_NEXT | 1,
		[ARG_DATA_OUT] = SYSCALL_COPY_BY_RESULT | 1,
		[ARG_TIMESPEC_OUT] = SYSCALL_COPY_FIXED | 16,
		[ARG_TIMEVAL_OUT] = SYSCALL_COPY_FIXED | 16,
		[ARG_TIMESPEC] = SYSCALL_COPY_INPUT | SYSCALL_COPY_FIXED | 16,
		[ARG_TIMEVAL] = SYSCALL_COPY_INPUT | SYSCALL_COPY_FIXED | 16,
		[ARG_SOCKADDR] = SYSCALL_COPY_INPUT | SYSCALL_COPY_BY_NEXT | 1,
		[ARG_FD_PAIR] = SYSCALL_COPY_FIXED | 8,
		[ARG_STAT] = SYSCALL_COPY_FIXED | 144,
		[ARG_RLIMIT_OUT] = SYSCALL_COPY_FIXED | 16,
		[ARG_RLIMIT] = SYSCALL_COPY_INPUT | SYSCALL_COPY_FIXED | 16,
		[ARG_POLLFDS] = SYSCALL_COPY_BY_NEXT | 8,
		[ARG_EPOLL_EVENT] = SYSCALL_COPY_INPUT | SYSCALL_COPY_FIXED | 12,
		[ARG_EPOLL_EVENTS] = SYSCALL_COPY_BY_RESULT | 12,
		[ARG_WAIT_STATUS] = SYSCALL_COPY_FIXED | 4,
		[ARG_WORDS] = SYSCALL_COPY_WORDS,
		[ARG_SOCKADDR_OUT] = SYSCALL_COPY_FIXED | 112,
		[ARG_INT_IN] = SYSCALL_COPY_INPUT | SYSCALL_COPY_FIXED | 4,
		[ARG_INT_OUT] = SYSCALL_COPY_FIXED | 4,
		[ARG_CLONE_ARGS] = SYSCALL_COPY_INPUT | SYSCALL_COPY_BY_NEXT | 1,
		[ARG_PRCTL_NAME] = SYSCALL_COPY_STRING,
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
