/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The C library's functions that start a shell: it starts that by itself, without coming to those
 * of heap/exec.c. These do as it does, but with them. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heap/exec.h"

#define EXPORT	  __attribute__((visibility("default")))
#define SHELL	  "/bin/sh"
#define NOT_FOUND (127 << 8) /* the status of a shell that cannot run something */

#pragma weak pthread_setcancelstate

extern char **environ;

/* Calls of a shell that are under way: the first changes what signals do, and the last changes it
 * back. */
static int callers, callers_lock;
static struct sigaction old_interrupt, old_quit;

static int popen_lock;

static void lock(int *word)
{
	while (__atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE))
		(void)sched_yield();
}

static void unlock(int *word)
{
	__atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

static int start_shell(pid_t *ret, const char *command, const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attributes)
{
	char *const argv[] = { (char *)"sh", (char *)"-c", (char *)command, NULL };

	return posix_spawn(ret, SHELL, actions, attributes, argv, environ);
}

static pid_t wait_for(pid_t pid, int *status)
{
	pid_t got;

	do
		got = waitpid(pid, status, 0);
	while (got < 0 && errno == EINTR);
	return got;
}

static void ignore_signals(void)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	lock(&callers_lock);
	if (!callers++) {
		(void)sigaction(SIGINT, &ignore, &old_interrupt);
		(void)sigaction(SIGQUIT, &ignore, &old_quit);
	}
	unlock(&callers_lock);
}

static void heed_signals(void)
{
	lock(&callers_lock);
	if (!--callers) {
		(void)sigaction(SIGINT, &old_interrupt, NULL);
		(void)sigaction(SIGQUIT, &old_quit, NULL);
	}
	unlock(&callers_lock);
}

/* Returns the shell's status, or -1. */
static int run_shell(const char *command)
{
	sigset_t child, before, defaults;
	posix_spawnattr_t attributes;
	int code, status = -1;
	pid_t pid = -1;

	ignore_signals();
	(void)sigemptyset(&child);
	(void)sigaddset(&child, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &child, &before);
	(void)sigemptyset(&defaults);
	if (old_interrupt.sa_handler != SIG_IGN)
		(void)sigaddset(&defaults, SIGINT);
	if (old_quit.sa_handler != SIG_IGN)
		(void)sigaddset(&defaults, SIGQUIT);
	(void)posix_spawnattr_init(&attributes);
	(void)posix_spawnattr_setsigmask(&attributes, &before);
	(void)posix_spawnattr_setsigdefault(&attributes, &defaults);
	(void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	code = start_shell(&pid, command, NULL, &attributes);
	(void)posix_spawnattr_destroy(&attributes);
	if (!code && wait_for(pid, &status) != pid)
		status = -1;
	heed_signals();
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	if (!code)
		return status;
	errno = code;
	return NOT_FOUND;
}

EXPORT int(system)(const char *command)
{
	int status, before = 0;

	if (!command)
		return access(SHELL, X_OK) == 0;
	if (pthread_setcancelstate)
		(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	status = run_shell(command);
	if (pthread_setcancelstate)
		(void)pthread_setcancelstate(before, NULL);
	return status;
}

/* Its streams are of a kind that only the C library can make, so it finds another environment while
 * it starts the shell. */
EXPORT FILE *(popen)(const char *command, const char *mode)
{
	static char *room[EXEC_WORDS];
	static char names[EXEC_NAMES];
	FILE *(*next)(const char *, const char *), *stream;
	char **before;

	*(void **)&next = dlsym(RTLD_NEXT, "popen");
	lock(&popen_lock);
	before = environ;
	if (!exec_environment(SHELL, before, room, names)) {
		unlock(&popen_lock);
		return next(command, mode);
	}
	environ = room;
	stream = next(command, mode);
	if (environ == room)
		environ = before;
	else /* another thread has made a new one of it meanwhile */
		exec_clean();
	unlock(&popen_lock);
	return stream;
}
