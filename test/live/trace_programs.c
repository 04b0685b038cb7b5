/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_programs NAME: small programs for comparing tracers line by line; without a name it lists
 * them. What each does lies between two calls of getpgid(-7). Runs in an empty folder. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

#include "trace_programs.h"

static char data[4096];

static void on_signal(int number)
{
	(void)number;
}

static int new_file(void)
{
	return FD(openat, AT_FDCWD, "made", O_RDWR | O_CREAT | O_TRUNC, 0644);
}

static void sleeps(void)
{
	const struct timespec some = { 0, 100000 }, bad = { 0, -1 };

	CALL(nanosleep, &some, NULL);
	CALL(nanosleep, &bad, NULL);
	CALL(clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &some, NULL);
	CALL(clock_nanosleep, CLOCK_BOOTTIME, 0, (void *)8, NULL);
}

static void clocks(void)
{
	struct timespec time;
	struct itimerval interval = { { 0, 0 }, { 100, 5 } };

	CALL(clock_getres, CLOCK_PROCESS_CPUTIME_ID, &time);
	CALL(clock_gettime, 77, &time);
	CALL(setitimer, ITIMER_VIRTUAL, &interval, NULL);
	CALL(setitimer, 9, &interval, NULL);
	CALL(getitimer, ITIMER_PROF, &interval);
	CALL(settimeofday, (void *)8, NULL);
}

static void signals(void)
{
	struct {
		void *handler;
		unsigned long flags;
		void *restorer;
		uint64_t mask;
	} action = { SIG_IGN, SA_RESTART, NULL, 1 << (SIGINT - 1) };
	uint64_t set = 1ull << (SIGUSR2 - 1) | 1ull << (SIGCHLD - 1), old;

	CALL(rt_sigaction, SIGUSR1, &action, NULL, 8);
	CALL(rt_sigaction, SIGUSR1, NULL, &action, 8);
	CALL(rt_sigaction, SIGKILL, &action, NULL, 8);
	CALL(rt_sigprocmask, SIG_BLOCK, &set, &old, 8);
	set = ~0ull;
	CALL(rt_sigprocmask, SIG_UNBLOCK, &set, NULL, 8);
	CALL(rt_sigprocmask, 7, &set, NULL, 8);
	CALL(rt_sigpending, &old, 8);
	CALL(sigaltstack, NULL, data);
	CALL(kill, -999999, SIGTERM);
	CALL(tgkill, 1, 999999, SIGRTMIN);
}

/* A signal interrupts the sleep; the handler runs. */
static void restarts(void)
{
	const struct itimerval soon = { { 0, 0 }, { 0, 20000 } };
	const struct timespec long_time = { 0, 60000000 };
	struct sigaction action = { .sa_handler = on_signal };
	int pair[2];

	(void)sigaction(SIGALRM, &action, NULL);
	(void)pipe(pair);
	(void)setitimer(ITIMER_REAL, &soon, NULL);
	CALL(nanosleep, &long_time, NULL); /* EINTR: a handler without SA_RESTART */
	(void)setitimer(ITIMER_REAL, &soon, NULL);
	CALL(read, pair[0], data, 1); /* likewise */
	(void)setitimer(ITIMER_REAL, &soon, NULL);
	CALL(rt_sigsuspend, &(uint64_t){ 0 }, 8);
}

static void processes(void)
{
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(3);
	CALL(wait4, child, &status, 0, NULL);
	child = fork();
	if (child == 0)
		(void)raise(SIGKILL);
	CALL(wait4, child, &status, WUNTRACED, NULL);
	CALL(wait4, -1, &status, WNOHANG, NULL);
	CALL(waitid, P_PID, 1, NULL, WEXITED | WNOHANG, NULL);
	CALL(waitid, P_ALL, 0, NULL, 0, NULL);
}

static void vforks(void)
{
	int status;
	pid_t child = vfork();

	if (child == 0)
		_exit(7);
	CALL(wait4, child, &status, 0, NULL);
}

static void *run_true(void *unused)
{
	char *words[] = { (char *)"trace_programs", (char *)"after_exec", NULL };

	(void)execve("/proc/self/exe", words, NULL);
	return unused;
}

/* The whole process becomes the new program. */
static void exec_from_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run_true, NULL) == 0)
		(void)pthread_join(thread, NULL);
}

static void after_exec(void)
{
	CALL(getppid);
	CALL(prctl, PR_SET_NAME, "renamed");
}

static void exec_errors(void)
{
	char *words[] = { (char *)"x", NULL };

	CALL(execve, "/nowhere/program", words, NULL);
	CALL(execve, "/etc/passwd", words, NULL);
	CALL(execve, NULL, NULL, NULL);
}

static void limits(void)
{
	struct rlimit limit = { 100, RLIM_INFINITY };
	struct rusage usage;

	CALL(prlimit64, 0, RLIMIT_CORE, &limit, NULL);
	CALL(prlimit64, 0, 99, NULL, &limit);
	CALL(prlimit64, 999999, RLIMIT_AS, NULL, &limit);
	CALL(getrusage, 5, &usage);
	CALL(getpriority, PRIO_PROCESS, 999999);
	CALL(setpriority, PRIO_USER, 99999, 3);
}

