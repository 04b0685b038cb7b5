/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls of 32-bit programs that differ from those of 64-bit ones: structs with other
 * layouts, numbers of 64 bits in two registers, and calls that only these programs have. All others
 * are as in syscall_args.c. Layouts: the kernel's compat.h and asm/stat.h of x86. */
#include <stdlib.h>
#include <string.h>

#include "source/syscall/syscall_args.h"
#include "source/syscall/syscall_structs.h"

#define R(kind)	     ARG_COMPAT_##kind
#define W(kind)	     (ARG_COMPAT_##kind | ARG_WRITTEN)
#define SAME_R(kind) ARG_##kind
#define SAME_W(kind) (ARG_##kind | ARG_WRITTEN)
#define INT	     ARG_INT
#define UINT	     ARG_UINT
#define SIZE	     ARG_SIZE
#define HEX	     ARG_HEX
#define ADDR	     ARG_ADDRESS
#define FD	     ARG_FD
#define DIRFD	     ARG_DIRFD
#define PATH	     ARG_PATH
#define IN	     ARG_DATA_IN
#define OUT	     ARG_DATA_OUT
#define SIGNAL	     ARG_SIGNAL
#define WIDE	     ARG_WIDE, ARG_WIDE_HIGH
#define TIME64	     ARG_PLAIN_TIMESPEC

