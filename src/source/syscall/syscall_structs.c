/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields of structs in arguments of system calls (see syscall_structs.h), in the order in which
 * they are shown. The layouts are those of 64-bit programs; sizes are what the kernel reads or
 * writes.
 */
#include <linux/io_uring.h>
#include <linux/openat2.h>
#include <linux/perf_event.h>
#include <linux/stat.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/vfs.h>
#include <time.h>

#include <fcntl.h>

#include "source/syscall/syscall_structs.h"

/* clang-format off */
#define SIZE_OF(type, name) sizeof(((struct type *)0)->name)
#define AS(type, name, format) \
	{ #name, offsetof(struct type, name), SIZE_OF(type, name), FORMAT_##format, 0 }
#define OF(type, name, kind) \
	{ #name, offsetof(struct type, name), SIZE_OF(type, name), FORMAT_KIND, ARG_##kind }
#define AT(name, offset, size, format) { name, offset, size, FORMAT_##format, 0 }
#define KIND(name, offset, size, kind) { name, offset, size, FORMAT_KIND, ARG_##kind }
#define STRUCT(fields, size, more) { fields, sizeof(fields) / sizeof(*(fields)), size, more }

static const struct syscall_field sigaction_fields[] = { /* the kernel's, not libc's */
	AT("sa_handler", 0, 8, HANDLER), KIND("sa_mask", 24, 8, SIGSET),
	KIND("sa_flags", 8, 8, SA_FLAGS), AT("sa_restorer", 16, 8, RESTORER),
};
static const struct syscall_field statx_fields[] = {
	OF(statx, stx_mask, STATX_MASK), OF(statx, stx_attributes, STATX_ATTRIBUTES),
	AS(statx, stx_mode, MODE),
	AS(statx, stx_size, UINT),
};
static const struct syscall_field itimerval_fields[] = {
	KIND("it_interval", 0, 16, PLAIN_TIMEVAL), KIND("it_value", 16, 16, PLAIN_TIMEVAL),
};
static const struct syscall_field itimerspec_fields[] = {
	KIND("it_interval", 0, 16, PLAIN_TIMESPEC), KIND("it_value", 16, 16, PLAIN_TIMESPEC),
};
static const struct syscall_field timespec_fields[] = {
	AT("tv_sec", 0, 8, INT), AT("tv_nsec", 8, 8, INT),
};
static const struct syscall_field timeval_fields[] = {
	AT("tv_sec", 0, 8, INT), AT("tv_usec", 8, 8, INT),
};
static const struct syscall_field timespec_pair_fields[] = {
	KIND(NULL, 0, 16, PLAIN_TIMESPEC), KIND(NULL, 16, 16, PLAIN_TIMESPEC),
};
static const struct syscall_field timeval_pair_fields[] = {
	KIND(NULL, 0, 16, PLAIN_TIMEVAL), KIND(NULL, 16, 16, PLAIN_TIMEVAL),
};
static const struct syscall_field rusage_fields[] = {
	OF(rusage, ru_utime, PLAIN_TIMEVAL), OF(rusage, ru_stime, PLAIN_TIMEVAL),
};
static const struct syscall_field utsname_fields[] = {
	AT("sysname", 0, 65, TEXT), AT("nodename", 65, 65, TEXT),
};
static const struct syscall_field sysinfo_fields[] = {
	AS(sysinfo, uptime, INT), AS(sysinfo, totalram, UINT), AS(sysinfo, freeram, UINT),
	AS(sysinfo, procs, UINT),
};
static const struct syscall_field sched_attr_fields[] = {
	AT("size", 0, 4, UINT), KIND("sched_policy", 4, 4, SCHED_POLICY),
	AT("sched_flags", 8, 8, HEX), AT("sched_nice", 16, 4, INT),
	AT("sched_priority", 20, 4, UINT), AT("sched_runtime", 24, 8, UINT),
	AT("sched_deadline", 32, 8, UINT), AT("sched_period", 40, 8, UINT),
};
static const struct syscall_field open_how_fields[] = {
	OF(open_how, flags, OPEN), AS(open_how, mode, OCTAL), OF(open_how, resolve, RESOLVE),
};
static const struct syscall_field flock_fields[] = {
	OF(flock, l_type, LOCK_TYPE), OF(flock, l_whence, SEEK), AS(flock, l_start, INT),
	AS(flock, l_len, INT),
};
static const struct syscall_field winsize_fields[] = {
	AS(winsize, ws_row, UINT), AS(winsize, ws_col, UINT), AS(winsize, ws_xpixel, UINT),
	AS(winsize, ws_ypixel, UINT),
};
static const struct syscall_field statfs_fields[] = {
	AS(statfs, f_type, HEX), AS(statfs, f_bsize, UINT), AS(statfs, f_blocks, UINT),
	AS(statfs, f_bfree, UINT), AS(statfs, f_bavail, UINT), AS(statfs, f_files, UINT),
	AS(statfs, f_ffree, UINT),
};
static const struct syscall_field uring_fields[] = {
	OF(io_uring_params, flags, URING_SETUP), AS(io_uring_params, sq_thread_cpu, UINT),
	AS(io_uring_params, sq_thread_idle, UINT), AS(io_uring_params, sq_entries, UINT),
	AS(io_uring_params, cq_entries, UINT), AS(io_uring_params, features, HEX),
};
static const struct syscall_field perf_attr_fields[] = {
	OF(perf_event_attr, type, PERF_TYPE), AS(perf_event_attr, size, HEX),
	AS(perf_event_attr, config, HEX), AS(perf_event_attr, sample_period, UINT),
	AS(perf_event_attr, sample_type, HEX), AS(perf_event_attr, read_format, HEX),
};
static const struct syscall_field signal_stack_fields[] = {
	AT("ss_sp", 0, 8, POINTER), KIND("ss_flags", 8, 4, STACK_FLAGS), AT("ss_size", 16, 8, UINT),
};
static const struct syscall_field tms_fields[] = {
	AS(tms, tms_utime, INT), AS(tms, tms_stime, INT), AS(tms, tms_cutime, INT),
	AS(tms, tms_cstime, INT),
};
static const struct syscall_field siginfo_fields[] = { /* of a child */
	KIND("si_signo", 0, 4, SIGNAL), KIND("si_code", 8, 4, CHILD_CODE), AT("si_pid", 16, 4, INT),
	AT("si_uid", 20, 4, UINT), AT("si_status", 24, 4, INT),
};

static const struct syscall_field filter_fields[] = {
	AT("len", 0, 2, UINT), AT("filter", 8, 8, POINTER),
};

static const struct syscall_struct structs[ARG_COMPAT - ARG_STRUCTS] = {
	[ARG_SIGACTION - ARG_STRUCTS] = STRUCT(sigaction_fields, 32, false),
	[ARG_STATX - ARG_STRUCTS] = STRUCT(statx_fields, sizeof(struct statx), true),
	[ARG_ITIMERVAL - ARG_STRUCTS] = STRUCT(itimerval_fields, 32, false),
	[ARG_ITIMERSPEC - ARG_STRUCTS] = STRUCT(itimerspec_fields, 32, false),
	[ARG_TIMESPEC_PAIR - ARG_STRUCTS] = STRUCT(timespec_pair_fields, 32, false),
	[ARG_TIMEVAL_PAIR - ARG_STRUCTS] = STRUCT(timeval_pair_fields, 32, false),
	[ARG_RUSAGE - ARG_STRUCTS] = STRUCT(rusage_fields, sizeof(struct rusage), true),
	[ARG_UTSNAME - ARG_STRUCTS] = STRUCT(utsname_fields, 130, true),
	[ARG_SYSINFO - ARG_STRUCTS] = STRUCT(sysinfo_fields, sizeof(struct sysinfo), true),
	[ARG_SCHED_ATTR - ARG_STRUCTS] = STRUCT(sched_attr_fields, 48, false),
	[ARG_OPEN_HOW - ARG_STRUCTS] = STRUCT(open_how_fields, sizeof(struct open_how), false),
	[ARG_FLOCK - ARG_STRUCTS] = STRUCT(flock_fields, sizeof(struct flock), false),
	[ARG_WINSIZE - ARG_STRUCTS] = STRUCT(winsize_fields, sizeof(struct winsize), false),
	[ARG_STATFS - ARG_STRUCTS] = STRUCT(statfs_fields, sizeof(struct statfs), true),
	[ARG_URING_PARAMS - ARG_STRUCTS] =
		STRUCT(uring_fields, sizeof(struct io_uring_params), true),
	[ARG_PERF_ATTR - ARG_STRUCTS] = STRUCT(perf_attr_fields, PERF_ATTR_SIZE_VER0, true),
	[ARG_SIGNAL_STACK - ARG_STRUCTS] = STRUCT(signal_stack_fields, 24, false),
	[ARG_TMS - ARG_STRUCTS] = STRUCT(tms_fields, sizeof(struct tms), false),
	[ARG_SIGINFO - ARG_STRUCTS] = STRUCT(siginfo_fields, 28, true),
	[ARG_FILTER - ARG_STRUCTS] = STRUCT(filter_fields, 16, false),
	[ARG_PLAIN_TIMESPEC - ARG_STRUCTS] = STRUCT(timespec_fields, 16, false),
	[ARG_PLAIN_TIMEVAL - ARG_STRUCTS] = STRUCT(timeval_fields, 16, false),
};
/* clang-format on */

const struct syscall_struct *syscall_struct(enum syscall_arg arg)
{
	if (arg >= ARG_COMPAT && arg < ARG_FLAGS)
		return syscall_compat_struct(arg);
	if (arg < ARG_STRUCTS || arg >= ARG_COMPAT || !structs[arg - ARG_STRUCTS].count)
		return NULL;
	return &structs[arg - ARG_STRUCTS];
}
