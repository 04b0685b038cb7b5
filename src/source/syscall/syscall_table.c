/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and classes of system calls (see syscall_table.h). Classes follow strace(1). */
#include "source/syscall/syscall_table.h"

#include <stdio.h>
#include <string.h>

static const char *const class_names[] = {
#define SYSCALL_CLASS_ROW(id, name) name,
	SYSCALL_CLASSES(SYSCALL_CLASS_ROW)
#undef SYSCALL_CLASS_ROW
};

/* Those of a class, with blanks between them. */
static const char *const members[SYSCALL_CLASS_COUNT] = {
	[SYSCALL_CLASS_FILE] =
		"access acct chdir chmod chown chown32 chroot creat execve execveat faccessat "
		"faccessat2 fanotify_mark fchmodat fchmodat2 fchownat file_getattr file_setattr "
		"fspick fstatat64 futimesat getcwd getxattr getxattrat inotify_add_watch lchown "
		"lchown32 lgetxattr link linkat listxattr listxattrat llistxattr lremovexattr "
		"lsetxattr lstat lstat64 mkdir mkdirat mknod mknodat mount mount_setattr "
		"move_mount name_to_handle_at newfstatat oldlstat oldstat open open_tree "
		"open_tree_attr openat openat2 pivot_root quotactl readlink readlinkat "
		"removexattr removexattrat rename renameat renameat2 rmdir setxattr setxattrat "
		"stat stat64 statfs statfs64 statx swapoff swapon symlink symlinkat truncate "
		"truncate64 umount umount2 unlink unlinkat uselib utime utimensat "
		"utimensat_time64 utimes",
	[SYSCALL_CLASS_DESC] =
		"_llseek _newselect cachestat close close_range copy_file_range creat dup dup2 "
		"dup3 epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 "
		"epoll_wait epoll_wait_old eventfd eventfd2 execveat faccessat faccessat2 "
		"fadvise64 fadvise64_64 fallocate fanotify_init fanotify_mark fchdir fchmod "
		"fchmodat fchmodat2 fchown fchown32 fchownat fcntl fcntl64 fdatasync fgetxattr "
		"file_getattr file_setattr finit_module flistxattr flock fremovexattr fsconfig "
		"fsetxattr fsmount fsopen fspick fstat fstat64 fstatat64 fstatfs fstatfs64 fsync "
		"ftruncate ftruncate64 futimesat getdents getdents64 getxattrat inotify_add_watch "
		"inotify_init inotify_init1 inotify_rm_watch io_uring_enter io_uring_register "
		"io_uring_setup ioctl kexec_file_load landlock_add_rule landlock_create_ruleset "
		"landlock_restrict_self linkat listxattrat lseek memfd_create memfd_secret "
		"mkdirat mknodat mmap mmap2 mount_setattr move_mount mq_getsetattr mq_notify "
		"mq_open mq_timedreceive mq_timedreceive_time64 mq_timedsend mq_timedsend_time64 "
		"name_to_handle_at newfstatat oldfstat open open_by_handle_at open_tree "
		"open_tree_attr openat openat2 perf_event_open pidfd_getfd pidfd_open "
		"pidfd_send_signal pipe pipe2 poll ppoll ppoll_time64 pread64 preadv preadv2 "
		"process_madvise process_mrelease pselect6 pselect6_time64 pwrite64 pwritev "
		"pwritev2 quotactl_fd read readahead readdir readlinkat readv removexattrat "
		"renameat renameat2 select sendfile sendfile64 setns setxattrat signalfd "
		"signalfd4 splice statx symlinkat sync_file_range syncfs tee timerfd_create "
		"timerfd_gettime timerfd_gettime64 timerfd_settime timerfd_settime64 unlinkat "
		"userfaultfd utimensat utimensat_time64 vmsplice write writev",
	[SYSCALL_CLASS_MEMORY] =
		"break brk get_mempolicy madvise map_shadow_stack mbind migrate_pages mincore "
		"mlock mlock2 mlockall mmap mmap2 move_pages mprotect mremap mseal msync munlock "
		"munlockall munmap pkey_mprotect process_madvise remap_file_pages set_mempolicy "
		"set_mempolicy_home_node shmat shmdt",
	[SYSCALL_CLASS_PROCESS] =
		"clone clone3 execve execveat exit exit_group fork kill pidfd_open "
		"pidfd_send_signal process_mrelease rt_sigqueueinfo rt_tgsigqueueinfo tgkill "
		"tkill unshare vfork wait4 waitid waitpid",
	[SYSCALL_CLASS_SIGNAL] =
		"kill pause pidfd_send_signal rt_sigaction rt_sigpending rt_sigprocmask "
		"rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait "
		"rt_sigtimedwait_time64 rt_tgsigqueueinfo sgetmask sigaction sigaltstack signal "
		"signalfd signalfd4 sigpending sigprocmask sigreturn sigsuspend ssetmask tgkill "
		"tkill",
	[SYSCALL_CLASS_NET] =
		"accept accept4 bind connect getpeername getpmsg getsockname getsockopt listen "
		"putpmsg recvfrom recvmmsg recvmmsg_time64 recvmsg sendmmsg sendmsg sendto "
		"setsockopt shutdown socket socketcall socketpair",
	[SYSCALL_CLASS_IPC] = "ipc msgctl msgget msgrcv msgsnd semctl semget semop semtimedop "
			      "semtimedop_time64 shmat shmctl shmdt shmget",
	[SYSCALL_CLASS_CREDS] =
		"capget capset getegid getegid32 geteuid geteuid32 getgid getgid32 getgroups "
		"getgroups32 getresgid getresgid32 getresuid getresuid32 getuid getuid32 prctl "
		"setfsgid setfsgid32 setfsuid setfsuid32 setgid setgid32 setgroups setgroups32 "
		"setregid setregid32 setresgid setresgid32 setresuid setresuid32 setreuid "
		"setreuid32 setuid setuid32",
	[SYSCALL_CLASS_CLOCK] =
		"adjtimex clock_adjtime clock_adjtime64 clock_getres clock_getres_time64 "
		"clock_gettime clock_gettime64 clock_settime clock_settime64 gettimeofday "
		"settimeofday stime time",
	[SYSCALL_CLASS_PURE] =
		"getegid getegid32 geteuid geteuid32 getgid getgid32 getpgrp getpid getppid "
		"gettid getuid getuid32 get_thread_area",
};