/* Sorted by name. */
/* clang-format off */
static const struct syscall_signature signatures[] = {
	{ "_llseek", { FD, UINT, UINT, ADDR, ARG_SEEK }, 0 },
	{ "_newselect", { INT, SAME_R(FD_SET), SAME_R(FD_SET), SAME_R(FD_SET), R(TIMEVAL) }, 0 },
	{ "chown32", { PATH, INT, INT }, 0 },
	{ "clock_getres", { ARG_CLOCK, W(TIMESPEC) }, 0 },
	{ "clock_getres_time64", { ARG_CLOCK, SAME_W(PLAIN_TIMESPEC) }, 0 },
	{ "clock_gettime", { ARG_CLOCK, W(TIMESPEC) }, 0 },
	{ "clock_gettime64", { ARG_CLOCK, SAME_W(PLAIN_TIMESPEC) }, 0 },
	{ "clock_nanosleep", { ARG_CLOCK, ARG_TIMER_FLAGS, R(TIMESPEC), W(TIMESPEC) }, 0 },
	{ "clock_nanosleep_time64",
	  { ARG_CLOCK, ARG_TIMER_FLAGS, TIME64, SAME_W(PLAIN_TIMESPEC) }, 0 },
	{ "clock_settime", { ARG_CLOCK, R(TIMESPEC) }, 0 },
	{ "clock_settime64", { ARG_CLOCK, TIME64 }, 0 },
	{ "fadvise64", { FD, WIDE, SIZE, ARG_FADVISE }, 0 },
	{ "fadvise64_64", { FD, WIDE, WIDE, ARG_FADVISE }, 0 },
	{ "fallocate", { FD, ARG_FALLOCATE, WIDE, WIDE }, 0 },
	{ "fchown32", { FD, INT, INT }, 0 },
	{ "fcntl64", { FD, ARG_FCNTL, ARG_FCNTL_VALUE }, 0 },
	{ "fstat", { FD, W(STAT) }, 0 },
	{ "fstat64", { FD, W(STAT64) }, 0 },
	{ "fstatat64", { DIRFD, PATH, W(STAT64), ARG_AT }, 0 },
	{ "fstatfs", { FD, W(STATFS) }, 0 },
	{ "fstatfs64", { FD, SIZE, W(STATFS64) }, 0 },
	{ "ftruncate64", { FD, WIDE }, 0 },
	{ "futex", { ADDR, ARG_FUTEX, UINT, R(TIMESPEC), ADDR, HEX }, 0 },
	{ "futex_time64", { ADDR, ARG_FUTEX, UINT, TIME64, ADDR, HEX }, 0 },
	{ "futimesat", { DIRFD, PATH, R(TIMEVAL_PAIR) }, 0 },
	{ "getgroups32", { INT, ADDR }, 0 },
	{ "getitimer", { ARG_ITIMER, W(ITIMERVAL) }, 0 },
	{ "getrlimit", { ARG_RESOURCE, W(RLIMIT) }, 0 },
	{ "getrusage", { ARG_RUSAGE_WHO, W(RUSAGE) }, 0 },
	{ "gettimeofday", { W(TIMEVAL), ADDR }, 0 },
	{ "lchown32", { PATH, INT, INT }, 0 },
	{ "lstat", { PATH, W(STAT) }, 0 },
	{ "lstat64", { PATH, W(STAT64) }, 0 },
	{ "mmap", { ADDR }, ADDR },
	{ "mmap2", { ADDR, SIZE, ARG_PROT, ARG_MAP, FD, HEX }, ADDR },
	{ "nanosleep", { R(TIMESPEC), W(TIMESPEC) }, 0 },
	{ "ppoll", { ARG_POLLFDS, UINT, R(TIMESPEC), SAME_R(SIGSET), SIZE }, 0 },
	{ "ppoll_time64", { ARG_POLLFDS, UINT, TIME64, SAME_R(SIGSET), SIZE }, 0 },
	{ "pread64", { FD, OUT, SIZE, WIDE }, 0 },
	{ "preadv", { FD, SAME_W(VECTOR), INT, WIDE }, 0 },
	{ "preadv2", { FD, SAME_W(VECTOR), INT, WIDE, ARG_READ_WRITE }, 0 },
	{ "pselect6",
	  { INT, SAME_R(FD_SET), SAME_R(FD_SET), SAME_R(FD_SET), R(TIMESPEC), ADDR }, 0 },
	{ "pselect6_time64",
	  { INT, SAME_R(FD_SET), SAME_R(FD_SET), SAME_R(FD_SET), TIME64, ADDR }, 0 },
	{ "pwrite64", { FD, IN, SIZE, WIDE }, 0 },
	{ "pwritev", { FD, SAME_R(VECTOR), INT, WIDE }, 0 },
	{ "pwritev2", { FD, SAME_R(VECTOR), INT, WIDE, ARG_READ_WRITE }, 0 },
	{ "readahead", { FD, WIDE, SIZE }, 0 },
	{ "recvmmsg", { FD, ADDR, UINT, ARG_MSG, R(TIMESPEC) }, 0 },
	{ "recvmmsg_time64", { FD, ADDR, UINT, ARG_MSG, TIME64 }, 0 },
	{ "rt_sigaction", { SIGNAL, R(SIGACTION), W(SIGACTION), SIZE }, 0 },
	{ "rt_sigtimedwait", { SAME_R(SIGSET), ADDR, R(TIMESPEC), SIZE }, 0 },
	{ "rt_sigtimedwait_time64", { SAME_R(SIGSET), ADDR, TIME64, SIZE }, 0 },
	{ "sched_rr_get_interval", { INT, W(TIMESPEC) }, 0 },
	{ "sched_rr_get_interval_time64", { INT, SAME_W(PLAIN_TIMESPEC) }, 0 },
	{ "seccomp", { ARG_SECCOMP, HEX, R(FILTER) }, 0 },
	{ "select", { ADDR }, 0 },
	{ "semtimedop", { INT, ADDR, UINT, R(TIMESPEC) }, 0 },
	{ "semtimedop_time64", { INT, ADDR, UINT, TIME64 }, 0 },
	{ "setitimer", { ARG_ITIMER, R(ITIMERVAL), W(ITIMERVAL) }, 0 },
	{ "setrlimit", { ARG_RESOURCE, R(RLIMIT) }, 0 },
	{ "settimeofday", { R(TIMEVAL), ADDR }, 0 },
	{ "sigaltstack", { R(SIGNAL_STACK), W(SIGNAL_STACK) }, 0 },
	{ "signal", { SIGNAL, ADDR }, 0 },
	{ "stat", { PATH, W(STAT) }, 0 },
	{ "stat64", { PATH, W(STAT64) }, 0 },
	{ "statfs", { PATH, W(STATFS) }, 0 },
	{ "statfs64", { PATH, SIZE, W(STATFS64) }, 0 },
	{ "sync_file_range", { FD, WIDE, WIDE, ARG_FILE_RANGE }, 0 },
	{ "sysinfo", { W(SYSINFO) }, 0 },
	{ "timer_gettime", { INT, W(ITIMERSPEC) }, 0 },
	{ "timer_gettime64", { INT, SAME_W(ITIMERSPEC) }, 0 },
	{ "timer_settime", { INT, ARG_TIMER_FLAGS, R(ITIMERSPEC), W(ITIMERSPEC) }, 0 },
	{ "timer_settime64",
	  { INT, ARG_TIMER_FLAGS, SAME_R(ITIMERSPEC), SAME_W(ITIMERSPEC) }, 0 },
	{ "timerfd_gettime", { FD, W(ITIMERSPEC) }, 0 },
	{ "timerfd_gettime64", { FD, SAME_W(ITIMERSPEC) }, 0 },
	{ "timerfd_settime", { FD, ARG_TIMERFD_SET, R(ITIMERSPEC), W(ITIMERSPEC) }, 0 },
	{ "timerfd_settime64",
	  { FD, ARG_TIMERFD_SET, SAME_R(ITIMERSPEC), SAME_W(ITIMERSPEC) }, 0 },
	{ "times", { W(TMS) }, 0 },
	{ "truncate64", { PATH, WIDE }, 0 },
	{ "ugetrlimit", { ARG_RESOURCE, W(RLIMIT) }, 0 },
	{ "umount", { PATH }, 0 },
	{ "utimensat", { DIRFD, PATH, R(TIMESPEC_PAIR), ARG_AT }, 0 },
	{ "utimensat_time64", { DIRFD, PATH, SAME_R(TIMESPEC_PAIR), ARG_AT }, 0 },
	{ "utimes", { PATH, R(TIMEVAL_PAIR) }, 0 },
	{ "wait4", { INT, ARG_WAIT_STATUS, ARG_WAIT, W(RUSAGE) }, 0 },
	{ "waitid", { ARG_ID_TYPE, INT, W(SIGINFO), ARG_WAIT, W(RUSAGE) }, 0 },
	{ "waitpid", { INT, ARG_WAIT_STATUS, ARG_WAIT }, 0 },
};

