/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See page_frames.h. */
#include "proc/page_frames.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"

#define ENTRY_PRESENT (1ull << 63)
#define ENTRY_FILE    (1ull << 61)
#define ENTRY_FRAME   ((1ull << 55) - 1)

/* Bits of kpageflags. */
#define FLAG_LISTED (1ull << 5)	 /* LRU */
#define FLAG_TAIL   (1ull << 16) /* its flags are those of the head; older kernels leave them out */
#define FLAG_HUGE   (1ull << 22) /* transparent */

int page_frames_read(pid_t pid, const uint64_t *address, size_t count, uint64_t *frame,
		     struct err *err)
{
	uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE), entry;
	AUTO_CLOSE int fd = -1;
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_errno(err, "%s", path);
	for (size_t i = 0; i < count; i++) {
		if (pread(fd, &entry, sizeof(entry), (off_t)(address[i] / size * sizeof(entry))) !=
		    sizeof(entry))
			entry = 0;
		frame[i] = entry & ENTRY_PRESENT && !(entry & ENTRY_FILE) ? entry & ENTRY_FRAME : 0;
	}
	return 0;
}

int page_frames_keep_listed(uint64_t *frame, size_t count, struct err *err)
{
	AUTO_CLOSE int fd = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	uint64_t flags;

	if (fd < 0)
		return err_errno(err, "/proc/kpageflags");
	for (size_t i = 0; i < count; i++) {
		if (!frame[i])
			continue;
		if (pread(fd, &flags, sizeof(flags), (off_t)(frame[i] * sizeof(flags))) !=
		    sizeof(flags))
			flags = 0;
		if (!(flags & FLAG_LISTED) && !(flags & FLAG_TAIL && flags & FLAG_HUGE))
			frame[i] = 0;
	}
	return 0;
}