static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; *at; at += *at == ' ') {
		size_t here = strcspn(at, " ");

		if (here == len && memcmp(at, word, len) == 0)
			return true;
		at += here;
	}
	return false;
}

const char *syscall_name(uint32_t call)
{
	const struct syscall_numbers *numbers =
		&syscall_numbers[call & SYSCALL_COMPAT_BIT ? SYSCALL_COMPAT : SYSCALL_NATIVE];
	uint32_t number = call & ~SYSCALL_COMPAT_BIT;

	return number < numbers->count ? numbers->name[number] : NULL;
}

const char *syscall_label(uint32_t call, char buf[SYSCALL_NAME_SIZE])
{
	const char *name = syscall_name(call), *abi = "";
	uint32_t number = call & ~SYSCALL_COMPAT_BIT;
	/* 31 bits are kept, so the sign is the last of them. */
	int32_t whole = (int32_t)(number << 1) >> 1;

	if (call & SYSCALL_COMPAT_BIT) {
		abi = " (32-bit)";
	} else if ((number & ~SYSCALL_X32_BIT) < SYSCALL_NUMBERS && number & SYSCALL_X32_BIT) {
		abi = " (x32)";
		whole = (int32_t)(number & ~SYSCALL_X32_BIT);
		name = syscall_name((uint32_t)whole);
	}
	if (name)
		(void)snprintf(buf, SYSCALL_NAME_SIZE, "%s%s", name, abi);
	else
		(void)snprintf(buf, SYSCALL_NAME_SIZE, "syscall_%d%s", whole, abi);
	return buf;
}

uint32_t syscall_classes(const char *name)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < SYSCALL_CLASS_COUNT; i++)
		if (has_word(members[i], name))
			bits |= 1u << i;
	return bits;
}

bool syscall_class_find(const char *word, enum syscall_class *ret)
{
	if (strcmp(word, "network") == 0) /* strace has both */
		word = "net";
	for (size_t i = 0; i < SYSCALL_CLASS_COUNT; i++)
		if (strcmp(class_names[i], word) == 0) {
			*ret = (enum syscall_class)i;
			return true;
		}
	return false;
}

const char *syscall_class_name(enum syscall_class class)
{
	return class_names[class];
}

const char *syscall_error_name(uint32_t error)
{
	/* Not for user space: the kernel restarts such calls, or makes them EINTR. */
	static const struct {
		uint32_t number;
		const char *name;
	} internal[] = {
		{ 512, "ERESTARTSYS" }, { 513, "ERESTARTNOINTR" },	  { 514, "ERESTARTNOHAND" },
		{ 515, "ENOIOCTLCMD" }, { 516, "ERESTART_RESTARTBLOCK" }, { 524, "ENOTSUPP" },
		{ 529, "EIOCBQUEUED" },
	};

	for (size_t i = 0; i < sizeof(internal) / sizeof(*internal); i++)
		if (internal[i].number == error)
			return internal[i].name;
	return error ? strerrorname_np((int)error) : NULL;
}
