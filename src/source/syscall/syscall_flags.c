/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of constants in arguments of system calls (see syscall_args.h). */
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/close_range.h>
#include <linux/falloc.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/openat2.h>
#include <linux/perf_event.h>
#include <linux/random.h>
#include <linux/seccomp.h>
#include <linux/stat.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <sys/xattr.h>
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
	VALUE(MADV_DOFORK), VALUE(MADV_MERGEABLE), VALUE(MADV_UNMERGEABLE), VALUE(MADV_DODUMP),
	VALUE(MADV_WIPEONFORK), VALUE(MADV_KEEPONFORK), VALUE(MADV_COLD), VALUE(MADV_PAGEOUT),
	VALUE(MADV_POPULATE_READ),
	VALUE(MADV_POPULATE_WRITE),
};
static const struct syscall_flag futex_ops[] = {
	FIELD(FUTEX_WAIT_PRIVATE, 0xff), FIELD(FUTEX_WAKE_PRIVATE, 0xff),
	FIELD(FUTEX_REQUEUE_PRIVATE, 0xff), FIELD(FUTEX_CMP_REQUEUE_PRIVATE, 0xff),
	FIELD(FUTEX_WAKE_OP_PRIVATE, 0xff), FIELD(FUTEX_LOCK_PI_PRIVATE, 0xff),
	FIELD(FUTEX_UNLOCK_PI_PRIVATE, 0xff), FIELD(FUTEX_WAIT_BITSET_PRIVATE, 0xff),
	FIELD(FUTEX_WAKE_BITSET_PRIVATE, 0xff),
	FIELD(FUTEX_WAIT, 0xff), FIELD(FUTEX_WAKE, FUTEX_CMD_MASK),
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
	VALUE(F_OFD_SETLK), VALUE(F_OFD_SETLKW), VALUE(F_OFD_GETLK), VALUE(F_SETSIG),
	VALUE(F_GETSIG),
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
	VALUE(CLOCK_MONOTONIC_COARSE), VALUE(CLOCK_BOOTTIME), VALUE(CLOCK_REALTIME_ALARM),
	VALUE(CLOCK_BOOTTIME_ALARM), VALUE(CLOCK_TAI),
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
	VALUE(PR_GET_PDEATHSIG), VALUE(PR_GET_KEEPCAPS), VALUE(PR_GET_SECCOMP),
	VALUE(PR_CAPBSET_DROP), VALUE(PR_GET_NO_NEW_PRIVS), VALUE(PR_SET_TIMERSLACK),
	VALUE(PR_GET_TIMERSLACK), VALUE(PR_SET_MM), VALUE(PR_SET_THP_DISABLE),
	VALUE(PR_CAP_AMBIENT), VALUE(PR_GET_CHILD_SUBREAPER), VALUE(PR_SET_PTRACER),
	VALUE(PR_SCHED_CORE),
};
static const struct syscall_flag ioctls[] = {
	VALUE(TCGETS), VALUE(TCSETS), VALUE(TCSETSW), VALUE(TIOCGWINSZ), VALUE(TIOCSWINSZ),
	VALUE(TIOCGPGRP), VALUE(TIOCSPGRP), VALUE(FIONREAD), VALUE(FIONBIO), VALUE(FIOCLEX),
	VALUE(FIONCLEX), VALUE(TIOCGPTN), VALUE(TIOCSCTTY), VALUE(TCSETSF), VALUE(TIOCOUTQ),
	VALUE(TIOCNOTTY), VALUE(TCFLSH), VALUE(TCSBRK), VALUE(TIOCGSID), VALUE(TIOCSPTLCK),
	VALUE(FIOASYNC), VALUE(SIOCGIFCONF), VALUE(SIOCGIFADDR), VALUE(SIOCGIFFLAGS),
	VALUE(SIOCGIFINDEX), VALUE(PERF_EVENT_IOC_ENABLE), VALUE(PERF_EVENT_IOC_DISABLE),
	VALUE(PERF_EVENT_IOC_RESET), VALUE(PERF_EVENT_IOC_ID), VALUE(PERF_EVENT_IOC_SET_BPF),
	VALUE(PERF_EVENT_IOC_SET_OUTPUT), { 0x1277, "BLKFLSBUF", UINT64_MAX },
	{ 0x40049409, "FICLONE", UINT64_MAX },
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
	VALUE(SO_RCVTIMEO), VALUE(SO_SNDTIMEO), VALUE(SO_PEERNAME), VALUE(SO_TIMESTAMP),
	VALUE(SO_ZEROCOPY), VALUE(SO_BUSY_POLL), VALUE(SO_ATTACH_FILTER), VALUE(SO_COOKIE),
};
static const struct syscall_flag arch_prctls[] = {
	{ 0x1001, "ARCH_SET_GS", UINT64_MAX }, { 0x1002, "ARCH_SET_FS", UINT64_MAX },
	{ 0x1003, "ARCH_GET_FS", UINT64_MAX }, { 0x1004, "ARCH_GET_GS", UINT64_MAX },
	{ 0x1011, "ARCH_GET_CPUID", UINT64_MAX }, { 0x1012, "ARCH_SET_CPUID", UINT64_MAX },
};

