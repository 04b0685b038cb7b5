/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signatures of system calls (see syscall_args.h), sorted by name. */
#include "source/syscall/syscall_args.h"

#include <stdlib.h>
#include <string.h>

#include "source/syscall/syscall_structs.h"
#include "source/syscall/syscall_table.h"

#define INT	ARG_INT
#define UINT	ARG_UINT
#define LONG	ARG_LONG
#define SIZE	ARG_SIZE
#define HEX	ARG_HEX
#define OCTAL	ARG_OCTAL
#define ADDR	ARG_ADDRESS
#define FD	ARG_FD
#define DIRFD	ARG_DIRFD
#define PATH	ARG_PATH
#define STR	ARG_STRING
#define IN	ARG_DATA_IN
#define OUT	ARG_DATA_OUT
#define SIGNAL	ARG_SIGNAL
#define TIME	ARG_TIMESPEC
#define W(kind) (ARG_##kind | ARG_WRITTEN)
#define R(kind) ARG_##kind

/* clang-format off */
static const struct syscall_signature signatures[] = {
	{ "accept", { FD, ARG_SOCKADDR_OUT, ARG_INT_OUT }, FD },
	{ "accept4", { FD, ARG_SOCKADDR_OUT, ARG_INT_OUT, ARG_SOCKET }, FD },
	{ "access", { PATH, ARG_ACCESS }, 0 },
	{ "acct", { PATH }, 0 },
	{ "add_key", { STR, STR, ADDR, SIZE, INT }, 0 },
	{ "adjtimex", { ADDR }, 0 },
	{ "alarm", { UINT }, 0 },
	{ "arch_prctl", { ARG_ARCH_PRCTL, ADDR }, 0 },
	{ "bind", { FD, ARG_SOCKADDR, INT }, 0 },
	{ "bpf", { ARG_BPF, ADDR, UINT }, 0 },
	{ "brk", { ADDR }, ADDR },
	{ "cachestat", { FD, ADDR, ADDR, HEX }, 0 },
	{ "capget", { ADDR, ADDR }, 0 },
	{ "capset", { ADDR, ADDR }, 0 },
	{ "chdir", { PATH }, 0 },
	{ "chmod", { PATH, OCTAL }, 0 },
	{ "chown", { PATH, INT, INT }, 0 },
	{ "chroot", { PATH }, 0 },
	{ "clock_adjtime", { ARG_CLOCK, ADDR }, 0 },
	{ "clock_getres", { ARG_CLOCK, ARG_TIMESPEC_OUT }, 0 },
	{ "clock_gettime", { ARG_CLOCK, ARG_TIMESPEC_OUT }, 0 },
	{ "clock_nanosleep", { ARG_CLOCK, ARG_TIMER_FLAGS, TIME, ARG_TIMESPEC_OUT }, 0 },
	{ "clock_settime", { ARG_CLOCK, TIME }, 0 },
	{ "clone", { ARG_CLONE, ADDR, ADDR, ADDR, ADDR }, 0 },
	{ "clone3", { ARG_CLONE_ARGS, SIZE }, 0 },
	{ "close", { FD }, 0 },
	{ "close_range", { UINT, UINT, ARG_CLOSE_RANGE }, 0 },
	{ "connect", { FD, ARG_SOCKADDR, INT }, 0 },
	{ "copy_file_range", { FD, ADDR, FD, ADDR, SIZE, HEX }, 0 },
	{ "creat", { PATH, OCTAL }, FD },
	{ "delete_module", { STR, HEX }, 0 },
	{ "dup", { FD }, FD },
	{ "dup2", { FD, INT }, FD },
	{ "dup3", { FD, INT, ARG_FD_FLAGS }, FD },
	{ "epoll_create", { INT }, FD },
	{ "epoll_create1", { ARG_EPOLL_CREATE }, FD },
	{ "epoll_ctl", { FD, ARG_EPOLL_OP, FD, ARG_EPOLL_EVENT }, 0 },
	{ "epoll_pwait", { FD, ARG_EPOLL_EVENTS, INT, INT, R(SIGSET), SIZE }, 0 },
	{ "epoll_pwait2", { FD, ARG_EPOLL_EVENTS, INT, TIME, R(SIGSET), SIZE }, 0 },
	{ "epoll_wait", { FD, ARG_EPOLL_EVENTS, INT, INT }, 0 },
	{ "eventfd", { UINT }, FD },
	{ "eventfd2", { UINT, ARG_EVENTFD }, FD },
	{ "execve", { PATH, ARG_WORDS, ADDR }, 0 },
	{ "execveat", { DIRFD, PATH, ARG_WORDS, ADDR, ARG_AT }, 0 },
	{ "exit", { INT }, 0 },
	{ "exit_group", { INT }, 0 },
	{ "faccessat", { DIRFD, PATH, ARG_ACCESS }, 0 },
	{ "faccessat2", { DIRFD, PATH, ARG_ACCESS, ARG_AT_ACCESS }, 0 },
	{ "fadvise64", { FD, LONG, SIZE, ARG_FADVISE }, 0 },
	{ "fallocate", { FD, ARG_FALLOCATE, LONG, LONG }, 0 },
	{ "fanotify_init", { HEX, HEX }, FD },
	{ "fanotify_mark", { FD, HEX, HEX, DIRFD, PATH }, 0 },
	{ "fchdir", { FD }, 0 },
	{ "fchmod", { FD, OCTAL }, 0 },
	{ "fchmodat", { DIRFD, PATH, OCTAL }, 0 },
	{ "fchmodat2", { DIRFD, PATH, OCTAL, ARG_AT }, 0 },
	{ "fchown", { FD, INT, INT }, 0 },
	{ "fchownat", { DIRFD, PATH, INT, INT, ARG_AT }, 0 },
	{ "fcntl", { FD, ARG_FCNTL, ARG_FCNTL_VALUE }, 0 },
	{ "fdatasync", { FD }, 0 },
	{ "fgetxattr", { FD, STR, OUT, SIZE }, 0 },
	{ "file_getattr", { DIRFD, PATH, ADDR, SIZE, HEX }, 0 },
	{ "file_setattr", { DIRFD, PATH, ADDR, SIZE, HEX }, 0 },
	{ "finit_module", { FD, STR, HEX }, 0 },
	{ "flistxattr", { FD, ADDR, SIZE }, 0 },
	{ "flock", { FD, ARG_LOCK }, 0 },
	{ "fremovexattr", { FD, STR }, 0 },
	{ "fsconfig", { FD, UINT, STR, ADDR, INT }, 0 },
	{ "fsetxattr", { FD, STR, IN, SIZE, ARG_XATTR }, 0 },
	{ "fsmount", { FD, HEX, HEX }, FD },
	{ "fsopen", { STR, HEX }, FD },
	{ "fspick", { DIRFD, PATH, HEX }, FD },
	{ "fstat", { FD, ARG_STAT }, 0 },
	{ "fstatfs", { FD, W(STATFS) }, 0 },
	{ "fstatfs64", { FD, SIZE, ADDR }, 0 },
	{ "fsync", { FD }, 0 },
	{ "ftruncate", { FD, LONG }, 0 },
	{ "futex", { ADDR, ARG_FUTEX, UINT, TIME, ADDR, HEX }, 0 },
	{ "futex_requeue", { ADDR, HEX, INT, INT }, 0 },
	{ "futex_wait", { ADDR, HEX, HEX, HEX, ADDR, INT }, 0 },
	{ "futex_waitv", { ADDR, UINT, HEX, ADDR, INT }, 0 },
	{ "futex_wake", { ADDR, HEX, INT, HEX }, 0 },
	{ "futimesat", { DIRFD, PATH, R(TIMEVAL_PAIR) }, 0 },
	{ "get_mempolicy", { ADDR, ADDR, SIZE, ADDR, HEX }, 0 },
	{ "get_robust_list", { INT, ADDR, ADDR }, 0 },
	{ "getcpu", { ADDR, ADDR, ADDR }, 0 },
	{ "getcwd", { ARG_STRING_OUT, SIZE }, 0 },
	{ "getdents", { FD, ADDR, UINT }, 0 },
	{ "getdents64", { FD, ADDR, SIZE }, 0 },
	{ "getgroups", { INT, ADDR }, 0 },
	{ "getitimer", { ARG_ITIMER, W(ITIMERVAL) }, 0 },
	{ "getpeername", { FD, ARG_SOCKADDR_OUT, ARG_INT_OUT }, 0 },
	{ "getpgid", { INT }, 0 },
	{ "getpriority", { ARG_PRIORITY_WHICH, INT }, 0 },
	{ "getrandom", { OUT, SIZE, ARG_RANDOM }, 0 },
	{ "getresgid", { ADDR, ADDR, ADDR }, 0 },
	{ "getresuid", { ADDR, ADDR, ADDR }, 0 },
	{ "getrlimit", { ARG_RESOURCE, ARG_RLIMIT_OUT }, 0 },
	{ "getrusage", { ARG_RUSAGE_WHO, W(RUSAGE) }, 0 },
	{ "getsid", { INT }, 0 },
	{ "getsockname", { FD, ARG_SOCKADDR_OUT, ARG_INT_OUT }, 0 },
	{ "getsockopt", { FD, ARG_SOCKET_LEVEL, ARG_SOCKET_OPTION, ARG_INT_OUT, ARG_INT_OUT }, 0 },
	{ "gettimeofday", { ARG_TIMEVAL_OUT, ADDR }, 0 },
	{ "getxattr", { PATH, STR, OUT, SIZE }, 0 },
	{ "getxattrat", { DIRFD, PATH, HEX, STR, ADDR, SIZE }, 0 },
	{ "init_module", { ADDR, SIZE, STR }, 0 },
	{ "inotify_add_watch", { FD, PATH, ARG_INOTIFY_MASK }, 0 },
	{ "inotify_init1", { ARG_INOTIFY }, FD },
	{ "inotify_rm_watch", { FD, INT }, 0 },
	{ "io_cancel", { HEX, ADDR, ADDR }, 0 },
	{ "io_destroy", { HEX }, 0 },
	{ "io_getevents", { HEX, LONG, LONG, ADDR, ADDR }, 0 },
	{ "io_pgetevents", { HEX, LONG, LONG, ADDR, TIME, ADDR }, 0 },
	{ "io_setup", { UINT, ADDR }, 0 },
	{ "io_submit", { HEX, LONG, ADDR }, 0 },
	{ "io_uring_enter", { FD, UINT, UINT, ARG_URING_ENTER, ADDR, SIZE }, 0 },
	{ "io_uring_register", { FD, ARG_URING_REGISTER, ADDR, UINT }, 0 },
	{ "io_uring_setup", { UINT, W(URING_PARAMS) }, FD },
	{ "ioctl", { FD, ARG_IOCTL, ARG_IOCTL_VALUE }, 0 },
	{ "ioperm", { HEX, HEX, INT }, 0 },
	{ "iopl", { UINT }, 0 },
	{ "ioprio_get", { INT, INT }, 0 },
	{ "ioprio_set", { INT, INT, INT }, 0 },
	{ "kcmp", { INT, INT, INT, HEX, HEX }, 0 },
	{ "kexec_file_load", { FD, FD, SIZE, STR, HEX }, 0 },
	{ "kexec_load", { ADDR, SIZE, ADDR, HEX }, 0 },
	{ "keyctl", { INT, HEX, HEX, HEX, HEX }, 0 },
	{ "kill", { INT, SIGNAL }, 0 },
	{ "landlock_add_rule", { FD, INT, ADDR, HEX }, 0 },
	{ "landlock_create_ruleset", { ADDR, SIZE, HEX }, FD },
	{ "landlock_restrict_self", { FD, HEX }, 0 },
	{ "lchown", { PATH, INT, INT }, 0 },
	{ "lgetxattr", { PATH, STR, OUT, SIZE }, 0 },
	{ "link", { PATH, PATH }, 0 },
	{ "linkat", { DIRFD, PATH, DIRFD, PATH, ARG_AT }, 0 },
	{ "listen", { FD, INT }, 0 },
	{ "listmount", { ADDR, ADDR, SIZE, HEX }, 0 },
	{ "listxattr", { PATH, ADDR, SIZE }, 0 },
	{ "listxattrat", { DIRFD, PATH, HEX, ADDR, SIZE }, 0 },
	{ "llistxattr", { PATH, ADDR, SIZE }, 0 },
	{ "lookup_dcookie", { HEX, ADDR, SIZE }, 0 },
	{ "lremovexattr", { PATH, STR }, 0 },
	{ "lseek", { FD, LONG, ARG_SEEK }, 0 },
	{ "lsetxattr", { PATH, STR, IN, SIZE, ARG_XATTR }, 0 },
	{ "lsm_get_self_attr", { UINT, ADDR, ADDR, HEX }, 0 },
	{ "lsm_list_modules", { ADDR, ADDR, HEX }, 0 },
	{ "lsm_set_self_attr", { UINT, ADDR, UINT, HEX }, 0 },
	{ "lstat", { PATH, ARG_STAT }, 0 },
	{ "madvise", { ADDR, SIZE, ARG_MADVISE }, 0 },
	{ "map_shadow_stack", { ADDR, SIZE, HEX }, 0 },
	{ "mbind", { ADDR, SIZE, HEX, ADDR, SIZE, HEX }, 0 },
	{ "membarrier", { INT, HEX, INT }, 0 },
	{ "memfd_create", { STR, ARG_MEMFD }, FD },
	{ "memfd_secret", { HEX }, FD },
	{ "migrate_pages", { INT, SIZE, ADDR, ADDR }, 0 },
	{ "mincore", { ADDR, SIZE, ADDR }, 0 },
	{ "mkdir", { PATH, OCTAL }, 0 },
	{ "mkdirat", { DIRFD, PATH, OCTAL }, 0 },
	{ "mknod", { PATH, OCTAL, UINT }, 0 },
	{ "mknodat", { DIRFD, PATH, OCTAL, UINT }, 0 },
	{ "mlock", { ADDR, SIZE }, 0 },
	{ "mlock2", { ADDR, SIZE, HEX }, 0 },
	{ "mlockall", { ARG_MLOCKALL }, 0 },
	{ "mmap", { ADDR, SIZE, ARG_PROT, ARG_MAP, FD, HEX }, ADDR },
	{ "modify_ldt", { INT, ADDR, HEX }, 0 },
	{ "mount", { PATH, PATH, STR, ARG_MOUNT, ADDR }, 0 },
	{ "mount_setattr", { DIRFD, PATH, HEX, ADDR, SIZE }, 0 },
	{ "move_mount", { DIRFD, PATH, DIRFD, PATH, HEX }, 0 },
	{ "move_pages", { INT, SIZE, ADDR, ADDR, ADDR, HEX }, 0 },
	{ "mprotect", { ADDR, SIZE, ARG_PROT }, 0 },
	{ "mq_getsetattr", { INT, ADDR, ADDR }, 0 },
	{ "mq_notify", { INT, ADDR }, 0 },
	{ "mq_open", { STR, ARG_OPEN, OCTAL, ADDR }, FD },
	{ "mq_timedreceive", { INT, ADDR, SIZE, ADDR, ADDR }, 0 },
	{ "mq_timedsend", { INT, IN, SIZE, UINT, ADDR }, 0 },
	{ "mq_unlink", { STR }, 0 },
	{ "mremap", { ADDR, SIZE, SIZE, ARG_MREMAP, ADDR }, ADDR },
	{ "mseal", { ADDR, SIZE, HEX }, 0 },
	{ "msgctl", { INT, INT, ADDR }, 0 },
	{ "msgget", { INT, INT }, 0 },
	{ "msgrcv", { INT, ADDR, SIZE, LONG, INT }, 0 },
	{ "msgsnd", { INT, ADDR, SIZE, INT }, 0 },
	{ "msync", { ADDR, SIZE, ARG_MSYNC }, 0 },
	{ "munlock", { ADDR, SIZE }, 0 },
	{ "munmap", { ADDR, SIZE }, 0 },
	{ "name_to_handle_at", { DIRFD, PATH, ADDR, ADDR, INT }, 0 },
	{ "nanosleep", { TIME, ARG_TIMESPEC_OUT }, 0 },
	{ "newfstatat", { DIRFD, PATH, ARG_STAT, ARG_AT }, 0 },
	{ "nice", { INT }, 0 },
	{ "open", { PATH, ARG_OPEN, OCTAL }, FD },
	{ "open_by_handle_at", { FD, ADDR, ARG_OPEN }, FD },
	{ "open_tree", { DIRFD, PATH, HEX }, FD },
	{ "open_tree_attr", { DIRFD, PATH, HEX, ADDR, SIZE }, FD },
	{ "openat", { DIRFD, PATH, ARG_OPEN, OCTAL }, FD },
	{ "openat2", { DIRFD, PATH, R(OPEN_HOW), SIZE }, FD },
	{ "perf_event_open", { R(PERF_ATTR), INT, INT, FD, ARG_PERF_FLAGS }, FD },
	{ "personality", { HEX }, 0 },
	{ "pidfd_getfd", { FD, FD, HEX }, FD },
	{ "pidfd_open", { INT, ARG_FD_FLAGS }, FD },
	{ "pidfd_send_signal", { FD, SIGNAL, ADDR, HEX }, 0 },
	{ "pipe", { ARG_FD_PAIR }, 0 },
	{ "pipe2", { ARG_FD_PAIR, ARG_FD_FLAGS }, 0 },
	{ "pivot_root", { PATH, PATH }, 0 },
	{ "pkey_alloc", { HEX, HEX }, 0 },
	{ "pkey_free", { INT }, 0 },
	{ "pkey_mprotect", { ADDR, SIZE, ARG_PROT, INT }, 0 },
	{ "poll", { ARG_POLLFDS, UINT, INT }, 0 },
	{ "ppoll", { ARG_POLLFDS, UINT, TIME, R(SIGSET), SIZE }, 0 },
	{ "prctl", { ARG_PRCTL, ARG_PRCTL_NAME, HEX, HEX, HEX }, 0 },
	{ "pread64", { FD, OUT, SIZE, LONG }, 0 },
	{ "preadv", { FD, W(VECTOR), INT, LONG, HEX }, 0 },
	{ "preadv2", { FD, W(VECTOR), INT, LONG, HEX, ARG_READ_WRITE }, 0 },
	{ "prlimit64", { INT, ARG_RESOURCE, ARG_RLIMIT, ARG_RLIMIT_OUT }, 0 },
	{ "process_madvise", { FD, ADDR, SIZE, ARG_MADVISE, HEX }, 0 },
	{ "process_mrelease", { FD, HEX }, 0 },
	{ "process_vm_readv", { INT, ADDR, SIZE, ADDR, SIZE, HEX }, 0 },
	{ "process_vm_writev", { INT, ADDR, SIZE, ADDR, SIZE, HEX }, 0 },
	{ "pselect6", { INT, R(FD_SET), R(FD_SET), R(FD_SET), TIME, ADDR }, 0 },
	{ "ptrace", { ARG_PTRACE, INT, ADDR, ADDR }, 0 },
	{ "pwrite64", { FD, IN, SIZE, LONG }, 0 },
	{ "pwritev", { FD, R(VECTOR), INT, LONG, HEX }, 0 },
	{ "pwritev2", { FD, R(VECTOR), INT, LONG, HEX, ARG_READ_WRITE }, 0 },
	{ "quotactl", { UINT, PATH, INT, ADDR }, 0 },
	{ "quotactl_fd", { FD, UINT, INT, ADDR }, 0 },
	{ "read", { FD, OUT, SIZE }, 0 },
	{ "readahead", { FD, LONG, SIZE }, 0 },
	{ "readlink", { PATH, OUT, SIZE }, 0 },
	{ "readlinkat", { DIRFD, PATH, OUT, SIZE }, 0 },
	{ "readv", { FD, W(VECTOR), INT }, 0 },
	{ "reboot", { INT, INT, UINT, ADDR }, 0 },
	{ "recvfrom", { FD, OUT, SIZE, ARG_MSG, ARG_SOCKADDR_OUT, ARG_INT_OUT }, 0 },
	{ "recvmmsg", { FD, ADDR, UINT, ARG_MSG, TIME }, 0 },
	{ "recvmsg", { FD, W(MESSAGE), ARG_MSG }, 0 },
	{ "remap_file_pages", { ADDR, SIZE, HEX, HEX, HEX }, 0 },
	{ "removexattr", { PATH, STR }, 0 },
	{ "removexattrat", { DIRFD, PATH, HEX, STR }, 0 },
	{ "rename", { PATH, PATH }, 0 },
	{ "renameat", { DIRFD, PATH, DIRFD, PATH }, 0 },
	{ "renameat2", { DIRFD, PATH, DIRFD, PATH, ARG_RENAME }, 0 },
	{ "request_key", { STR, STR, STR, INT }, 0 },
	{ "rmdir", { PATH }, 0 },
	{ "rseq", { ADDR, HEX, HEX, HEX }, 0 },
	{ "rt_sigaction", { SIGNAL, R(SIGACTION), W(SIGACTION), SIZE }, 0 },
	{ "rt_sigpending", { W(SIGSET), SIZE }, 0 },
	{ "rt_sigprocmask", { ARG_SIGMASK_HOW, R(SIGSET), W(SIGSET), SIZE }, 0 },
	{ "rt_sigqueueinfo", { INT, SIGNAL, ADDR }, 0 },
	{ "rt_sigsuspend", { R(SIGSET), SIZE }, 0 },
	{ "rt_sigtimedwait", { R(SIGSET), ADDR, TIME, SIZE }, 0 },
	{ "rt_tgsigqueueinfo", { INT, INT, SIGNAL, ADDR }, 0 },
	{ "sched_get_priority_max", { ARG_SCHED_POLICY }, 0 },
	{ "sched_get_priority_min", { ARG_SCHED_POLICY }, 0 },
	{ "sched_getaffinity", { INT, UINT, W(CPU_SET) }, 0 },
	{ "sched_getattr", { INT, W(SCHED_ATTR), UINT, HEX }, 0 },
	{ "sched_getparam", { INT, ARG_INT_OUT }, 0 },
	{ "sched_getscheduler", { INT }, 0 },
	{ "sched_rr_get_interval", { INT, ARG_TIMESPEC_OUT }, 0 },
	{ "sched_setaffinity", { INT, UINT, R(CPU_SET) }, 0 },
	{ "sched_setattr", { INT, R(SCHED_ATTR), HEX }, 0 },
	{ "sched_setparam", { INT, ARG_INT_IN }, 0 },
	{ "sched_setscheduler", { INT, ARG_SCHED_POLICY, ARG_INT_IN }, 0 },
	{ "seccomp", { ARG_SECCOMP, HEX, R(FILTER) }, 0 },
	{ "select", { INT, R(FD_SET), R(FD_SET), R(FD_SET), ARG_TIMEVAL }, 0 },
	{ "semctl", { INT, INT, INT, HEX }, 0 },
	{ "semget", { INT, INT, INT }, 0 },
	{ "semop", { INT, ADDR, UINT }, 0 },
	{ "semtimedop", { INT, ADDR, UINT, TIME }, 0 },
	{ "sendfile", { FD, FD, ADDR, SIZE }, 0 },
	{ "sendfile64", { FD, FD, ADDR, SIZE }, 0 },
	{ "sendmmsg", { FD, ADDR, UINT, ARG_MSG }, 0 },
	{ "sendmsg", { FD, R(MESSAGE), ARG_MSG }, 0 },
	{ "sendto", { FD, IN, SIZE, ARG_MSG, ARG_SOCKADDR, INT }, 0 },
	{ "set_mempolicy", { INT, ADDR, SIZE }, 0 },
	{ "set_mempolicy_home_node", { ADDR, SIZE, HEX, HEX }, 0 },
	{ "set_robust_list", { ADDR, SIZE }, 0 },
	{ "set_tid_address", { ADDR }, 0 },
	{ "setdomainname", { IN, INT }, 0 },
	{ "setfsgid", { INT }, 0 },
	{ "setfsuid", { INT }, 0 },
	{ "setgid", { INT }, 0 },
	{ "setgroups", { INT, ADDR }, 0 },
	{ "sethostname", { IN, INT }, 0 },
	{ "setitimer", { ARG_ITIMER, R(ITIMERVAL), W(ITIMERVAL) }, 0 },
	{ "setns", { FD, ARG_CLONE }, 0 },
	{ "setpgid", { INT, INT }, 0 },
	{ "setpriority", { ARG_PRIORITY_WHICH, INT, INT }, 0 },
	{ "setregid", { INT, INT }, 0 },
	{ "setresgid", { INT, INT, INT }, 0 },
	{ "setresuid", { INT, INT, INT }, 0 },
	{ "setreuid", { INT, INT }, 0 },
	{ "setrlimit", { ARG_RESOURCE, ARG_RLIMIT }, 0 },
	{ "setsockopt", { FD, ARG_SOCKET_LEVEL, ARG_SOCKET_OPTION, ARG_INT_IN, INT }, 0 },
	{ "settimeofday", { ARG_TIMEVAL, ADDR }, 0 },
	{ "setuid", { INT }, 0 },
	{ "setxattr", { PATH, STR, IN, SIZE, ARG_XATTR }, 0 },
	{ "setxattrat", { DIRFD, PATH, HEX, STR, ADDR, SIZE }, 0 },
	{ "shmat", { INT, ADDR, INT }, 0 },
	{ "shmctl", { INT, INT, ADDR }, 0 },
	{ "shmdt", { ADDR }, 0 },
	{ "shmget", { INT, SIZE, INT }, 0 },
	{ "shutdown", { FD, ARG_SHUTDOWN }, 0 },
	{ "sigaltstack", { R(SIGNAL_STACK), W(SIGNAL_STACK) }, 0 },
	{ "signalfd", { FD, ADDR, SIZE }, FD },
	{ "signalfd4", { FD, R(SIGSET), SIZE, ARG_SIGNALFD }, FD },
	{ "socket", { ARG_FAMILY, ARG_SOCKET, ARG_PROTOCOL }, FD },
	{ "socketpair", { ARG_FAMILY, ARG_SOCKET, ARG_PROTOCOL, ARG_FD_PAIR }, 0 },
	{ "splice", { FD, ADDR, FD, ADDR, SIZE, ARG_SPLICE }, 0 },
	{ "stat", { PATH, ARG_STAT }, 0 },
	{ "statfs", { PATH, W(STATFS) }, 0 },
	{ "statfs64", { PATH, SIZE, ADDR }, 0 },
	{ "statmount", { ADDR, ADDR, SIZE, HEX }, 0 },
	{ "statx", { DIRFD, PATH, ARG_STATX_FLAGS, ARG_STATX_MASK, W(STATX) }, 0 },
	{ "swapoff", { PATH }, 0 },
	{ "swapon", { PATH, HEX }, 0 },
	{ "symlink", { PATH, PATH }, 0 },
	{ "symlinkat", { PATH, DIRFD, PATH }, 0 },
	{ "sync_file_range", { FD, LONG, LONG, ARG_FILE_RANGE }, 0 },
	{ "sync_file_range2", { FD, HEX, LONG, LONG }, 0 },
	{ "syncfs", { FD }, 0 },
	{ "sysfs", { INT, HEX, HEX }, 0 },
	{ "sysinfo", { W(SYSINFO) }, 0 },
	{ "syslog", { INT, ADDR, INT }, 0 },
	{ "tee", { FD, FD, SIZE, ARG_SPLICE }, 0 },
	{ "tgkill", { INT, INT, SIGNAL }, 0 },
	{ "time", { ADDR }, 0 },
	{ "timer_create", { ARG_CLOCK, ADDR, ADDR }, 0 },
	{ "timer_delete", { INT }, 0 },
	{ "timer_getoverrun", { INT }, 0 },
	{ "timer_gettime", { INT, W(ITIMERSPEC) }, 0 },
	{ "timer_settime", { INT, ARG_TIMER_FLAGS, R(ITIMERSPEC), W(ITIMERSPEC) }, 0 },
	{ "timerfd_create", { ARG_CLOCK, ARG_TIMERFD }, FD },
	{ "timerfd_gettime", { FD, W(ITIMERSPEC) }, 0 },
	{ "timerfd_settime", { FD, ARG_TIMERFD_SET, R(ITIMERSPEC), W(ITIMERSPEC) }, 0 },
	{ "times", { W(TMS) }, 0 },
	{ "tkill", { INT, SIGNAL }, 0 },
	{ "truncate", { PATH, LONG }, 0 },
	{ "umask", { OCTAL }, OCTAL },
	{ "umount2", { PATH, ARG_UMOUNT }, 0 },
	{ "uname", { W(UTSNAME) }, 0 },
	{ "unlink", { PATH }, 0 },
	{ "unlinkat", { DIRFD, PATH, ARG_AT_UNLINK }, 0 },
	{ "unshare", { ARG_CLONE }, 0 },
	{ "uselib", { PATH }, 0 },
	{ "userfaultfd", { ARG_FD_FLAGS }, FD },
	{ "ustat", { UINT, ADDR }, 0 },
	{ "utime", { ADDR, ADDR }, 0 },
	{ "utimensat", { DIRFD, PATH, R(TIMESPEC_PAIR), ARG_AT }, 0 },
	{ "utimes", { PATH, R(TIMEVAL_PAIR) }, 0 },
	{ "vmsplice", { FD, ADDR, SIZE, ARG_SPLICE }, 0 },
	{ "wait4", { INT, ARG_WAIT_STATUS, ARG_WAIT, W(RUSAGE) }, 0 },
	{ "waitid", { ARG_ID_TYPE, INT, W(SIGINFO), ARG_WAIT, W(RUSAGE) }, 0 },
	{ "write", { FD, IN, SIZE }, 0 },
	{ "writev", { FD, R(VECTOR), INT }, 0 },
};
/* clang-format on */

