/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/perf_event/event_try.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

int event_try(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	struct perf_event_attr copy = *attr;
	long fd;

	copy.size = PERF_ATTR_SIZE_VER5;
	copy.disabled = 1;
	fd = syscall(SYS_perf_event_open, &copy, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	(void)close((int)fd); /* it counted nothing */
	return 0;
}

int event_try_own(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = { .type = type, .config = config };
	int code = event_try(&attr, 0, -1);

	if (code != -EACCES && code != -EPERM)
		return code;
	attr.exclude_kernel = 1;
	return event_try(&attr, 0, -1);
}
