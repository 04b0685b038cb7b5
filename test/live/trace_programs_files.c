/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs about files, memory and sockets (see trace_programs.c). */
#include <fcntl.h>
#include <linux/openat2.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>

#include "trace_programs.h"

static char data[4096];

static int new_file(void)
{
	return FD(openat, AT_FDCWD, "made", O_RDWR | O_CREAT | O_TRUNC, 0644);
}

static void open_flags(void)
{
	CALL(openat, AT_FDCWD, ".", O_RDONLY | O_DIRECTORY | O_NOATIME);
	CALL(openat, AT_FDCWD, ".", O_TMPFILE | O_RDWR, 0600);
	CALL(openat, AT_FDCWD, "/dev/null", O_WRONLY | O_SYNC | O_NOCTTY);
	CALL(openat, AT_FDCWD, "/dev/null", O_RDWR | O_DSYNC | O_PATH);
	CALL(openat, AT_FDCWD, "", O_RDONLY);
}

static void open_errors(void)
{
	CALL(openat, 77, "x", O_RDONLY);
	CALL(openat, AT_FDCWD, NULL, O_RDONLY);
	CALL(openat, AT_FDCWD, (char *)-1, O_RDONLY);
	CALL(openat, AT_FDCWD, "/etc/passwd/x", O_RDONLY);
	CALL(openat, AT_FDCWD, "/", O_WRONLY);
}

static void open_how(void)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC, .resolve = RESOLVE_BENEATH };

	CALL(openat2, AT_FDCWD, "/etc/passwd", &how, sizeof(how));
	how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
	CALL(openat2, AT_FDCWD, "/etc/passwd", &how, sizeof(how));
}

static void read_write(void)
{
	int fd = new_file();

	CALL(write, fd, "text with \"quotes\"\t\001\377", 20);
	CALL(write, fd, "", 0);
	CALL(pwrite64, fd, "far", 3, 1ull << 33);
	CALL(lseek, fd, -2, SEEK_END);
	CALL(lseek, fd, 0, SEEK_HOLE);
	CALL(pread64, fd, data, 40, 2);
	CALL(read, fd, data, 0);
	CALL(read, fd, (char *)8, 10);
	CALL(write, -1, "x", 1);
	CALL(ftruncate, fd, 1ull << 32);
	CALL(ftruncate, fd, -1);
}

static void vectors(void)
{
	struct iovec in[] = { { (char *)"one ", 4 }, { (char *)"two\n", 4 } };
	struct iovec out[] = { { data, 3 }, { data + 100, 100 } };
	int fd = new_file();

	CALL(writev, fd, in, 2);
	CALL(pwritev, fd, in, 1, 8, 0);
	CALL(lseek, fd, 0, SEEK_SET);
	CALL(readv, fd, out, 2);
	CALL(preadv, fd, out, 1, 4, 0);
	CALL(writev, fd, in, 0);
	CALL(writev, fd, (void *)16, 1);
}

static void links(void)
{
	CALL(symlinkat, "target", AT_FDCWD, "link");
	CALL(readlinkat, AT_FDCWD, "link", data, 100);
	CALL(readlinkat, AT_FDCWD, "link", data, 3);
	CALL(readlinkat, AT_FDCWD, "nothing", data, 3);
	CALL(linkat, AT_FDCWD, "link", AT_FDCWD, "other", 0);
	CALL(renameat2, AT_FDCWD, "link", AT_FDCWD, "other", 2);
	CALL(unlinkat, AT_FDCWD, "other", 0);
	CALL(unlinkat, AT_FDCWD, ".", AT_REMOVEDIR);
}

static void folders(void)
{
	CALL(mkdirat, AT_FDCWD, "folder", 0700);
	CALL(mkdirat, AT_FDCWD, "folder", 01777);
	CALL(chdir, "folder");
	CALL(getcwd, data, 1);
	CALL(fchdir, 99);
	CALL(chdir, "..");
	CALL(unlinkat, AT_FDCWD, "folder", AT_REMOVEDIR);
	CALL(mount, "none", "/nonexistent", "tmpfs", MS_NOSUID | MS_NODEV | MS_STRICTATIME, NULL);
	CALL(mount, "none", "/nonexistent", "tmpfs", MS_RDONLY | MS_RELATIME, NULL);
}

static void modes(void)
{
	int fd = new_file();

	CALL(fchmod, fd, 04755);
	CALL(fchmodat, AT_FDCWD, "made", 0);
	CALL(fchownat, AT_FDCWD, "made", -1, -1, AT_SYMLINK_NOFOLLOW);
	CALL(faccessat, AT_FDCWD, "made", F_OK);
	CALL(faccessat2, AT_FDCWD, "made", X_OK, AT_EACCESS);
	CALL(umask, 0);
	CALL(umask, 0777);
}