/* Of these only the number of arguments is known: most are of 32-bit programs. Sorted by name. */
struct arity {
	const char *name;
	size_t count;
};

/* clang-format off */
static const struct arity arities[] = {
	{ "_llseek", 5 }, { "_newselect", 5 }, { "_sysctl", 1 }, { "bdflush", 2 },
	{ "chown32", 3 }, { "clock_adjtime64", 2 }, { "clock_getres_time64", 2 },
	{ "clock_gettime64", 2 }, { "clock_nanosleep_time64", 4 }, { "clock_settime64", 2 },
	{ "create_module", 2 }, { "epoll_ctl_old", 4 }, { "epoll_wait_old", 4 },
	{ "fadvise64_64", 6 }, { "fchown32", 3 }, { "fcntl64", 3 }, { "fork", 0 },
	{ "fstat64", 2 }, { "fstatat64", 4 }, { "ftruncate64", 3 }, { "futex_time64", 6 },
	{ "get_kernel_syms", 1 }, { "get_thread_area", 1 }, { "getegid", 0 },
	{ "getegid32", 0 }, { "geteuid", 0 }, { "geteuid32", 0 }, { "getgid", 0 },
	{ "getgid32", 0 }, { "getgroups32", 2 }, { "getpgrp", 0 }, { "getpid", 0 },
	{ "getppid", 0 }, { "getresgid32", 3 }, { "getresuid32", 3 }, { "gettid", 0 },
	{ "getuid", 0 }, { "getuid32", 0 }, { "inotify_init", 0 },
	{ "io_pgetevents_time64", 6 }, { "ipc", 6 }, { "lchown32", 3 }, { "lstat64", 2 },
	{ "mmap2", 6 }, { "mq_timedreceive_time64", 5 }, { "mq_timedsend_time64", 5 },
	{ "munlockall", 0 }, { "nfsservctl", 3 }, { "oldfstat", 2 }, { "oldlstat", 2 },
	{ "oldolduname", 1 }, { "oldstat", 2 }, { "olduname", 1 }, { "pause", 0 },
	{ "ppoll_time64", 5 }, { "pselect6_time64", 6 }, { "query_module", 5 },
	{ "readdir", 3 }, { "recvmmsg_time64", 5 }, { "restart_syscall", 0 },
	{ "rt_sigreturn", 0 }, { "rt_sigtimedwait_time64", 4 },
	{ "sched_rr_get_interval_time64", 2 }, { "sched_yield", 0 },
	{ "semtimedop_time64", 4 }, { "set_thread_area", 1 }, { "setfsgid32", 1 },
	{ "setfsuid32", 1 }, { "setgid32", 1 }, { "setgroups32", 2 }, { "setregid32", 2 },
	{ "setresgid32", 3 }, { "setresuid32", 3 }, { "setreuid32", 2 }, { "setsid", 0 },
	{ "setuid32", 1 }, { "sgetmask", 0 }, { "sigaction", 3 }, { "signal", 2 },
	{ "sigpending", 1 }, { "sigprocmask", 3 }, { "sigreturn", 0 }, { "sigsuspend", 3 },
	{ "socketcall", 2 }, { "ssetmask", 1 }, { "stat64", 2 }, { "stime", 1 }, { "sync", 0 },
	{ "timer_gettime64", 2 }, { "timer_settime64", 4 }, { "timerfd_gettime64", 2 },
	{ "timerfd_settime64", 4 }, { "truncate64", 3 }, { "ugetrlimit", 2 }, { "umount", 1 },
	{ "utimensat_time64", 4 }, { "vfork", 0 }, { "vhangup", 0 }, { "vm86", 2 },
	{ "vm86old", 1 }, { "waitpid", 3 },
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

const struct syscall_signature *syscall_signature_of(uint32_t call)
{
	const char *name = syscall_name(call);

	const struct syscall_signature *row = NULL;

	if (!name)
		return NULL;
	if (call & SYSCALL_COMPAT_BIT) {
		row = syscall_compat_signature(name);
		if (!row && FIND(name, compat_arities, compare_arity))
			return NULL;
	}
	return row ? row : syscall_signature(name);
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

static uint16_t copy_of_struct(unsigned arg)
{
	const struct syscall_struct *table = syscall_struct(arg & ~ARG_WRITTEN);
	uint16_t size = table ? table->size : 0;

	if ((arg & ~ARG_WRITTEN) == ARG_SIGSET || (arg & ~ARG_WRITTEN) == ARG_CPU_SET)
		size = 8;
	if ((arg & ~ARG_WRITTEN) == ARG_FD_SET)
		size = 128;
	return (uint16_t)(SYSCALL_COPY_FIXED | size | (arg & ARG_WRITTEN ? 0 : SYSCALL_COPY_INPUT));
}

static uint16_t copy_of(unsigned arg)
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
		[ARG_PRCTL_NAME] = SYSCALL_COPY_INPUT | SYSCALL_COPY_STRING,
		[ARG_FCNTL_VALUE] = SYSCALL_COPY_INPUT | SYSCALL_COPY_FIXED | 32,
		[ARG_IOCTL_VALUE] = SYSCALL_COPY_FIXED | 8,
		[ARG_VECTOR] = SYSCALL_COPY_VECTOR,
		[ARG_MESSAGE] = SYSCALL_COPY_MESSAGE,
	};

	if ((arg & ~ARG_WRITTEN) == ARG_VECTOR || (arg & ~ARG_WRITTEN) == ARG_MESSAGE)
		return (uint16_t)(copies[arg & ~ARG_WRITTEN] |
				  (arg & ARG_WRITTEN ? 0 : SYSCALL_COPY_INPUT));
	if ((arg & ~ARG_WRITTEN) >= ARG_STRUCTS && (arg & ~ARG_WRITTEN) < ARG_FLAGS)
		return copy_of_struct(arg);
	return copies[arg];
}

void syscall_args_copies(uint16_t ret[SYSCALL_ABIS][SYSCALL_NUMBERS][SYSCALL_ARGS])
{
	static const uint32_t bits[SYSCALL_ABIS] = { [SYSCALL_COMPAT] = SYSCALL_COMPAT_BIT };

	for (size_t abi = 0; abi < SYSCALL_ABIS; abi++)
		for (uint32_t call = 0; call < SYSCALL_NUMBERS; call++) {
			const struct syscall_signature *row =
				syscall_signature_of(call | bits[abi]);

			for (size_t i = 0; row && i < SYSCALL_ARGS; i++)
				ret[abi][call][i] = copy_of(row->arg[i]);
		}
}
