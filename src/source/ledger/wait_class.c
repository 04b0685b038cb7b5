/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls that may block, by what they wait for. Those not listed are "other". */
#include "source/ledger/wait_class.h"

#include <string.h>
#include <sys/syscall.h>

#define FUTEX_WAIT_CALL 455 /* SYS_futex_wait, newer than some headers; the same everywhere */

struct call_class {
	int number;
	enum ledger_class class;
};

static const struct call_class classes[] = {
	{ SYS_read, LEDGER_CLASS_FD },
	{ SYS_write, LEDGER_CLASS_FD },
	{ SYS_readv, LEDGER_CLASS_FD },
	{ SYS_writev, LEDGER_CLASS_FD },
	{ SYS_pread64, LEDGER_CLASS_FD },
	{ SYS_pwrite64, LEDGER_CLASS_FD },
	{ SYS_preadv, LEDGER_CLASS_FD },
	{ SYS_pwritev, LEDGER_CLASS_FD },
	{ SYS_preadv2, LEDGER_CLASS_FD },
	{ SYS_pwritev2, LEDGER_CLASS_FD },
	{ SYS_sendto, LEDGER_CLASS_FD },
	{ SYS_recvfrom, LEDGER_CLASS_FD },
	{ SYS_sendmsg, LEDGER_CLASS_FD },
	{ SYS_recvmsg, LEDGER_CLASS_FD },
	{ SYS_sendmmsg, LEDGER_CLASS_FD },
	{ SYS_recvmmsg, LEDGER_CLASS_FD },
	{ SYS_connect, LEDGER_CLASS_FD },
	{ SYS_sendfile, LEDGER_CLASS_FD },
	{ SYS_splice, LEDGER_CLASS_SPLICE },
	{ SYS_vmsplice, LEDGER_CLASS_FD },
	{ SYS_tee, LEDGER_CLASS_FD },
	{ SYS_copy_file_range, LEDGER_CLASS_FD },
	{ SYS_getdents64, LEDGER_CLASS_FD },
	{ SYS_ftruncate, LEDGER_CLASS_FD },
	{ SYS_fallocate, LEDGER_CLASS_FD },
	{ SYS_readahead, LEDGER_CLASS_FD },
	{ SYS_ioctl, LEDGER_CLASS_FD },
	{ SYS_msgsnd, LEDGER_CLASS_QUEUE },
	{ SYS_msgrcv, LEDGER_CLASS_QUEUE },
	{ SYS_mq_timedsend, LEDGER_CLASS_QUEUE },
	{ SYS_mq_timedreceive, LEDGER_CLASS_QUEUE },
	{ SYS_futex, LEDGER_CLASS_FUTEX },
#ifdef SYS_futex_waitv
	{ SYS_futex_waitv, LEDGER_CLASS_CONDITION },
#endif
	{ FUTEX_WAIT_CALL, LEDGER_CLASS_CONDITION },
	{ SYS_semop, LEDGER_CLASS_CONDITION },
	{ SYS_semtimedop, LEDGER_CLASS_CONDITION },
	{ SYS_flock, LEDGER_CLASS_LOCK },
	{ SYS_fcntl, LEDGER_CLASS_LOCK }, /* F_SETLKW */
	{ SYS_accept, LEDGER_CLASS_POLL },
	{ SYS_accept4, LEDGER_CLASS_POLL },
	{ SYS_ppoll, LEDGER_CLASS_POLL },
	{ SYS_pselect6, LEDGER_CLASS_POLL },
	{ SYS_epoll_pwait, LEDGER_CLASS_POLL },
#ifdef SYS_epoll_pwait2
	{ SYS_epoll_pwait2, LEDGER_CLASS_POLL },
#endif
#ifdef SYS_poll /* newer architectures have only the general forms */
	{ SYS_poll, LEDGER_CLASS_POLL },
	{ SYS_select, LEDGER_CLASS_POLL },
	{ SYS_epoll_wait, LEDGER_CLASS_POLL },
	{ SYS_pause, LEDGER_CLASS_SIGNAL },
	{ SYS_vfork, LEDGER_CLASS_CHILD },
#endif
	{ SYS_io_getevents, LEDGER_CLASS_POLL },
#ifdef SYS_io_pgetevents
	{ SYS_io_pgetevents, LEDGER_CLASS_POLL },
#endif
	{ SYS_io_uring_enter, LEDGER_CLASS_RING },
	{ SYS_nanosleep, LEDGER_CLASS_SLEEP },
	{ SYS_clock_nanosleep, LEDGER_CLASS_SLEEP },
	{ SYS_wait4, LEDGER_CLASS_CHILD },
	{ SYS_waitid, LEDGER_CLASS_CHILD },
	{ SYS_clone, LEDGER_CLASS_CHILD }, /* CLONE_VFORK waits for the child */
	{ SYS_clone3, LEDGER_CLASS_CHILD },
	{ SYS_rt_sigtimedwait, LEDGER_CLASS_SIGNAL },
	{ SYS_rt_sigsuspend, LEDGER_CLASS_SIGNAL },
	{ SYS_fsync, LEDGER_CLASS_SYNC_FILE },
	{ SYS_fdatasync, LEDGER_CLASS_SYNC_FILE },
	{ SYS_sync, LEDGER_CLASS_SYNC },
	{ SYS_syncfs, LEDGER_CLASS_SYNC_FILE },
	{ SYS_sync_file_range, LEDGER_CLASS_SYNC_FILE },
	{ SYS_msync, LEDGER_CLASS_SYNC },
};

void wait_classes(uint8_t class_of[LEDGER_SYSCALLS])
{
	memset(class_of, LEDGER_CLASS_OTHER, LEDGER_SYSCALLS);
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (classes[i].number >= 0 && classes[i].number < LEDGER_SYSCALLS)
			class_of[classes[i].number] = (uint8_t)classes[i].class;
}
