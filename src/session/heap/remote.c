/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads under ptrace (see remote.h). A system call is followed from its beginning to its end,
 * which needs no signal of the process's own. */
#include "session/heap/remote.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/vec.h"
#include "session/heap/remote_arch.h"
#include "session/heap/remote_rseq.h"

#define EVENT_SHIFT   16
#define SYSTEM_STOP   (SIGTRAP | 0x80)
#define PATIENCE_NS   2000000000u /* for threads to stop */
#define WAIT_NS	      50000
#define SLOW_NS	      5000000 /* after which threads that the kernel holds are left there */
#define STATE_BYTES   65536   /* of the first try */
#define STATE_LIMIT   (1u << 24)
#define SEARCH_BYTES  16384 /* of the kernel's page of code for an instruction */
#define END_BYTES     64    /* of code in which its last instruction is */
#define OPTIONS	      PTRACE_O_TRACESYSGOOD
#define WITHOUT_RULES 0x00200000 /* PTRACE_O_SUSPEND_SECCOMP */

struct thread {
	pid_t tid;
	bool stopped, gone;
	bool unfiltered; /* its filters of system calls are suspended */
};

struct remote {
	pid_t pid;
	int memory; /* /proc/PID/mem */
	VEC(struct thread) thread;
	pid_t used; /* the thread that works for us; 0 = none yet */
	uint64_t began_ns, instruction;
	struct user_regs_struct regs;
	uint64_t mask; /* of its signals */
	void *state;
	size_t state_len;
};

static void pause_for(uint64_t ns)
{
	const struct timespec wait = { .tv_nsec = (long)ns };

	(void)nanosleep(&wait, NULL);
}

/* The letter of a thread's state; 0 = it is gone. */
static char state_of(pid_t pid, pid_t tid)
{
	char path[64], text[512];
	const char *end;
	ssize_t len;

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	text[len > 0 ? len : 0] = '\0';
	end = strrchr(text, ')');
	return end && end[1] == ' ' ? end[2] : 0;
}

static bool is_known(const struct remote *remote, pid_t tid)
{
	for (size_t i = 0; i < remote->thread.count; i++)
		if (remote->thread.item[i].tid == tid)
			return true;
	return false;
}

/* Without the filters of its system calls if that is possible. */
static int seize(struct remote *remote, pid_t tid, struct err *err)
{
	bool unfiltered = !ptrace(PTRACE_SEIZE, tid, NULL, (void *)(OPTIONS | WITHOUT_RULES));

	if (!unfiltered && ptrace(PTRACE_SEIZE, tid, NULL, (void *)OPTIONS)) {
		char state = state_of(remote->pid, tid);

		if (errno == ESRCH || !state || state == 'Z' || state == 'X')
			return 0;
		return err_errno(err, "process %d: it cannot be traced", remote->pid);
	}
	(void)ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	vec_push(&remote->thread, ((struct thread){ .tid = tid, .unfiltered = unfiltered }));
	return 1;
}

/* Returns how many threads are new, or -errno. */
static int seize_new(struct remote *remote, struct err *err)
{
	const struct dirent *entry;
	int code = 0, count = 0;
	char path[64];
	DIR *folder;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", remote->pid);
	folder = opendir(path);
	if (!folder)
		return err_set(err, -ESRCH, "process %d: no such process", remote->pid);
	while (code >= 0 && (entry = readdir(folder))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0 && !is_known(remote, tid))
			code = seize(remote, tid, err);
		count += code > 0;
		code = code > 0 ? 0 : code;
	}
	(void)closedir(folder);
	return code < 0 ? code : count;
}