#define AT(name, offset, size, format) { name, offset, size, FORMAT_##format, 0 }
#define KIND(name, offset, size, kind) { name, offset, size, FORMAT_KIND, ARG_##kind }
#define STRUCT(fields, size, more) { fields, sizeof(fields) / sizeof(*(fields)), size, more }

static const struct syscall_field timespec_fields[] = {
	AT("tv_sec", 0, 4, INT), AT("tv_nsec", 4, 4, INT),
};
static const struct syscall_field timeval_fields[] = {
	AT("tv_sec", 0, 4, INT), AT("tv_usec", 4, 4, INT),
};
static const struct syscall_field timespec_pair_fields[] = {
	KIND(NULL, 0, 8, COMPAT_TIMESPEC), KIND(NULL, 8, 8, COMPAT_TIMESPEC),
};
static const struct syscall_field timeval_pair_fields[] = {
	KIND(NULL, 0, 8, COMPAT_TIMEVAL), KIND(NULL, 8, 8, COMPAT_TIMEVAL),
};
static const struct syscall_field itimerval_fields[] = {
	KIND("it_interval", 0, 8, COMPAT_TIMEVAL), KIND("it_value", 8, 8, COMPAT_TIMEVAL),
};
static const struct syscall_field itimerspec_fields[] = {
	KIND("it_interval", 0, 8, COMPAT_TIMESPEC), KIND("it_value", 8, 8, COMPAT_TIMESPEC),
};
static const struct syscall_field rlimit_fields[] = {
	AT("rlim_cur", 0, 4, LIMIT), AT("rlim_max", 4, 4, LIMIT),
};
static const struct syscall_field rusage_fields[] = {
	KIND("ru_utime", 0, 8, COMPAT_TIMEVAL), KIND("ru_stime", 8, 8, COMPAT_TIMEVAL),
};
static const struct syscall_field stat_fields[] = {
	AT("st_mode", 8, 2, MODE), AT("st_size", 20, 4, UINT),
};
static const struct syscall_field stat64_fields[] = {
	AT("st_mode", 16, 4, MODE), AT("st_size", 44, 8, INT),
};
static const struct syscall_field sigaction_fields[] = {
	AT("sa_handler", 0, 4, HANDLER), KIND("sa_mask", 12, 8, SIGSET),
	KIND("sa_flags", 4, 4, SA_FLAGS), AT("sa_restorer", 8, 4, RESTORER),
};
static const struct syscall_field signal_stack_fields[] = {
	AT("ss_sp", 0, 4, POINTER), KIND("ss_flags", 4, 4, STACK_FLAGS), AT("ss_size", 8, 4, UINT),
};
static const struct syscall_field sysinfo_fields[] = {
	AT("uptime", 0, 4, INT), AT("totalram", 16, 4, UINT), AT("freeram", 20, 4, UINT),
	AT("procs", 40, 2, UINT),
};
static const struct syscall_field tms_fields[] = {
	AT("tms_utime", 0, 4, INT), AT("tms_stime", 4, 4, INT), AT("tms_cutime", 8, 4, INT),
	AT("tms_cstime", 12, 4, INT),
};
static const struct syscall_field statfs_fields[] = {
	AT("f_type", 0, 4, HEX), AT("f_bsize", 4, 4, UINT), AT("f_blocks", 8, 4, UINT),
	AT("f_bfree", 12, 4, UINT), AT("f_bavail", 16, 4, UINT), AT("f_files", 20, 4, UINT),
	AT("f_ffree", 24, 4, UINT),
};
static const struct syscall_field statfs64_fields[] = {
	AT("f_type", 0, 4, HEX), AT("f_bsize", 4, 4, UINT), AT("f_blocks", 8, 8, UINT),
	AT("f_bfree", 16, 8, UINT), AT("f_bavail", 24, 8, UINT), AT("f_files", 32, 8, UINT),
	AT("f_ffree", 40, 8, UINT),
};
static const struct syscall_field siginfo_fields[] = { /* of a child */
	KIND("si_signo", 0, 4, SIGNAL), KIND("si_code", 8, 4, CHILD_CODE), AT("si_pid", 12, 4, INT),
	AT("si_uid", 16, 4, UINT), AT("si_status", 20, 4, INT),
};
static const struct syscall_field filter_fields[] = {
	AT("len", 0, 2, UINT), AT("filter", 4, 4, POINTER),
};

