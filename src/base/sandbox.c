/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The filter of system calls and the drop of capabilities (see sandbox.h). A call that is not
 * listed fails with EPERM. Formats: seccomp(2), linux/filter.h, linux/audit.h. */
#include "base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "base/err.h"
#include "base/memory_limit.h"
#include "base/vec.h"

#define WRITES	  (O_ACCMODE | O_CREAT | O_TRUNC)
#define CALLS	  512 /* more than any number here */
#define REFUSE(e) (SECCOMP_RET_ERRNO | ((e)&SECCOMP_RET_DATA))

static const int allowed[] = {
	__NR_read,
	__NR_write,
	__NR_pread64,
	__NR_pwrite64,
	__NR_readv,
	__NR_writev,
	__NR_close,
	__NR_fstat,
	__NR_newfstatat,
	__NR_statx,
	__NR_statfs,
	__NR_fstatfs,
	__NR_lseek,
	__NR_ftruncate,
	__NR_fcntl,
	__NR_flock,
	__NR_fadvise64,
	__NR_getdents64,
	__NR_readlinkat,
	__NR_faccessat,
	__NR_faccessat2,
	__NR_getcwd,
	__NR_dup,
	__NR_dup3,
	__NR_pipe2,
	__NR_ppoll,
	__NR_signalfd4,
	__NR_pselect6,
	__NR_epoll_create1,
	__NR_epoll_ctl,
	__NR_epoll_pwait,
	__NR_eventfd2,
	__NR_memfd_create,
	__NR_sendmsg,
	__NR_recvmsg,
	__NR_brk,
	__NR_munmap,
	__NR_mremap,
	__NR_madvise,
	__NR_membarrier,
	__NR_futex,
	__NR_set_robust_list,
	__NR_rseq,
	__NR_exit,
	__NR_exit_group,
	__NR_rt_sigaction,
	__NR_rt_sigprocmask,
	__NR_rt_sigreturn,
	__NR_sigaltstack,
	__NR_restart_syscall,
	__NR_nanosleep,
	__NR_clock_nanosleep,
	__NR_clock_gettime,
	__NR_clock_getres,
	__NR_gettimeofday,
	__NR_getpid,
	__NR_gettid,
	__NR_getuid,
	__NR_geteuid,
	__NR_getgid,
	__NR_getegid,
	__NR_getrusage,
	__NR_times,
	__NR_uname,
	__NR_sysinfo,
	__NR_getrandom,
	__NR_prlimit64,
	__NR_sched_getaffinity,
	__NR_sched_setaffinity,
	__NR_sched_yield,
	__NR_wait4,
/* not on newer CPUs */
#ifdef __NR_open
	__NR_stat,
	__NR_lstat,
	__NR_access,
	__NR_readlink,
	__NR_poll,
	__NR_select,
	__NR_dup2,
	__NR_time,
#endif
};

/* Calls that are allowed with certain arguments only. */
static const struct rule {
	int call;
	unsigned argument;
	unsigned forbidden, needed; /* bits of it */
} rules[] = {
	{ __NR_openat, 2, WRITES, 0 },
#ifdef __NR_open
	{ __NR_open, 1, WRITES, 0 },
#endif
	{ __NR_mmap, 2, PROT_EXEC, 0 },	    { __NR_mprotect, 2, PROT_EXEC, 0 },
	{ __NR_clone, 0, 0, CLONE_THREAD },
};

/* Queries of a terminal, and its modes. TIOCSTI, which types into it, is not allowed. */
static const unsigned terminal[] = { TCGETS, TCSETS, TCSETSW, TCSETSF, TIOCGWINSZ };

/* The program, the last instruction first: jumps only lead forward, so where they lead is there
 * when they are added. An instruction's name is its index here. */
typedef VEC(struct sock_filter) filter;

static size_t put(filter *f, uint16_t code, uint32_t k)
{
	vec_push(f, ((struct sock_filter){ .code = code, .k = k }));
	return f->count - 1;
}

static size_t put_end(filter *f, uint32_t action)
{
	return put(f, BPF_RET | BPF_K, action);
}

/* The instruction added last follows it. */
static size_t put_load(filter *f, size_t offset)
{
	return put(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset);
}

static size_t put_load_argument(filter *f, unsigned argument)
{
	return put_load(f, offsetof(struct seccomp_data, args) + 8 * argument); /* its low half */
}

static size_t put_test(filter *f, uint16_t test, uint32_t k, size_t yes, size_t no)
{
	size_t at = put(f, BPF_JMP | BPF_K | test, k);

	if (at - yes - 1 > UINT8_MAX || at - no - 1 > UINT8_MAX)
		BUG("the filter of system calls is too long for its jumps");
	f->item[at].jt = (uint8_t)(at - yes - 1);
	f->item[at].jf = (uint8_t)(at - no - 1);
	return at;
}

/* What becomes of a call: the instruction that starts to decide on it. */
struct verdicts {
	size_t allow, refuse;
	size_t of_call[CALLS];
};

static size_t put_rule(filter *f, const struct verdicts *v, const struct rule *rule)
{
	if (rule->forbidden)
		(void)put_test(f, BPF_JSET, rule->forbidden, v->refuse, v->allow);
	else
		(void)put_test(f, BPF_JSET, rule->needed, v->allow, v->refuse);
	return put_load_argument(f, rule->argument);
}