static void schedules(void)
{
	struct sched_param param = { 0 };
	uint64_t cpus = 1;

	CALL(sched_getscheduler, 0);
	CALL(sched_setscheduler, 0, SCHED_BATCH, &param);
	CALL(sched_getparam, 0, &param);
	CALL(sched_get_priority_max, SCHED_FIFO);
	CALL(sched_setaffinity, 0, 8, &cpus);
	CALL(sched_getaffinity, 0, 8, &cpus);
	CALL(sched_yield);
}

static void identities(void)
{
	CALL(getuid);
	CALL(geteuid);
	CALL(setpgid, 0, 0);
	CALL(getpgid, 999999);
	CALL(setresuid, -1, -1, -1);
	CALL(setgroups, -1, NULL);
	CALL(getgroups, 0, NULL);
	CALL(setfsuid, -1);
	CALL(capget, NULL, NULL);
}

static void machine(void)
{
	struct utsname name;
	struct sysinfo info;

	CALL(uname, &name);
	CALL(sysinfo, (struct sysinfo *)8);
	CALL(times, NULL);
	CALL(getcpu, NULL, NULL, NULL);
	(void)info;
}

static void prctls(void)
{
	CALL(prctl, PR_SET_NAME, "short");
	CALL(prctl, PR_SET_PDEATHSIG, 0);
	CALL(prctl, PR_GET_DUMPABLE);
	CALL(prctl, PR_SET_DUMPABLE, 1);
	CALL(prctl, 9999, 1, 2, 3, 4);
}

static void futexes(void)
{
	const struct timespec some = { 0, 100000 };
	uint32_t word = 5;

	CALL(futex, &word, FUTEX_WAKE, 1);
	CALL(futex, &word, FUTEX_WAKE_PRIVATE, INT32_MAX);
	CALL(futex, &word, FUTEX_WAIT, 4, NULL);
	CALL(futex, &word, FUTEX_WAIT_PRIVATE, 5, &some);
	CALL(futex, &word, 77, 0, NULL, NULL, 0);
}

static void randoms(void)
{
	CALL(getrandom, data, 0, GRND_NONBLOCK);
	CALL(getrandom, (void *)8, 8, 0);
	CALL(getrandom, data, 8, 99);
}

static void controls(void)
{
	int fd = new_file();

	CALL(ioctl, fd, TCGETS, data);
	CALL(ioctl, fd, TIOCGWINSZ, data);
	CALL(ioctl, 99, FIONREAD, data);
	CALL(ioctl, fd, 0x12345678, 0x9abc);
}

static void urings(void)
{
	struct io_uring_params params = { 0 };
	int fd = FD(io_uring_setup, 4, &params);

	CALL(io_uring_enter, fd, 0, 0, IORING_ENTER_GETEVENTS, NULL, 0);
	CALL(io_uring_setup, 0, &params);
	CALL(io_uring_enter, 99, 1, 1, 0, NULL, 0);
}

static void perf_events(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = 1 };

	CALL(perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	CALL(bpf, 999, NULL, 0);
}

static void bad_numbers(void)
{
	(void)syscall(999, 1, 2, 3, 4, 5, 6);
	(void)syscall(-1);
}

/* getpriority is refused: it returns an error without running. */
static void refusal(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpriority, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EDOM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	CALL(prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	CALL(seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
	CALL(getpriority, PRIO_PROCESS, 0);
	CALL(getpgid, 999999);
}

#ifdef __x86_64__
static long call_compat(long number, long first, long second)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(number), "b"(first), "c"(second), "d"(0)
			 : "memory", "r8", "r9", "r10", "r11");
	return result;
}

/* 32-bit calls of a 64-bit program: getpid, close, access. */
static void compat_calls(void)
{
	(void)call_compat(20, 0, 0);
	(void)call_compat(6, 99, 0);
	(void)call_compat(33, 8, R_OK);
}
#endif

/* clang-format off */
static const struct program process_programs[] = {
	PROGRAM(sleeps), PROGRAM(clocks), PROGRAM(signals), PROGRAM(restarts),
	PROGRAM(processes), PROGRAM(vforks), PROGRAM(exec_from_thread), PROGRAM(after_exec),
	PROGRAM(exec_errors), PROGRAM(limits), PROGRAM(schedules), PROGRAM(identities),
	PROGRAM(machine), PROGRAM(prctls), PROGRAM(futexes), PROGRAM(randoms),
	PROGRAM(controls), PROGRAM(urings), PROGRAM(perf_events), PROGRAM(bad_numbers),
	PROGRAM(refusal),
#ifdef __x86_64__
	PROGRAM(compat_calls),
#endif
	{ NULL, NULL },
};
/* clang-format on */

static const struct program *find(const struct program *programs, const char *name)
{
	for (; programs->name; programs++) {
		if (!name)
			(void)puts(programs->name);
		else if (strcmp(programs->name, name) == 0)
			return programs;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const char *name = argc < 2 ? NULL : argv[1];
	const struct program *program = find(file_programs, name);

	if (!program)
		program = find(process_programs, name);
	if (!program)
		program = find(stop_programs, name);
	if (!program)
		return name != NULL;
	CALL(getpgid, -7);
	program->run();
	CALL(getpgid, -7);
	return 0;
}