static const struct syscall_struct structs[ARG_FLAGS - ARG_COMPAT] = {
	[ARG_COMPAT_TIMESPEC - ARG_COMPAT] = STRUCT(timespec_fields, 8, false),
	[ARG_COMPAT_TIMEVAL - ARG_COMPAT] = STRUCT(timeval_fields, 8, false),
	[ARG_COMPAT_TIMESPEC_PAIR - ARG_COMPAT] = STRUCT(timespec_pair_fields, 16, false),
	[ARG_COMPAT_TIMEVAL_PAIR - ARG_COMPAT] = STRUCT(timeval_pair_fields, 16, false),
	[ARG_COMPAT_ITIMERVAL - ARG_COMPAT] = STRUCT(itimerval_fields, 16, false),
	[ARG_COMPAT_ITIMERSPEC - ARG_COMPAT] = STRUCT(itimerspec_fields, 16, false),
	[ARG_COMPAT_RLIMIT - ARG_COMPAT] = STRUCT(rlimit_fields, 8, false),
	[ARG_COMPAT_RUSAGE - ARG_COMPAT] = STRUCT(rusage_fields, 72, true),
	[ARG_COMPAT_STAT - ARG_COMPAT] = STRUCT(stat_fields, 64, true),
	[ARG_COMPAT_STAT64 - ARG_COMPAT] = STRUCT(stat64_fields, 96, true),
	[ARG_COMPAT_SIGACTION - ARG_COMPAT] = STRUCT(sigaction_fields, 20, false),
	[ARG_COMPAT_SIGNAL_STACK - ARG_COMPAT] = STRUCT(signal_stack_fields, 12, false),
	[ARG_COMPAT_SYSINFO - ARG_COMPAT] = STRUCT(sysinfo_fields, 64, true),
	[ARG_COMPAT_TMS - ARG_COMPAT] = STRUCT(tms_fields, 16, false),
	[ARG_COMPAT_STATFS - ARG_COMPAT] = STRUCT(statfs_fields, 64, true),
	[ARG_COMPAT_STATFS64 - ARG_COMPAT] = STRUCT(statfs64_fields, 84, true),
	[ARG_COMPAT_SIGINFO - ARG_COMPAT] = STRUCT(siginfo_fields, 24, true),
	[ARG_COMPAT_FILTER - ARG_COMPAT] = STRUCT(filter_fields, 8, false),
};
/* clang-format on */

static int compare(const void *name, const void *row)
{
	return strcmp(name, ((const struct syscall_signature *)row)->name);
}

const struct syscall_signature *syscall_compat_signature(const char *name)
{
	return bsearch(name, signatures, sizeof(signatures) / sizeof(*signatures),
		       sizeof(*signatures), compare);
}

const struct syscall_struct *syscall_compat_struct(enum syscall_arg arg)
{
	return &structs[arg - ARG_COMPAT];
}