/* Until it stops for us: what it stops for itself goes on first. */
static void look(struct thread *thread)
{
	int status, number;

	while (!thread->stopped && !thread->gone) {
		pid_t got = waitpid(thread->tid, &status, __WALL | WNOHANG);

		if (!got || (got < 0 && errno == EINTR))
			return;
		if (got < 0 || !WIFSTOPPED(status)) {
			thread->gone = true;
			return;
		}
		number = WSTOPSIG(status);
		if (status >> EVENT_SHIFT == PTRACE_EVENT_STOP)
			thread->stopped = true;
		else
			(void)ptrace(PTRACE_CONT, thread->tid, NULL,
				     (void *)(intptr_t)(number == SYSTEM_STOP ? 0 : number));
	}
}

/* Threads that the kernel holds in a call run no code of the program, and are left there. */
static bool all_stopped(struct remote *remote, uint64_t since_ns)
{
	bool slow = clock_ns(CLOCK_MONOTONIC) - since_ns > SLOW_NS;

	for (size_t i = 0; i < remote->thread.count; i++) {
		struct thread *thread = &remote->thread.item[i];

		look(thread);
		if (!thread->stopped && !thread->gone &&
		    !(slow && state_of(remote->pid, thread->tid) == 'D'))
			return false;
	}
	return true;
}

static int stop_all(struct remote *remote, struct err *err)
{
	for (;;) {
		int count = seize_new(remote, err);

		if (count < 0)
			return count;
		while (!all_stopped(remote, remote->began_ns)) {
			if (clock_ns(CLOCK_MONOTONIC) - remote->began_ns > PATIENCE_NS)
				return err_set(err, -EBUSY, "process %d: a thread does not stop",
					       remote->pid);
			pause_for(WAIT_NS);
		}
		if (!count)
			return 0;
	}
}

static int get_set(pid_t tid, int type, void *to, size_t *len)
{
	struct iovec part = { .iov_base = to, .iov_len = *len };

	if (ptrace(PTRACE_GETREGSET, tid, (void *)(intptr_t)type, &part))
		return -errno;
	*len = part.iov_len;
	return 0;
}

static int set_set(pid_t tid, int type, void *from, size_t len)
{
	struct iovec part = { .iov_base = from, .iov_len = len };

	return ptrace(PTRACE_SETREGSET, tid, (void *)(intptr_t)type, &part) ? -errno : 0;
}

/* As large as it is: kernels refuse to write a part of it. */
static int save_state(struct remote *remote, struct err *err)
{
	for (size_t room = STATE_BYTES; room <= STATE_LIMIT; room *= 4) {
		int code;

		free(remote->state);
		remote->state = mem_alloc(room);
		remote->state_len = room;
		code = get_set(remote->used, remote_arch_state, remote->state, &remote->state_len);
		if (code) {
			errno = -code;
			return err_errno(err, "process %d: reading registers", remote->pid);
		}
		if (remote->state_len < room)
			return 0;
	}
	return err_set(err, -E2BIG, "process %d: more registers than are known", remote->pid);
}

/* All signals wait, but those of faults, which are ours then. */
static int hold_signals(struct remote *remote)
{
	uint64_t all = ~((1ull << (SIGSEGV - 1)) | (1ull << (SIGBUS - 1)) | (1ull << (SIGILL - 1)) |
			 (1ull << (SIGFPE - 1)));

	if (ptrace(PTRACE_GETSIGMASK, remote->used, (void *)sizeof(remote->mask), &remote->mask))
		return -errno;
	return ptrace(PTRACE_SETSIGMASK, remote->used, (void *)sizeof(all), &all) ? -errno : 0;
}

static bool has_filter(pid_t pid, pid_t tid)
{
	char path[64], line[256];
	int mode = 0;
	FILE *status;

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status))
		(void)sscanf(line, "Seccomp: %d", &mode);
	if (status)
		(void)fclose(status);
	return mode != 0;
}

