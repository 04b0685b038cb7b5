/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where pages of a process are in the machine's memory, from /proc/PID/pagemap and
 * /proc/kpageflags, which takes root. Formats: Documentation/admin-guide/mm/pagemap.rst. */
#ifndef PROC_PAGE_FRAMES_H
#define PROC_PAGE_FRAMES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

/* frame[i] is that of the anonymous page at address[i]; 0 = there is none, or it is not known. */
int page_frames_read(pid_t pid, const uint64_t *address, size_t count, uint64_t *frame,
		     struct err *err);
/* Makes frames 0 that the kernel does not have in its lists of pages in use (yet). */
int page_frames_keep_listed(uint64_t *frame, size_t count, struct err *err);

#endif
