/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a wait for a file is, by the kind of file. */
#ifndef BPF_WAITED_FILE_BPF_H
#define BPF_WAITED_FILE_BPF_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/kernel.h"

#include "event/ledger_account.h"

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>

/* linux/stat.h */
#define FILE_KIND   0170000
#define KIND_SOCKET 0140000
#define KIND_FIFO   0010000
#define KIND_CHAR   0020000
#define KIND_REG    0100000
#define KIND_BLOCK  0060000

static __always_inline struct file *open_file(struct task_struct *task, __u64 fd)
{
	struct fdtable *table = task->files ? task->files->fdt : NULL;
	struct file *file = NULL;

	if (!table || fd >= table->max_fds ||
	    bpf_probe_read_kernel(&file, sizeof(file), table->fd + fd))
		return NULL;
	return file;
}

extern void *bpf_rdonly_cast(const void *object, __u32 type) __ksym __weak; /* Linux 6.2 */

/* Reading by type costs a few ns, a call of the kernel to read memory more than ten. */
static __always_inline unsigned int mode_of(const struct file *file)
{
	if (!bpf_rdonly_cast)
		return BPF_CORE_READ(file, f_inode, i_mode);
	file = bpf_rdonly_cast(file, bpf_core_type_id_kernel(struct file));
	return file->f_inode->i_mode;
}

/* Documentation/admin-guide/devices.txt: virtual and serial, console, pseudo, USB, of boards and of
 * hypervisors. */
static __always_inline bool is_terminal(__u32 device)
{
	__u32 major = device >> LEDGER_MINOR_BITS;

	return major == 4 || major == 5 || (major >= 136 && major <= 143) || major == 166 ||
	       major == 188 || major == 204 || major == 229;
}

static __always_inline __u32 file_account(struct task_struct *task, __u64 fd)
{
	struct file *file = open_file(task, fd);

	if (!file)
		return LEDGER_OTHER;
	switch (mode_of(file) & FILE_KIND) {
	case KIND_SOCKET:
		return LEDGER_NET;
	case KIND_FIFO:
		return LEDGER_PIPE;
	case KIND_REG:
	case KIND_BLOCK:
		return LEDGER_DISK;
	case KIND_CHAR:
		return is_terminal(BPF_CORE_READ(file, f_inode, i_rdev)) ? LEDGER_TERMINAL
									 : LEDGER_OTHER;
	default:
		return LEDGER_POLL; /* eventfd, timerfd, signalfd, inotify: no kind, only events */
	}
}

/* From a file to a full pipe, or the other way round. Waits for the file's bytes are I/O waits,
 * handled before. */
static __always_inline __u32 splice_account(struct task_struct *task, const uint64_t arg[3])
{
	__u32 account = file_account(task, arg[0]);

	return account == LEDGER_DISK ? file_account(task, arg[2]) : account;
}

#endif