static const struct syscall_flag sa_flags[] = {
	{ 0x04000000, "SA_RESTORER", 0 }, BIT(SA_ONSTACK), BIT(SA_RESTART), BIT(SA_NODEFER),
	BIT(SA_RESETHAND), BIT(SA_NOCLDSTOP), BIT(SA_SIGINFO), BIT(SA_NOCLDWAIT),
};
static const struct syscall_flag eventfd_flags[] = {
	BIT(EFD_SEMAPHORE), BIT(EFD_CLOEXEC), BIT(EFD_NONBLOCK),
};
static const struct syscall_flag timerfd_flags[] = { BIT(TFD_CLOEXEC), BIT(TFD_NONBLOCK) };
static const struct syscall_flag epoll_flags[] = { BIT(EPOLL_CLOEXEC) };
static const struct syscall_flag inotify_flags[] = { BIT(IN_NONBLOCK), BIT(IN_CLOEXEC) };
static const struct syscall_flag inotify_masks[] = {
	BIT(IN_ACCESS), BIT(IN_MODIFY), BIT(IN_ATTRIB), BIT(IN_CLOSE_WRITE), BIT(IN_CLOSE_NOWRITE),
	BIT(IN_OPEN), BIT(IN_MOVED_FROM), BIT(IN_MOVED_TO), BIT(IN_CREATE), BIT(IN_DELETE),
	BIT(IN_DELETE_SELF), BIT(IN_MOVE_SELF), BIT(IN_ONLYDIR), BIT(IN_DONT_FOLLOW),
	BIT(IN_EXCL_UNLINK), BIT(IN_MASK_ADD), BIT(IN_ONESHOT),
};
static const struct syscall_flag memfd_flags[] = {
	BIT(MFD_CLOEXEC), BIT(MFD_ALLOW_SEALING), BIT(MFD_HUGETLB),
};
static const struct syscall_flag mremap_flags[] = { BIT(MREMAP_MAYMOVE), BIT(MREMAP_FIXED) };
static const struct syscall_flag msync_flags[] = {
	BIT(MS_ASYNC), BIT(MS_INVALIDATE), BIT(MS_SYNC),
};
static const struct syscall_flag mlockall_flags[] = {
	BIT(MCL_CURRENT), BIT(MCL_FUTURE), BIT(MCL_ONFAULT),
};
static const struct syscall_flag umount_flags[] = {
	BIT(MNT_FORCE), BIT(MNT_DETACH), BIT(MNT_EXPIRE), { 8, "UMOUNT_NOFOLLOW", 0 },
};
static const struct syscall_flag statx_masks[] = {
	FIELD(STATX_ALL, STATX_ALL), FIELD(STATX_BASIC_STATS, STATX_BASIC_STATS), BIT(STATX_TYPE),
	BIT(STATX_MODE), BIT(STATX_NLINK), BIT(STATX_UID), BIT(STATX_GID), BIT(STATX_ATIME),
	BIT(STATX_MTIME), BIT(STATX_CTIME), BIT(STATX_INO), BIT(STATX_SIZE), BIT(STATX_BLOCKS),
	BIT(STATX_BTIME), BIT(STATX_MNT_ID), { 0x2000, "STATX_DIOALIGN", 0 },
};
static const struct syscall_flag statx_flags[] = {
	FIELD(AT_STATX_SYNC_AS_STAT, 0x6000), FIELD(AT_STATX_FORCE_SYNC, 0x6000),
	FIELD(AT_STATX_DONT_SYNC, 0x6000), BIT(AT_SYMLINK_NOFOLLOW), BIT(AT_NO_AUTOMOUNT),
	BIT(AT_EMPTY_PATH),
};
static const struct syscall_flag unlink_flags[] = { BIT(AT_REMOVEDIR) };
static const struct syscall_flag access_flags[] = {
	BIT(AT_EACCESS), BIT(AT_SYMLINK_NOFOLLOW), BIT(AT_EMPTY_PATH),
};
static const struct syscall_flag rename_flags[] = {
	{ 1, "RENAME_NOREPLACE", 0 }, { 2, "RENAME_EXCHANGE", 0 }, { 4, "RENAME_WHITEOUT", 0 },
};
static const struct syscall_flag splice_flags[] = {
	BIT(SPLICE_F_MOVE), BIT(SPLICE_F_NONBLOCK), BIT(SPLICE_F_MORE), BIT(SPLICE_F_GIFT),
};
static const struct syscall_flag policies[] = {
	VALUE(SCHED_OTHER), VALUE(SCHED_FIFO), VALUE(SCHED_RR), VALUE(SCHED_BATCH),
	VALUE(SCHED_IDLE), { 6, "SCHED_DEADLINE", UINT64_MAX },
};
static const struct syscall_flag id_types[] = {
	VALUE(P_ALL), VALUE(P_PID), VALUE(P_PGID), { 3, "P_PIDFD", UINT64_MAX },
};
static const struct syscall_flag priority_which[] = {
	VALUE(PRIO_PROCESS), VALUE(PRIO_PGRP), VALUE(PRIO_USER),
};
static const struct syscall_flag rusage_who[] = {
	VALUE(RUSAGE_SELF), { UINT32_MAX, "RUSAGE_CHILDREN", UINT64_MAX }, VALUE(RUSAGE_THREAD),
};
static const struct syscall_flag itimers[] = {
	VALUE(ITIMER_REAL), VALUE(ITIMER_VIRTUAL), VALUE(ITIMER_PROF),
};
static const struct syscall_flag timer_flags[] = { BIT(TIMER_ABSTIME) };
static const struct syscall_flag fallocate_flags[] = {
	BIT(FALLOC_FL_KEEP_SIZE), BIT(FALLOC_FL_PUNCH_HOLE), BIT(FALLOC_FL_COLLAPSE_RANGE),
	BIT(FALLOC_FL_ZERO_RANGE), BIT(FALLOC_FL_INSERT_RANGE), BIT(FALLOC_FL_UNSHARE_RANGE),
};
static const struct syscall_flag fadvices[] = {
	VALUE(POSIX_FADV_NORMAL), VALUE(POSIX_FADV_RANDOM), VALUE(POSIX_FADV_SEQUENTIAL),
	VALUE(POSIX_FADV_WILLNEED), VALUE(POSIX_FADV_DONTNEED), VALUE(POSIX_FADV_NOREUSE),
};
static const struct syscall_flag fd_cloexec[] = { BIT(FD_CLOEXEC) };
static const struct syscall_flag lock_types[] = { VALUE(F_RDLCK), VALUE(F_WRLCK), VALUE(F_UNLCK) };
static const struct syscall_flag uring_enter[] = {
	BIT(IORING_ENTER_GETEVENTS), BIT(IORING_ENTER_SQ_WAKEUP), BIT(IORING_ENTER_SQ_WAIT),
	BIT(IORING_ENTER_EXT_ARG), { 16, "IORING_ENTER_REGISTERED_RING", 0 },
};
static const struct syscall_flag uring_setup[] = {
	BIT(IORING_SETUP_IOPOLL), BIT(IORING_SETUP_SQPOLL), BIT(IORING_SETUP_SQ_AFF),
	BIT(IORING_SETUP_CQSIZE), BIT(IORING_SETUP_CLAMP), BIT(IORING_SETUP_ATTACH_WQ),
	BIT(IORING_SETUP_R_DISABLED),
};
static const struct syscall_flag seccomp_ops[] = {
	VALUE(SECCOMP_SET_MODE_STRICT), VALUE(SECCOMP_SET_MODE_FILTER),
	VALUE(SECCOMP_GET_ACTION_AVAIL), VALUE(SECCOMP_GET_NOTIF_SIZES),
};
static const struct syscall_flag bpf_commands[] = {
	VALUE(BPF_MAP_CREATE), VALUE(BPF_MAP_LOOKUP_ELEM), VALUE(BPF_MAP_UPDATE_ELEM),
	VALUE(BPF_MAP_DELETE_ELEM), VALUE(BPF_MAP_GET_NEXT_KEY), VALUE(BPF_PROG_LOAD),
	VALUE(BPF_OBJ_PIN), VALUE(BPF_OBJ_GET), VALUE(BPF_PROG_ATTACH), VALUE(BPF_PROG_DETACH),
	VALUE(BPF_PROG_TEST_RUN), VALUE(BPF_PROG_GET_NEXT_ID), VALUE(BPF_MAP_GET_NEXT_ID),
	VALUE(BPF_PROG_GET_FD_BY_ID), VALUE(BPF_MAP_GET_FD_BY_ID), VALUE(BPF_OBJ_GET_INFO_BY_FD),
	VALUE(BPF_PROG_QUERY), VALUE(BPF_RAW_TRACEPOINT_OPEN), VALUE(BPF_BTF_LOAD),
	VALUE(BPF_BTF_GET_FD_BY_ID), VALUE(BPF_TASK_FD_QUERY), VALUE(BPF_MAP_FREEZE),
	VALUE(BPF_BTF_GET_NEXT_ID), VALUE(BPF_MAP_LOOKUP_BATCH), VALUE(BPF_MAP_UPDATE_BATCH),
	VALUE(BPF_LINK_CREATE), VALUE(BPF_LINK_UPDATE), VALUE(BPF_LINK_GET_FD_BY_ID),
	VALUE(BPF_LINK_GET_NEXT_ID), VALUE(BPF_ITER_CREATE), VALUE(BPF_LINK_DETACH),
};
static const struct syscall_flag perf_types[] = {
	VALUE(PERF_TYPE_HARDWARE), VALUE(PERF_TYPE_SOFTWARE), VALUE(PERF_TYPE_TRACEPOINT),
	VALUE(PERF_TYPE_HW_CACHE), VALUE(PERF_TYPE_RAW), VALUE(PERF_TYPE_BREAKPOINT),
};
static const struct syscall_flag perf_flags[] = {
	BIT(PERF_FLAG_FD_NO_GROUP), BIT(PERF_FLAG_FD_OUTPUT), BIT(PERF_FLAG_PID_CGROUP),
	BIT(PERF_FLAG_FD_CLOEXEC),
};
static const struct syscall_flag resolves[] = {
	BIT(RESOLVE_NO_XDEV), BIT(RESOLVE_NO_MAGICLINKS), BIT(RESOLVE_NO_SYMLINKS),
	BIT(RESOLVE_BENEATH), BIT(RESOLVE_IN_ROOT), { 32, "RESOLVE_CACHED", 0 },
};
static const struct syscall_flag inet_protocols[] = {
	VALUE(IPPROTO_IP), VALUE(IPPROTO_ICMP), VALUE(IPPROTO_TCP), VALUE(IPPROTO_UDP),
	VALUE(IPPROTO_IPV6), VALUE(IPPROTO_ICMPV6), VALUE(IPPROTO_SCTP), VALUE(IPPROTO_RAW),
};
static const struct syscall_flag close_range_flags[] = {
	BIT(CLOSE_RANGE_UNSHARE), BIT(CLOSE_RANGE_CLOEXEC),
};
static const struct syscall_flag stack_flags[] = { BIT(SS_ONSTACK), BIT(SS_DISABLE) };
static const struct syscall_flag child_codes[] = {
	VALUE(CLD_EXITED), VALUE(CLD_KILLED), VALUE(CLD_DUMPED), VALUE(CLD_TRAPPED),
	VALUE(CLD_STOPPED), VALUE(CLD_CONTINUED),
};
static const struct syscall_flag tcp_options[] = {
	VALUE(TCP_NODELAY), VALUE(TCP_MAXSEG), VALUE(TCP_CORK), VALUE(TCP_KEEPIDLE),
	VALUE(TCP_KEEPINTVL), VALUE(TCP_KEEPCNT), VALUE(TCP_SYNCNT), VALUE(TCP_LINGER2),
	VALUE(TCP_DEFER_ACCEPT), VALUE(TCP_WINDOW_CLAMP), VALUE(TCP_INFO), VALUE(TCP_QUICKACK),
	VALUE(TCP_CONGESTION), VALUE(TCP_USER_TIMEOUT), VALUE(TCP_FASTOPEN),
};
static const struct syscall_flag ip_options[] = {
	VALUE(IP_TOS), VALUE(IP_TTL), VALUE(IP_HDRINCL), VALUE(IP_OPTIONS), VALUE(IP_RECVERR),
	VALUE(IP_PKTINFO), VALUE(IP_MTU_DISCOVER), VALUE(IP_RECVTTL), VALUE(IP_MULTICAST_TTL),
	VALUE(IP_MULTICAST_LOOP), VALUE(IP_ADD_MEMBERSHIP), VALUE(IP_FREEBIND),
};

