/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_programs: calls that are stopped and continued, and repeated after that; threads; and what
 * seccomp kills or traps. A child does to its parent what no program can do to itself; it looks at
 * /proc to know where the parent is, so nothing depends on time. */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "trace_programs.h"

#define THREADS 12

static int ends[2];
static uint32_t *shared; /* a futex */

static void on_signal(int number)
{
	(void)number;
}

static char state_of(pid_t pid)
{
	char path[64], text[512] = "", *end;
	ssize_t len;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY);
	len = read(fd, text, sizeof(text) - 1);
	(void)close(fd);
	end = len > 0 ? strrchr(text, ')') : NULL;
	return end ? end[2] : '?';
}

/* The call it is in; -1 = it runs. */
static long call_of(pid_t pid)
{
	char path[64], text[64] = "";
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
	fd = open(path, O_RDONLY);
	if (read(fd, text, sizeof(text) - 1) <= 0)
		text[0] = '\0';
	(void)close(fd);
	return text[0] >= '0' && text[0] <= '9' ? strtol(text, NULL, 10) : -1;
}

static void wait_for_sleep(pid_t pid, long number)
{
	for (;;) {
		long call = call_of(pid);

		if (state_of(pid) == 'S' && (call == number || call == SYS_restart_syscall) &&
		    call_of(pid) == call)
			return;
		(void)usleep(2000);
	}
}

/* In a child: stops the parent in that call, continues it, and then ends the call. */
static pid_t stop_in(long number, void (*end)(pid_t parent))
{
	pid_t parent = getpid(), child = fork();

	if (child)
		return child;
	wait_for_sleep(parent, number);
	(void)kill(parent, SIGSTOP);
	while (state_of(parent) != 'T' && state_of(parent) != 't')
		(void)usleep(2000);
	(void)kill(parent, SIGCONT);
	wait_for_sleep(parent, number);
	end(parent);
	_exit(0);
}

static void send_signal(pid_t parent)
{
	(void)kill(parent, SIGUSR1);
}

static void send_byte(pid_t parent)
{
	(void)parent;
	(void)write(ends[1], "x", 1);
}

static void wake_futex(pid_t parent)
{
	(void)parent;
	*shared = 1;
	(void)syscall(SYS_futex, shared, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void prepare(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	(void)sigaction(SIGUSR1, &action, NULL);
	(void)pipe2(ends, 0);
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void stopped_sleep(void)
{
	const struct timespec hour = { 3600, 0 };
	pid_t child;

	prepare();
	child = stop_in(SYS_nanosleep, send_signal);
	CALL(nanosleep, &hour, NULL);
	CALL(wait4, child, NULL, 0, NULL);
}

static void stopped_read(void)
{
	char byte;
	pid_t child;

	prepare();
	child = stop_in(SYS_read, send_byte);
	CALL(read, ends[0], &byte, 1);
	CALL(wait4, child, NULL, 0, NULL);
}

static void stopped_poll(void)
{
	struct pollfd fd;
	pid_t child;

	prepare();
	fd = (struct pollfd){ ends[0], POLLIN, 0 };
	child = stop_in(SYS_ppoll, send_byte);
	CALL(ppoll, &fd, 1, NULL, NULL, 8);
	CALL(wait4, child, NULL, 0, NULL);
}

static void stopped_futex(void)
{
	pid_t child;

	prepare();
	child = stop_in(SYS_futex, wake_futex);
	CALL(futex, shared, FUTEX_WAIT, 0, NULL, NULL, 0);
	CALL(wait4, child, NULL, 0, NULL);
}

static void *write_byte(void *unused)
{
	(void)syscall(SYS_getppid);
	(void)write(ends[1], "x", 1);
	return unused;
}

/* The calls of the first thread, while the others make theirs. */
static void threads(void)
{
	pthread_t thread[THREADS];
	char byte;

	prepare();
	for (int i = 0; i < THREADS; i++)
		(void)pthread_create(&thread[i], NULL, write_byte, NULL);
	for (int i = 0; i < THREADS; i++)
		CALL(read, ends[0], &byte, 1);
}

static void install(uint32_t action)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpriority, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	CALL(prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	CALL(seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

static void kills(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		install(SECCOMP_RET_KILL_PROCESS);
		CALL(getpriority, PRIO_PROCESS, 0);
		_exit(1);
	}
	CALL(wait4, child, &status, 0, NULL);
}

static void ring_ends(void)
{
	struct io_uring_params params = { .flags = IORING_SETUP_CLAMP };
	int fd = FD(io_uring_setup, 1, &params);

	CALL(io_uring_enter, fd, 0, 0, 0, NULL, 0);
	CALL(io_uring_register, 99, 1, NULL, 0);
	CALL(close, fd);
	CALL(io_uring_enter, fd, 1, 0, 0, NULL, 0);
}

/* clang-format off */
const struct program stop_programs[] = {
	PROGRAM(stopped_sleep), PROGRAM(stopped_read), PROGRAM(stopped_poll),
	PROGRAM(stopped_futex), PROGRAM(threads), PROGRAM(kills), PROGRAM(ring_ends),
	{ NULL, NULL },
};
/* clang-format on */
