/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of constants in arguments of system calls (see syscall_args.h). */
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/random.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "source/syscall/syscall_args.h"

#define BIT(name)              \
	{                      \
		name, #name, 0 \
	}
#define VALUE(name)                     \
	{                               \
		name, #name, UINT64_MAX \
	}
#define FIELD(name, mask)         \
	{                         \
		name, #name, mask \
	}
#define SET(flags)                                      \
	{                                               \
		flags, sizeof(flags) / sizeof(*(flags)) \
	}

/* clang-format off */
static const struct syscall_flag open_flags[] = {
	FIELD(O_RDONLY, O_ACCMODE), FIELD(O_WRONLY, O_ACCMODE), FIELD(O_RDWR, O_ACCMODE),
	BIT(O_CREAT), BIT(O_EXCL), BIT(O_NOCTTY), BIT(O_TRUNC), BIT(O_APPEND), BIT(O_NONBLOCK),
	FIELD(O_SYNC, O_SYNC), BIT(O_DSYNC), BIT(O_DIRECT), { 0100000, "O_LARGEFILE", 0 },
	FIELD(O_TMPFILE, O_TMPFILE), BIT(O_DIRECTORY), BIT(O_NOFOLLOW), BIT(O_NOATIME),
	BIT(O_CLOEXEC),
	BIT(O_PATH),
};
static const struct syscall_flag fd_flags[] = {
	BIT(O_NONBLOCK), BIT(O_CLOEXEC), BIT(O_DIRECT),
};
static const struct syscall_flag access_modes[] = {
	VALUE(F_OK), BIT(R_OK), BIT(W_OK), BIT(X_OK),
};
static const struct syscall_flag at_flags[] = {
	BIT(AT_SYMLINK_NOFOLLOW), BIT(AT_REMOVEDIR), BIT(AT_SYMLINK_FOLLOW), BIT(AT_NO_AUTOMOUNT),
	BIT(AT_EMPTY_PATH),
};
static const struct syscall_flag seeks[] = {
	VALUE(SEEK_SET), VALUE(SEEK_CUR), VALUE(SEEK_END), VALUE(SEEK_DATA), VALUE(SEEK_HOLE),
};
static const struct syscall_flag protections[] = {
	VALUE(PROT_NONE), BIT(PROT_READ), BIT(PROT_WRITE), BIT(PROT_EXEC), BIT(PROT_GROWSDOWN),
};
static const struct syscall_flag map_flags[] = {
	FIELD(MAP_SHARED, MAP_TYPE), FIELD(MAP_PRIVATE, MAP_TYPE),
	FIELD(MAP_SHARED_VALIDATE, MAP_TYPE),
	BIT(MAP_FIXED), BIT(MAP_ANONYMOUS), BIT(MAP_GROWSDOWN), BIT(MAP_DENYWRITE), BIT(MAP_LOCKED),
	BIT(MAP_NORESERVE), BIT(MAP_POPULATE), BIT(MAP_NONBLOCK), BIT(MAP_STACK), BIT(MAP_HUGETLB),
	BIT(MAP_FIXED_NOREPLACE),
};
static const struct syscall_flag advices[] = {
	VALUE(MADV_NORMAL), VALUE(MADV_RANDOM), VALUE(MADV_SEQUENTIAL), VALUE(MADV_WILLNEED),
	VALUE(MADV_DONTNEED), VALUE(MADV_FREE), VALUE(MADV_REMOVE), VALUE(MADV_DONTFORK),
	VALUE(MADV_HUGEPAGE), VALUE(MADV_NOHUGEPAGE), VALUE(MADV_DONTDUMP),
	VALUE(MADV_POPULATE_READ),
	VALUE(MADV_POPULATE_WRITE),
};
static const struct syscall_flag futex_ops[] = {
	FIELD(FUTEX_WAIT, FUTEX_CMD_MASK), FIELD(FUTEX_WAKE, FUTEX_CMD_MASK),
	FIELD(FUTEX_REQUEUE, FUTEX_CMD_MASK), FIELD(FUTEX_CMP_REQUEUE, FUTEX_CMD_MASK),
	FIELD(FUTEX_WAKE_OP, FUTEX_CMD_MASK), FIELD(FUTEX_LOCK_PI, FUTEX_CMD_MASK),
	FIELD(FUTEX_UNLOCK_PI, FUTEX_CMD_MASK), FIELD(FUTEX_TRYLOCK_PI, FUTEX_CMD_MASK),
	FIELD(FUTEX_WAIT_BITSET, FUTEX_CMD_MASK), FIELD(FUTEX_WAKE_BITSET, FUTEX_CMD_MASK),
	BIT(FUTEX_PRIVATE_FLAG), BIT(FUTEX_CLOCK_REALTIME),
};
static const struct syscall_flag clone_flags[] = {
	BIT(CLONE_VM), BIT(CLONE_FS), BIT(CLONE_FILES), BIT(CLONE_SIGHAND), BIT(CLONE_PIDFD),
	BIT(CLONE_PTRACE), BIT(CLONE_VFORK), BIT(CLONE_PARENT), BIT(CLONE_THREAD), BIT(CLONE_NEWNS),
	BIT(CLONE_SYSVSEM), BIT(CLONE_SETTLS), BIT(CLONE_PARENT_SETTID), BIT(CLONE_CHILD_CLEARTID),
	BIT(CLONE_CHILD_SETTID), BIT(CLONE_NEWCGROUP), BIT(CLONE_NEWUTS), BIT(CLONE_NEWIPC),
	BIT(CLONE_NEWUSER), BIT(CLONE_NEWPID), BIT(CLONE_NEWNET), { 17, "SIGCHLD", 0xff },
};
static const struct syscall_flag families[] = {
	VALUE(AF_UNSPEC), VALUE(AF_UNIX), VALUE(AF_INET), VALUE(AF_INET6), VALUE(AF_NETLINK),
	VALUE(AF_PACKET), VALUE(AF_VSOCK), VALUE(AF_ALG),
};
static const struct syscall_flag socket_types[] = {
	FIELD(SOCK_STREAM, 0xf), FIELD(SOCK_DGRAM, 0xf), FIELD(SOCK_RAW, 0xf),
	FIELD(SOCK_SEQPACKET, 0xf),
	BIT(SOCK_CLOEXEC), BIT(SOCK_NONBLOCK),
};
static const struct syscall_flag message_flags[] = {
	BIT(MSG_OOB), BIT(MSG_PEEK), BIT(MSG_DONTROUTE), BIT(MSG_TRUNC), BIT(MSG_DONTWAIT),
	BIT(MSG_WAITALL), BIT(MSG_NOSIGNAL), BIT(MSG_MORE), BIT(MSG_CMSG_CLOEXEC),
};
static const struct syscall_flag shutdowns[] = {
	VALUE(SHUT_RD), VALUE(SHUT_WR), VALUE(SHUT_RDWR),
};
static const struct syscall_flag fcntls[] = {
	VALUE(F_DUPFD), VALUE(F_GETFD), VALUE(F_SETFD), VALUE(F_GETFL), VALUE(F_SETFL),
	VALUE(F_GETLK),
	VALUE(F_SETLK), VALUE(F_SETLKW), VALUE(F_SETOWN), VALUE(F_GETOWN), VALUE(F_DUPFD_CLOEXEC),
	VALUE(F_SETPIPE_SZ), VALUE(F_GETPIPE_SZ), VALUE(F_ADD_SEALS), VALUE(F_GET_SEALS),
	VALUE(F_OFD_SETLK), VALUE(F_OFD_SETLKW),
};
static const struct syscall_flag epoll_ops[] = {
	VALUE(EPOLL_CTL_ADD), VALUE(EPOLL_CTL_DEL), VALUE(EPOLL_CTL_MOD),
};
static const struct syscall_flag mask_hows[] = {
	{ 0, "SIG_BLOCK", UINT64_MAX }, { 1, "SIG_UNBLOCK", UINT64_MAX },
	{ 2, "SIG_SETMASK", UINT64_MAX },
};
static const struct syscall_flag clocks[] = {
	VALUE(CLOCK_REALTIME), VALUE(CLOCK_MONOTONIC), VALUE(CLOCK_PROCESS_CPUTIME_ID),
	VALUE(CLOCK_THREAD_CPUTIME_ID), VALUE(CLOCK_MONOTONIC_RAW), VALUE(CLOCK_REALTIME_COARSE),
	VALUE(CLOCK_MONOTONIC_COARSE), VALUE(CLOCK_BOOTTIME),
};
static const struct syscall_flag wait_flags[] = {
	BIT(WNOHANG), BIT(WSTOPPED), BIT(WEXITED), BIT(WCONTINUED), BIT(WNOWAIT),
	{ 0x20000000, "__WNOTHREAD", 0 }, { 0x40000000, "__WALL", 0 },
	{ 0x80000000, "__WCLONE", 0 },
};
static const struct syscall_flag resources[] = {
	VALUE(RLIMIT_CPU), VALUE(RLIMIT_FSIZE), VALUE(RLIMIT_DATA), VALUE(RLIMIT_STACK),
	VALUE(RLIMIT_CORE), VALUE(RLIMIT_RSS), VALUE(RLIMIT_NPROC), VALUE(RLIMIT_NOFILE),
	VALUE(RLIMIT_MEMLOCK), VALUE(RLIMIT_AS), VALUE(RLIMIT_LOCKS), VALUE(RLIMIT_SIGPENDING),
	VALUE(RLIMIT_MSGQUEUE), VALUE(RLIMIT_NICE), VALUE(RLIMIT_RTPRIO), VALUE(RLIMIT_RTTIME),
};
static const struct syscall_flag prctls[] = {
	VALUE(PR_SET_PDEATHSIG), VALUE(PR_GET_DUMPABLE), VALUE(PR_SET_DUMPABLE), VALUE(PR_SET_NAME),
	VALUE(PR_GET_NAME), VALUE(PR_SET_SECCOMP), VALUE(PR_CAPBSET_READ),
	VALUE(PR_SET_NO_NEW_PRIVS),
	VALUE(PR_SET_KEEPCAPS), VALUE(PR_SET_CHILD_SUBREAPER), VALUE(PR_SET_VMA),
};
static const struct syscall_flag ioctls[] = {
	VALUE(TCGETS), VALUE(TCSETS), VALUE(TCSETSW), VALUE(TIOCGWINSZ), VALUE(TIOCSWINSZ),
	VALUE(TIOCGPGRP), VALUE(TIOCSPGRP), VALUE(FIONREAD), VALUE(FIONBIO), VALUE(FIOCLEX),
	VALUE(FIONCLEX), VALUE(TIOCGPTN), VALUE(TIOCSCTTY), { 0x40049409, "FICLONE", UINT64_MAX },
};
static const struct syscall_flag locks[] = {
	FIELD(LOCK_SH, 0xf & ~LOCK_NB), FIELD(LOCK_EX, 0xf & ~LOCK_NB),
	FIELD(LOCK_UN, 0xf & ~LOCK_NB),
	BIT(LOCK_NB),
};
static const struct syscall_flag random_flags[] = {
	BIT(GRND_NONBLOCK), BIT(GRND_RANDOM), BIT(GRND_INSECURE),
};
static const struct syscall_flag socket_levels[] = {
	VALUE(SOL_SOCKET), { 0, "SOL_IP", UINT64_MAX }, { 6, "SOL_TCP", UINT64_MAX },
	{ 17, "SOL_UDP", UINT64_MAX }, { 41, "SOL_IPV6", UINT64_MAX }, VALUE(SOL_NETLINK),
};
static const struct syscall_flag socket_options[] = {
	VALUE(SO_DEBUG), VALUE(SO_REUSEADDR), VALUE(SO_TYPE), VALUE(SO_ERROR), VALUE(SO_DONTROUTE),
	VALUE(SO_BROADCAST), VALUE(SO_SNDBUF), VALUE(SO_RCVBUF), VALUE(SO_KEEPALIVE),
	VALUE(SO_OOBINLINE), VALUE(SO_PRIORITY), VALUE(SO_LINGER), VALUE(SO_REUSEPORT),
	VALUE(SO_PASSCRED), VALUE(SO_PEERCRED), VALUE(SO_RCVLOWAT), VALUE(SO_SNDLOWAT),
	VALUE(SO_ACCEPTCONN), VALUE(SO_PROTOCOL), VALUE(SO_DOMAIN), VALUE(SO_BINDTODEVICE),
	VALUE(SO_SNDBUFFORCE), VALUE(SO_RCVBUFFORCE), VALUE(SO_INCOMING_CPU), VALUE(SO_MARK),
};
static const struct syscall_flag arch_prctls[] = {
	{ 0x1001, "ARCH_SET_GS", UINT64_MAX }, { 0x1002, "ARCH_SET_FS", UINT64_MAX },
	{ 0x1003, "ARCH_GET_FS", UINT64_MAX }, { 0x1004, "ARCH_GET_GS", UINT64_MAX },
	{ 0x1011, "ARCH_GET_CPUID", UINT64_MAX }, { 0x1012, "ARCH_SET_CPUID", UINT64_MAX },
};