static size_t put_terminal(filter *f, const struct verdicts *v)
{
	size_t next = put_end(f, REFUSE(ENOTTY));

	for (size_t i = 0; i < sizeof(terminal) / sizeof(terminal[0]); i++)
		next = put_test(f, BPF_JEQ, terminal[i], v->allow, next);
	return put_load_argument(f, 1);
}

/* kill(0, SIGTSTP): what Ctrl-Z does in a terminal, to the own process group. */
static size_t put_stop(filter *f, const struct verdicts *v)
{
	size_t own_group;

	(void)put_test(f, BPF_JEQ, SIGTSTP, v->allow, v->refuse);
	own_group = put_load_argument(f, 1);
	(void)put_test(f, BPF_JEQ, 0, own_group, v->refuse);
	return put_load_argument(f, 0);
}

static void put_verdicts(filter *f, struct verdicts *ret)
{
	ret->allow = put_end(f, SECCOMP_RET_ALLOW);
	ret->refuse = put_end(f, REFUSE(EPERM));
	for (size_t call = 0; call < CALLS; call++)
		ret->of_call[call] = ret->refuse;
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		ret->of_call[allowed[i]] = ret->allow;
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		ret->of_call[rules[i].call] = put_rule(f, ret, &rules[i]);
	ret->of_call[__NR_ioctl] = put_terminal(f, ret);
	ret->of_call[__NR_kill] = put_stop(f, ret);
	/* its flags are in memory: the C library falls back on clone() */
	ret->of_call[__NR_clone3] = put_end(f, REFUSE(ENOSYS));
}

/* The calls from `first` to the next range, or above. */
struct range {
	uint32_t first;
	size_t verdict;
};

/* A binary search: the kernel runs the filter for every call there is when it installs it. */
static size_t put_search(filter *f, const struct range *range, size_t count)
{
	size_t half = count / 2, low, high;

	if (count == 1)
		return range->verdict;
	low = put_search(f, range, half);
	high = put_search(f, range + half, count - half);
	return put_test(f, BPF_JGE, range[half].first, high, low);
}

/* Of this program: the kernel's name for its CPU. */
static uint32_t audit_arch(void)
{
	extern const ElfW(Ehdr) __ehdr_start; /* the linker's */

	return (uint32_t)__ehdr_start.e_machine | __AUDIT_ARCH_64BIT | __AUDIT_ARCH_LE;
}

static void make_filter(filter *f)
{
	struct verdicts verdicts;
	struct range range[CALLS + 1];
	size_t count = 0, search, kill;

	put_verdicts(f, &verdicts);
	for (uint32_t call = 0; call < CALLS; call++)
		if (!count || range[count - 1].verdict != verdicts.of_call[call])
			range[count++] = (struct range){ call, verdicts.of_call[call] };
	range[count++] = (struct range){ CALLS, verdicts.refuse };
	kill = put_end(f, SECCOMP_RET_KILL_PROCESS);
	(void)put_search(f, range, count);
	search = put_load(f, offsetof(struct seccomp_data, nr));
	(void)put_test(f, BPF_JEQ, audit_arch(), search, kill);
	(void)put_load(f, offsetof(struct seccomp_data, arch));
	for (size_t i = 0; i < f->count / 2; i++) {
		struct sock_filter first = f->item[i];

		f->item[i] = f->item[f->count - 1 - i];
		f->item[f->count - 1 - i] = first;
	}
}

static const uint64_t reading = 1ull << CAP_DAC_READ_SEARCH | 1ull << CAP_SYS_PTRACE |
				1ull << CAP_SYSLOG | 1ull << CAP_CHECKPOINT_RESTORE;

static void keep_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(SYS_capget, &header, data))
		return;
	for (unsigned half = 0; half < 2; half++) {
		uint32_t keep = (uint32_t)(reading >> 32 * half);

		data[half].permitted &= keep;
		data[half].effective = data[half].permitted;
		data[half].inheritable = 0;
	}
	(void)syscall(SYS_capset, &header, data); /* fewer than before: always allowed */
}

bool sandbox_needed(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (geteuid() == 0)
		return true;
	return !syscall(SYS_capget, &header, data) && (data[0].permitted || data[1].permitted);
}

bool sandbox_is_privileged(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	return !syscall(SYS_capget, &header, data) &&
	       ((data[0].permitted & ~(uint32_t)reading) ||
		(data[1].permitted & ~(uint32_t)(reading >> 32)));
}

void sandbox_check(const char *path)
{
	if (!getenv("CUPEL_CHECK_PRIVILEGES") || !MEMORY_LIMIT_METERED || !sandbox_is_privileged())
		return;
	(void)fprintf(stderr, "cupel: with privileges, it opens %s\n", path);
	BUG("a process with privileges parses a binary");
}

int sandbox_enter(struct err *err)
{
	filter f = { 0 };
	struct sock_fprog program;
	int failed;

	make_filter(&f);
	program = (struct sock_fprog){ .len = (unsigned short)f.count, .filter = f.item };
	keep_capabilities();
	failed = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		 prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
	vec_done(&f);
	return failed ? err_errno(err, "seccomp") : 0;
}
