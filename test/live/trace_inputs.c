/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes system calls with memory and descriptors that change before they return, for a tracer that
 * must show what was passed. Runs in an empty folder. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define CALL(name, ...) syscall(SYS_##name, ##__VA_ARGS__)

static char path[32] = "fifo";
static int moved, ends[2];

static void wait_ms(long ms)
{
	const struct timespec time = { .tv_nsec = ms * 1000000 };

	(void)nanosleep(&time, NULL);
}

static void ignore(int number)
{
	(void)number;
}

static void *open_fifo(void *unused)
{
	(void)CALL(openat, AT_FDCWD, path, O_RDONLY);
	return unused;
}

static void *read_pipe(void *unused)
{
	char byte;

	(void)CALL(read, ends[0], &byte, 1);
	return unused;
}

static void times(void)
{
	struct timespec time = { .tv_nsec = 50000000 }, long_time = { .tv_sec = 7 };
	const struct itimerval soon = { .it_value.tv_usec = 50000 };
	const struct sigaction action = { .sa_handler = ignore };

	(void)CALL(pselect6, 0, NULL, NULL, NULL, &time, NULL);
	time.tv_nsec = 60000000;
	(void)CALL(ppoll, NULL, 0, &time, NULL, 8);
	(void)sigaction(SIGALRM, &action, NULL);
	(void)setitimer(ITIMER_REAL, &soon, NULL);
	(void)CALL(nanosleep, &long_time, &long_time);
}

static void paths(void)
{
	char link[32] = "link";
	pthread_t thread;

	(void)symlink("target", link);
	(void)CALL(readlinkat, AT_FDCWD, link, link, sizeof(link));
	(void)mkfifo(path, 0600);
	(void)pthread_create(&thread, NULL, open_fifo, NULL);
	wait_ms(100);
	memcpy(path, "other", sizeof("other"));
	(void)open("fifo", O_WRONLY);
	(void)pthread_join(thread, NULL);
}

static void descriptors(void)
{
	const uint64_t set = 0;
	pthread_t thread;
	int fd = (int)CALL(signalfd4, -1, &set, sizeof(set), 0); /* no name is known */

	(void)CALL(lseek, fd, 123, SEEK_SET);
	(void)close(fd);
	(void)CALL(openat, AT_FDCWD, "/etc/passwd", O_RDONLY);
	(void)CALL(lseek, fd, 124, SEEK_SET);
	moved = (int)CALL(fcntl, fd, F_DUPFD, 40);
	(void)CALL(lseek, moved, 125, SEEK_SET);
	(void)pipe(ends);
	(void)pthread_create(&thread, NULL, read_pipe, NULL);
	wait_ms(100);
	/* The read goes on with the pipe. */
	(void)dup2(fd, ends[0]);
	(void)write(ends[1], "!", 1);
	(void)pthread_join(thread, NULL);
	(void)CALL(lseek, ends[0], 126, SEEK_SET);
}

int main(void)
{
	times();
	paths();
	descriptors();
	return 0;
}
