/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes system calls with usual and unusual arguments, between two calls of getpgid(-7): for
 * comparing tracers line by line. Runs in an empty folder. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CALL(name, ...) syscall(SYS_##name, ##__VA_ARGS__)

static char long_path[600], bytes[64];

static void files(void)
{
	struct stat stat;
	char data[100];
	int fd = (int)CALL(openat, AT_FDCWD, "made", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);

	(void)CALL(write, fd, "line\n\t\"quoted\"\\", 15);
	(void)CALL(write, fd, bytes, sizeof(bytes));
	(void)CALL(lseek, fd, 0, SEEK_SET);
	(void)CALL(read, fd, data, 5);
	(void)CALL(pread64, fd, data, sizeof(data), 4);
	(void)CALL(pwrite64, fd, "x", 1, 100);
	(void)CALL(newfstatat, fd, "", &stat, AT_EMPTY_PATH);
	(void)CALL(newfstatat, AT_FDCWD, "/", &stat, AT_SYMLINK_NOFOLLOW);
	(void)CALL(newfstatat, AT_FDCWD, "missing", &stat, 0);
	(void)CALL(ftruncate, fd, 10);
	(void)CALL(fallocate, fd, 0, 0, 4096);
	(void)CALL(fsync, fd);
	(void)CALL(fchmod, fd, 0600);
	(void)CALL(flock, fd, LOCK_EX | LOCK_NB);
	(void)CALL(fcntl, fd, F_GETFD);
	(void)CALL(dup, fd);
	(void)CALL(close, fd + 1);
	(void)CALL(dup3, fd, 20, O_CLOEXEC);
	(void)CALL(close, 20);
	(void)CALL(close, fd);
	(void)CALL(close, 9999);
	(void)CALL(openat, -1, "relative", O_RDONLY);
	(void)CALL(openat, AT_FDCWD, long_path, O_RDONLY | O_NOFOLLOW | O_DIRECTORY);
	(void)CALL(openat, AT_FDCWD, (char *)8, O_WRONLY | O_APPEND);
	(void)CALL(openat, AT_FDCWD, "tab\there", O_RDONLY | O_NONBLOCK);
	(void)CALL(faccessat, AT_FDCWD, "made", R_OK | W_OK);
	(void)CALL(mkdirat, AT_FDCWD, "folder", 0755);
	(void)CALL(linkat, AT_FDCWD, "made", AT_FDCWD, "folder/other", 0);
	(void)CALL(symlinkat, "made", AT_FDCWD, "link");
	(void)CALL(readlinkat, AT_FDCWD, "link", data, sizeof(data));
	(void)CALL(renameat, AT_FDCWD, "link", AT_FDCWD, "folder/link");
	(void)CALL(unlinkat, AT_FDCWD, "folder/link", 0);
	(void)CALL(unlinkat, AT_FDCWD, "folder", AT_REMOVEDIR);
	(void)CALL(chdir, "folder");
	(void)CALL(getcwd, data, sizeof(data));
	(void)CALL(umask, 027);
}

static void memory(void)
{
	void *at = (void *)CALL(mmap, NULL, 8192, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)CALL(mprotect, at, 4096, PROT_NONE);
	(void)CALL(madvise, at, 8192, MADV_DONTNEED);
	(void)CALL(munmap, at, 8192);
	(void)CALL(munmap, 1, 8192);
	(void)CALL(mmap, NULL, 0, PROT_READ, MAP_SHARED, -1, 0);
}

static void sockets(void)
{
	struct sockaddr_un local = { .sun_family = AF_UNIX, .sun_path = "/nowhere/socket" };
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons(1) };
	int fd = (int)CALL(socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), pair[2];

	four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	(void)CALL(connect, fd, &local, 2 + strlen(local.sun_path) + 1);
	(void)CALL(close, fd);
	fd = (int)CALL(socket, AF_INET, SOCK_DGRAM, 0);
	(void)CALL(bind, fd, &four, sizeof(four));
	(void)CALL(connect, fd, &four, sizeof(four));
	(void)CALL(close, fd);
	(void)CALL(socketpair, AF_UNIX, SOCK_SEQPACKET, 0, pair);
	(void)CALL(sendto, pair[0], "hello", 5, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
	(void)CALL(recvfrom, pair[1], bytes, sizeof(bytes), MSG_PEEK, NULL, NULL);
	(void)CALL(shutdown, pair[0], SHUT_WR);
	(void)CALL(close, pair[0]);
	(void)CALL(close, pair[1]);
	(void)CALL(socket, 99, SOCK_RAW, 0);
}

static void waits(void)
{
	const struct timespec short_time = { 0, 1000000 };
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	struct pollfd poll = { 0, POLLIN | POLLOUT, 0 };
	struct rlimit limit;
	int pair[2], status, epoll = (int)CALL(epoll_create1, EPOLL_CLOEXEC);
	struct timespec now;
	pid_t child;

	(void)CALL(pipe2, pair, O_CLOEXEC | O_NONBLOCK);
	poll.fd = pair[1];
	(void)CALL(poll, &poll, 1, 0);
	(void)CALL(epoll_ctl, epoll, EPOLL_CTL_ADD, pair[0], &event);
	(void)CALL(read, pair[0], bytes, 10);
	(void)CALL(clock_gettime, CLOCK_BOOTTIME, NULL);
	(void)CALL(clock_getres, CLOCK_MONOTONIC, &now);
	(void)CALL(nanosleep, &short_time, NULL);
	(void)CALL(clock_nanosleep, CLOCK_MONOTONIC, 0, &short_time, NULL);
	(void)CALL(prlimit64, 0, RLIMIT_NOFILE, NULL, &limit);
	(void)CALL(ioctl, pair[0], FIONREAD, &status);
	(void)CALL(ioctl, pair[0], TCGETS, bytes);
	(void)CALL(kill, getpid(), 0);
	(void)CALL(kill, -999999, SIGUSR1);
	(void)CALL(sched_yield);
	(void)CALL(wait4, -1, &status, WNOHANG, NULL);
	child = fork();
	if (child == 0)
		_exit(3);
	while (CALL(wait4, child, &status, 0, NULL) < 0 && errno == EINTR)
		;
}

int main(void)
{
	memset(long_path, 'x', sizeof(long_path) - 1);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7);
	(void)CALL(getpgid, -7);
	files();
	memory();
	sockets();
	waits();
	(void)CALL(getpgid, -7);
	return 0;
}
