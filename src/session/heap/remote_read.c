/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory of another process (see remote.h). */
#include "session/heap/remote.h"

#include <errno.h>
#include <sys/uio.h>

int remote_read(pid_t pid, uint64_t address, void *to, size_t len)
{
	struct iovec local = { .iov_base = to, .iov_len = len };
	struct iovec far = { .iov_base = (void *)(uintptr_t)address, .iov_len = len };
	ssize_t got = process_vm_readv(pid, &local, 1, &far, 1, 0);

	return got < 0 ? -errno : (size_t)got == len ? 0 : -EFAULT;
}