static void stats(void)
{
	struct stat stat;
	struct statx statx;
	struct statfs statfs;

	CALL(newfstatat, AT_FDCWD, "/dev/null", &stat, 0);
	CALL(newfstatat, AT_FDCWD, "/dev", &stat, AT_NO_AUTOMOUNT);
	CALL(statx, AT_FDCWD, "/dev", AT_STATX_SYNC_AS_STAT, STATX_BASIC_STATS, &statx);
	CALL(statx, AT_FDCWD, "/none", AT_SYMLINK_NOFOLLOW, STATX_MODE | STATX_SIZE, &statx);
	CALL(statfs, "/none", &statfs);
}

static void times_of_files(void)
{
	const struct timespec pair[2] = { { 1, 2 }, { 3, 4 } };

	(void)new_file();
	CALL(utimensat, AT_FDCWD, "made", pair, 0);
	CALL(utimensat, AT_FDCWD, "made", NULL, AT_SYMLINK_NOFOLLOW);
}

static void descriptors(void)
{
	int fd = new_file();

	CALL(dup, fd);
	CALL(dup3, fd, 30, O_CLOEXEC);
	CALL(dup3, fd, fd, 0);
	CALL(fcntl, fd, F_DUPFD_CLOEXEC, 40);
	CALL(fcntl, fd, F_SETFD, FD_CLOEXEC);
	CALL(fcntl, fd, F_SETFL, O_APPEND | O_NONBLOCK);
	CALL(fcntl, 99, F_GETFD);
	CALL(close_range, 30, 50, 0);
	CALL(close, fd);
	CALL(close, -1);
}

static void locks(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 3, .l_len = 10 };
	int fd = new_file();

	CALL(fcntl, fd, F_SETLK, &lock);
	lock.l_type = F_UNLCK;
	CALL(fcntl, fd, F_SETLKW, &lock);
	CALL(flock, fd, 1 | 4);
	CALL(flock, fd, 8);
}

static void space(void)
{
	int fd = new_file();

	CALL(fallocate, fd, 0, 0, 8192);
	CALL(fallocate, fd, 3, 0, 4096);
	CALL(fadvise64, fd, 0, 0, 4);
	CALL(fsync, fd);
	CALL(fdatasync, 99);
	CALL(sync_file_range, fd, 0, 100, 7);
}

static void pipes(void)
{
	int pair[2], other[2];

	CALL(pipe2, pair, O_NONBLOCK);
	CALL(pipe2, other, 0);
	CALL(read, pair[0], data, 10);
	CALL(write, pair[1], "abc", 3);
	CALL(tee, pair[0], other[1], 2, 2);
	CALL(splice, pair[0], NULL, other[1], NULL, 2, 3);
	CALL(ioctl, pair[0], FIONREAD, data);
	CALL(pipe2, (int *)4, 0);
	CALL(pipe2, pair, 1);
}

static void mappings(void)
{
	char *at = (char *)syscall(SYS_mmap, NULL, 16384, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	CALL(mprotect, at, 4096, PROT_READ | PROT_EXEC);
	CALL(madvise, at, 4096, MADV_WILLNEED);
	CALL(madvise, at, 4096, MADV_COLD);
	CALL(mremap, at, 16384, 8192, 0);
	CALL(mremap, at, 8192, 32768, MREMAP_MAYMOVE);
	CALL(msync, 4096, 4096, MS_SYNC);
	CALL(mlock, 4096, 4096);
	CALL(munlockall);
	CALL(munmap, 4097, 10);
	CALL(mmap, NULL, 4096, PROT_NONE, MAP_SHARED | MAP_FIXED_NOREPLACE, 99, 4096);
}

static void socket_kinds(void)
{
	CALL(socket, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, IPPROTO_TCP);
	CALL(socket, AF_INET6, SOCK_DGRAM, IPPROTO_IP);
	CALL(socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	CALL(socket, 98, SOCK_RAW, 3);
	CALL(socket, AF_INET, 9, 0);
}

static void socket_options(void)
{
	int fd = FD(socket, AF_INET, SOCK_STREAM, IPPROTO_TCP), value = 1;
	socklen_t len = sizeof(value);

	CALL(setsockopt, fd, SOL_SOCKET, SO_REUSEADDR, &value, len);
	CALL(setsockopt, fd, SOL_TCP, TCP_NODELAY, &value, len);
	CALL(setsockopt, fd, SOL_IP, IP_TTL, &value, len);
	CALL(getsockopt, fd, SOL_SOCKET, SO_TYPE, &value, &len);
	CALL(getsockopt, fd, SOL_SOCKET, 999, &value, &len);
}

static void addresses(void)
{
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000001) };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(9) };
	struct sockaddr_un path = { .sun_family = AF_UNIX, .sun_path = "here" };
	struct sockaddr_un hidden = { .sun_family = AF_UNIX, .sun_path = "\0hidden" };
	int fd = FD(socket, AF_INET, SOCK_STREAM, 0), local = FD(socket, AF_UNIX, SOCK_STREAM, 0);

	CALL(bind, fd, &four, sizeof(four));
	CALL(listen, fd, 5);
	CALL(connect, fd, &six, sizeof(six));
	CALL(bind, local, &path, 2 + 5);
	CALL(connect, local, &hidden, 2 + 7);
	CALL(getpeername, fd, &four, &(socklen_t){ sizeof(four) });
	CALL(accept4, -1, NULL, NULL, SOCK_CLOEXEC);
}