static int choose_thread(struct remote *remote, struct err *err)
{
	bool filtered = false;

	for (size_t i = 0; i < remote->thread.count && !remote->used; i++) {
		const struct thread *thread = &remote->thread.item[i];

		if (!thread->stopped)
			continue;
		if (thread->unfiltered || !has_filter(remote->pid, thread->tid))
			remote->used = thread->tid;
		else
			filtered = true;
	}
	if (remote->used)
		return 0;
	if (filtered)
		return err_set(
			err, -EPERM,
			"process %d: its system calls are filtered (seccomp), and the filter "
			"cannot be suspended: that takes CAP_SYS_ADMIN",
			remote->pid);
	return err_set(err, -EBUSY, "process %d: no thread of it can be stopped", remote->pid);
}

static int take_thread(struct remote *remote, struct err *err)
{
	size_t len = sizeof(remote->regs);
	int code = choose_thread(remote, err);

	if (code)
		return code;
	code = get_set(remote->used, NT_PRSTATUS, &remote->regs, &len);
	if (!code && !remote_arch_fits(&remote->regs)) {
		remote->used = 0;
		return err_set(err, -ENOEXEC, "process %d: a program of 32 bits", remote->pid);
	}
	if (!code)
		code = hold_signals(remote);
	if (code) {
		remote->used = 0;
		errno = -code;
		return err_errno(err, "process %d: reading registers", remote->pid);
	}
	remote_arch_restart(&remote->regs);
	remote_rseq_leave(remote->pid, remote->used, remote_arch_pc(&remote->regs));
	return save_state(remote, err);
}

/* Any will do: the kernel's page of code in each process has one. */
static int find_instruction(struct remote *remote, struct err *err)
{
	uint8_t code[SEARCH_BYTES];
	unsigned long start = 0, end = 0;
	char path[64], line[512];
	const uint8_t *found = NULL;
	FILE *maps;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", remote->pid);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "[vdso]"))
			(void)sscanf(line, "%lx-%lx", &start, &end);
	if (maps)
		(void)fclose(maps);
	end = end - start > sizeof(code) ? start + sizeof(code) : end;
	if (end > start && !remote_read(remote->pid, start, code, end - start))
		found = memmem(code, end - start, remote_arch_instruction,
			       remote_arch_instruction_len);
	if (!found) /* or not yet */
		return err_set(err, -EFAULT, "process %d: no system call instruction in its vdso",
			       remote->pid);
	remote->instruction = start + (uint64_t)(found - code);
	return 0;
}

int remote_stop(pid_t pid, struct remote **ret, struct err *err)
{
	struct remote *remote = mem_zalloc(sizeof(*remote));
	char path[64];
	int code;

	*remote =
		(struct remote){ .pid = pid, .memory = -1, .began_ns = clock_ns(CLOCK_MONOTONIC) };
	(void)snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	code = find_instruction(remote, err);
	if (!code) {
		remote->memory = open(path, O_RDWR | O_CLOEXEC);
		code = remote->memory < 0 ? err_errno(err, "%s", path) : 0;
	}
	remote->began_ns = clock_ns(CLOCK_MONOTONIC);
	if (!code)
		code = stop_all(remote, err);
	if (!code)
		code = take_thread(remote, err);
	if (code) {
		(void)remote_resume(remote);
		return code;
	}
	*ret = remote;
	return 0;
}

uint64_t remote_resume(struct remote *remote)
{
	uint64_t ns;

	if (!remote)
		return 0;
	if (remote->used) {
		if (remote->state)
			(void)set_set(remote->used, remote_arch_state, remote->state,
				      remote->state_len);
		(void)set_set(remote->used, NT_PRSTATUS, &remote->regs, sizeof(remote->regs));
		(void)ptrace(PTRACE_SETSIGMASK, remote->used, (void *)sizeof(remote->mask),
			     &remote->mask);
	}
	for (size_t i = 0; i < remote->thread.count; i++)
		(void)ptrace(PTRACE_DETACH, remote->thread.item[i].tid, NULL, NULL);
	ns = clock_ns(CLOCK_MONOTONIC) - remote->began_ns;
	fd_close(&remote->memory);
	vec_done(&remote->thread);
	free(remote->state);
	free(remote);
	return ns;
}