static const struct syscall_flag timerfd_set_flags[] = {
	BIT(TFD_TIMER_ABSTIME), BIT(TFD_TIMER_CANCEL_ON_SET),
};
static const struct syscall_flag signalfd_flags[] = { BIT(SFD_CLOEXEC), BIT(SFD_NONBLOCK) };
static const struct syscall_flag file_range_flags[] = {
	BIT(SYNC_FILE_RANGE_WAIT_BEFORE), BIT(SYNC_FILE_RANGE_WRITE),
	BIT(SYNC_FILE_RANGE_WAIT_AFTER),
};
static const struct syscall_flag xattr_flags[] = { BIT(XATTR_CREATE), BIT(XATTR_REPLACE) };
static const struct syscall_flag statx_attributes[] = {
	BIT(STATX_ATTR_COMPRESSED), BIT(STATX_ATTR_IMMUTABLE), BIT(STATX_ATTR_APPEND),
	BIT(STATX_ATTR_NODUMP), BIT(STATX_ATTR_ENCRYPTED), BIT(STATX_ATTR_AUTOMOUNT),
	BIT(STATX_ATTR_MOUNT_ROOT), BIT(STATX_ATTR_VERITY), BIT(STATX_ATTR_DAX),
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
	[ARG_SA_FLAGS - ARG_FLAGS] = SET(sa_flags),
	[ARG_EVENTFD - ARG_FLAGS] = SET(eventfd_flags),
	[ARG_TIMERFD - ARG_FLAGS] = SET(timerfd_flags),
	[ARG_EPOLL_CREATE - ARG_FLAGS] = SET(epoll_flags),
	[ARG_INOTIFY - ARG_FLAGS] = SET(inotify_flags),
	[ARG_INOTIFY_MASK - ARG_FLAGS] = SET(inotify_masks),
	[ARG_MEMFD - ARG_FLAGS] = SET(memfd_flags),
	[ARG_MREMAP - ARG_FLAGS] = SET(mremap_flags),
	[ARG_MSYNC - ARG_FLAGS] = SET(msync_flags),
	[ARG_MLOCKALL - ARG_FLAGS] = SET(mlockall_flags),
	[ARG_UMOUNT - ARG_FLAGS] = SET(umount_flags),
	[ARG_STATX_MASK - ARG_FLAGS] = SET(statx_masks),
	[ARG_STATX_FLAGS - ARG_FLAGS] = SET(statx_flags),
	[ARG_AT_UNLINK - ARG_FLAGS] = SET(unlink_flags),
	[ARG_AT_ACCESS - ARG_FLAGS] = SET(access_flags),
	[ARG_RENAME - ARG_FLAGS] = SET(rename_flags),
	[ARG_SPLICE - ARG_FLAGS] = SET(splice_flags),
	[ARG_SCHED_POLICY - ARG_FLAGS] = SET(policies),
	[ARG_ID_TYPE - ARG_FLAGS] = SET(id_types),
	[ARG_PRIORITY_WHICH - ARG_FLAGS] = SET(priority_which),
	[ARG_RUSAGE_WHO - ARG_FLAGS] = SET(rusage_who),
	[ARG_ITIMER - ARG_FLAGS] = SET(itimers),
	[ARG_TIMER_FLAGS - ARG_FLAGS] = SET(timer_flags),
	[ARG_FALLOCATE - ARG_FLAGS] = SET(fallocate_flags),
	[ARG_FADVISE - ARG_FLAGS] = SET(fadvices),
	[ARG_FD_CLOEXEC - ARG_FLAGS] = SET(fd_cloexec),
	[ARG_LOCK_TYPE - ARG_FLAGS] = SET(lock_types),
	[ARG_URING_ENTER - ARG_FLAGS] = SET(uring_enter),
	[ARG_URING_SETUP - ARG_FLAGS] = SET(uring_setup),
	[ARG_SECCOMP - ARG_FLAGS] = SET(seccomp_ops),
	[ARG_BPF - ARG_FLAGS] = SET(bpf_commands),
	[ARG_PERF_TYPE - ARG_FLAGS] = SET(perf_types),
	[ARG_PERF_FLAGS - ARG_FLAGS] = SET(perf_flags),
	[ARG_RESOLVE - ARG_FLAGS] = SET(resolves),
	[ARG_INET_PROTOCOL - ARG_FLAGS] = SET(inet_protocols),
	[ARG_CLOSE_RANGE - ARG_FLAGS] = SET(close_range_flags),
	[ARG_STACK_FLAGS - ARG_FLAGS] = SET(stack_flags),
	[ARG_CHILD_CODE - ARG_FLAGS] = SET(child_codes),
	[ARG_TCP_OPTION - ARG_FLAGS] = SET(tcp_options),
	[ARG_IP_OPTION - ARG_FLAGS] = SET(ip_options),
	[ARG_TIMERFD_SET - ARG_FLAGS] = SET(timerfd_set_flags),
	[ARG_SIGNALFD - ARG_FLAGS] = SET(signalfd_flags),
	[ARG_FILE_RANGE - ARG_FLAGS] = SET(file_range_flags),
	[ARG_XATTR - ARG_FLAGS] = SET(xattr_flags),
	[ARG_STATX_ATTRIBUTES - ARG_FLAGS] = SET(statx_attributes),
};
/* clang-format on */

const struct syscall_flag_set *syscall_flags(enum syscall_arg arg)
{
	return arg >= ARG_FLAGS && arg < ARG_COUNT ? &sets[arg - ARG_FLAGS] : NULL;
}