static void messages(void)
{
	struct iovec part = { (char *)"message", 7 };
	struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };
	int pair[2];

	CALL(socketpair, AF_UNIX, SOCK_DGRAM, 0, pair);
	CALL(sendmsg, pair[0], &header, MSG_DONTWAIT);
	part.iov_base = data;
	part.iov_len = 100;
	CALL(recvmsg, pair[1], &header, 0);
	CALL(sendto, pair[0], "12345", 5, MSG_MORE | MSG_NOSIGNAL, NULL, 0);
	CALL(recvfrom, pair[1], data, 3, MSG_TRUNC, NULL, NULL);
	CALL(recvfrom, pair[1], data, 3, MSG_DONTWAIT, NULL, NULL);
	CALL(shutdown, pair[0], SHUT_RDWR);
	CALL(sendto, 99, NULL, 0, 0, NULL, 0);
}

static void polls(void)
{
	struct pollfd poll[2] = { { 0, POLLIN, 0 }, { -1, POLLOUT | POLLERR, 0 } };
	const struct timespec none = { 0, 1000 };
	int pair[2];

	CALL(pipe2, pair, 0);
	poll[0].fd = pair[0];
	CALL(ppoll, poll, 2, &none, NULL, 8);
	CALL(write, pair[1], "x", 1);
	CALL(ppoll, poll, 1, &none, NULL, 8);
	CALL(ppoll, NULL, 0, &none, NULL, 8);
}

static void selects(void)
{
	struct timespec none = { 0, 1000 };
	int pair[2];
	fd_set set;

	CALL(pipe2, pair, 0);
	FD_ZERO(&set);
	FD_SET(pair[0], &set);
	CALL(pselect6, pair[0] + 1, &set, NULL, NULL, &none, NULL);
	CALL(pselect6, 0, NULL, NULL, NULL, &none, NULL);
	CALL(pselect6, -1, NULL, NULL, NULL, NULL, NULL);
}

static void epolls(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLONESHOT, .data.u32 = 7 };
	int epoll = FD(epoll_create1, EPOLL_CLOEXEC), fd = FD(eventfd2, 3, EFD_NONBLOCK);

	CALL(epoll_ctl, epoll, EPOLL_CTL_ADD, fd, &event);
	CALL(epoll_ctl, epoll, EPOLL_CTL_ADD, fd, &event);
	CALL(epoll_ctl, epoll, EPOLL_CTL_DEL, fd, NULL);
	CALL(epoll_pwait, epoll, data, 4, 0, NULL, 8);
	CALL(epoll_ctl, 99, 55, 98, &event);
}

static void event_files(void)
{
	const struct itimerspec time = { { 0, 0 }, { 5, 6 } };
	struct itimerspec old;
	int fd = FD(timerfd_create, CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

	CALL(timerfd_settime, fd, 0, &time, NULL);
	CALL(timerfd_settime, fd, TFD_TIMER_ABSTIME, &time, NULL);
	CALL(timerfd_gettime, 99, &old);
	CALL(eventfd2, 0, EFD_SEMAPHORE | EFD_CLOEXEC);
	fd = FD(inotify_init1, IN_NONBLOCK);
	CALL(inotify_add_watch, fd, ".", IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
	CALL(inotify_rm_watch, fd, 77);
	CALL(memfd_create, "name", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	CALL(signalfd4, -1, &(uint64_t){ 1ull << (SIGUSR1 - 1) }, 8, O_CLOEXEC);
}

static void xattrs(void)
{
	(void)new_file();
	CALL(setxattr, "made", "user.key", "value", 5, 1);
	CALL(getxattr, "made", "user.key", data, 100);
	CALL(getxattr, "made", "user.none", data, 100);
	CALL(lsetxattr, "nothing", "user.key", "v", 1, 0);
	CALL(removexattr, "made", "user.none");
}

/* clang-format off */
const struct program file_programs[] = {
	PROGRAM(open_flags), PROGRAM(open_errors), PROGRAM(open_how), PROGRAM(read_write),
	PROGRAM(vectors), PROGRAM(links), PROGRAM(folders), PROGRAM(modes), PROGRAM(stats),
	PROGRAM(times_of_files), PROGRAM(descriptors), PROGRAM(locks), PROGRAM(space),
	PROGRAM(pipes), PROGRAM(mappings), PROGRAM(socket_kinds), PROGRAM(socket_options),
	PROGRAM(addresses), PROGRAM(messages), PROGRAM(polls), PROGRAM(selects),
	PROGRAM(epolls), PROGRAM(event_files), PROGRAM(xattrs),
	{ NULL, NULL },
};
/* clang-format on */