static const struct syscall_flag_set sets[ARG_COUNT - ARG_FLAGS] = {
	[ARG_OPEN - ARG_FLAGS] = SET(open_flags),
	[ARG_FD_FLAGS - ARG_FLAGS] = SET(fd_flags),
	[ARG_ACCESS - ARG_FLAGS] = SET(access_modes),
	[ARG_AT - ARG_FLAGS] = SET(at_flags),
	[ARG_SEEK - ARG_FLAGS] = SET(seeks),
	[ARG_PROT - ARG_FLAGS] = SET(protections),
	[ARG_MAP - ARG_FLAGS] = SET(map_flags),
	[ARG_MADVISE - ARG_FLAGS] = SET(advices),
	[ARG_FUTEX - ARG_FLAGS] = SET(futex_ops),
	[ARG_CLONE - ARG_FLAGS] = SET(clone_flags),
	[ARG_FAMILY - ARG_FLAGS] = SET(families),
	[ARG_SOCKET - ARG_FLAGS] = SET(socket_types),
	[ARG_MSG - ARG_FLAGS] = SET(message_flags),
	[ARG_SHUTDOWN - ARG_FLAGS] = SET(shutdowns),
	[ARG_FCNTL - ARG_FLAGS] = SET(fcntls),
	[ARG_EPOLL_OP - ARG_FLAGS] = SET(epoll_ops),
	[ARG_SIGMASK_HOW - ARG_FLAGS] = SET(mask_hows),
	[ARG_CLOCK - ARG_FLAGS] = SET(clocks),
	[ARG_WAIT - ARG_FLAGS] = SET(wait_flags),
	[ARG_RESOURCE - ARG_FLAGS] = SET(resources),
	[ARG_PRCTL - ARG_FLAGS] = SET(prctls),
	[ARG_IOCTL - ARG_FLAGS] = SET(ioctls),
	[ARG_LOCK - ARG_FLAGS] = SET(locks),
	[ARG_RANDOM - ARG_FLAGS] = SET(random_flags),
	[ARG_SOCKET_LEVEL - ARG_FLAGS] = SET(socket_levels),
	[ARG_SOL_SOCKET - ARG_FLAGS] = SET(socket_options),
	[ARG_ARCH_PRCTL - ARG_FLAGS] = SET(arch_prctls),
};
/* clang-format on */

const struct syscall_flag_set *syscall_flags(enum syscall_arg arg)
{
	return arg >= ARG_FLAGS && arg < ARG_COUNT ? &sets[arg - ARG_FLAGS] : NULL;
}