/* To the next beginning or end of a system call. */
static int go_on(const struct remote *remote, struct err *err)
{
	int status, number;

	for (;;) {
		if (ptrace(PTRACE_SYSCALL, remote->used, NULL, NULL) ||
		    waitpid(remote->used, &status, __WALL) < 0 || !WIFSTOPPED(status))
			return err_set(err, -ESRCH, "process %d: it ended", remote->pid);
		number = WSTOPSIG(status);
		if (number == SYSTEM_STOP)
			return 0;
		if (status >> EVENT_SHIFT == PTRACE_EVENT_STOP)
			continue;
		return err_set(err, -EFAULT, "process %d: code in it got signal %d", remote->pid,
			       number);
	}
}

static int set_registers(const struct remote *remote, struct user_regs_struct *regs,
			 struct err *err)
{
	int code = set_set(remote->used, NT_PRSTATUS, regs, sizeof(*regs));

	return code ? err_set(err, code, "process %d: writing registers", remote->pid) : 0;
}

static int get_registers(const struct remote *remote, struct user_regs_struct *ret, struct err *err)
{
	size_t len = sizeof(*ret);
	int code = get_set(remote->used, NT_PRSTATUS, ret, &len);

	return code ? err_set(err, code, "process %d: reading registers", remote->pid) : 0;
}

int remote_call(struct remote *remote, long number, const uint64_t args[6], int64_t *ret,
		struct err *err)
{
	struct user_regs_struct regs = remote->regs;
	int code;

	remote_arch_call(&regs, remote->instruction, number, args);
	code = set_registers(remote, &regs, err);
	if (!code)
		code = go_on(remote, err);
	if (!code)
		code = go_on(remote, err);
	if (!code)
		code = get_registers(remote, &regs, err);
	if (!code)
		*ret = remote_arch_result(&regs);
	return code;
}

int64_t remote_must_call(struct remote *remote, long number, const uint64_t args[6],
			 struct err *err)
{
	int64_t result;
	int code = remote_call(remote, number, args, &result, err);

	if (code || result >= 0 || result < -4095)
		return code ? code : result;
	errno = (int)-result;
	return err_errno(err, "process %d: a system call in it", remote->pid);
}

/* To the fault at the end of the code. */
static int go_to_end(const struct remote *remote, uint64_t code, struct user_regs_struct *ret,
		     struct err *err)
{
	int status, failed;

	do {
		if (ptrace(PTRACE_CONT, remote->used, NULL, NULL) ||
		    waitpid(remote->used, &status, __WALL) < 0 || !WIFSTOPPED(status))
			return err_set(err, -ESRCH, "process %d: it ended", remote->pid);
	} while (status >> EVENT_SHIFT == PTRACE_EVENT_STOP);
	failed = get_registers(remote, ret, err);
	if (failed || *remote_arch_pc(ret) - code < END_BYTES)
		return failed;
	return err_set(err, -EFAULT, "process %d: code in it got signal %d", remote->pid,
		       WSTOPSIG(status));
}

int remote_run(struct remote *remote, const struct remote_code *run, uint64_t *ret, struct err *err)
{
	struct user_regs_struct regs = remote->regs;
	int code;

	remote_arch_jump(&regs, run->at, run->stack, run->args);
	code = set_registers(remote, &regs, err);
	if (!code)
		code = go_to_end(remote, run->at, &regs, err);
	if (!code)
		*ret = remote_arch_argument(&regs);
	return code;
}

int remote_write(const struct remote *remote, uint64_t address, const void *from, size_t len)
{
	ssize_t done = pwrite(remote->memory, from, len, (off_t)address);

	return done < 0 ? -errno : (size_t)done == len ? 0 : -EFAULT;
}
