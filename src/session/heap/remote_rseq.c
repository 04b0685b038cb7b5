/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See remote_rseq.h. The structures are those of linux/rseq.h and
 * linux/ptrace.h. */
#include "session/heap/remote_rseq.h"

#include <sys/ptrace.h>

#include "session/heap/remote.h"

#define SEQUENCE_AT 8 /* the pointer in the thread's area */

#define GET_AREA 0x420f /* PTRACE_GET_RSEQ_CONFIGURATION, which not every C library has */

struct area {
	uint64_t address;
	uint32_t size, signature, flags, unused;
};

struct sequence {
	uint32_t version, flags;
	uint64_t start, len, go_on;
};

void remote_rseq_leave(pid_t pid, pid_t tid, uint64_t *pc)
{
	struct area area = { 0 };
	struct sequence sequence = { 0 };
	uint64_t at = 0;

	if (ptrace(GET_AREA, tid, (void *)sizeof(area), &area) <= 0 || !area.address ||
	    remote_read(pid, area.address + SEQUENCE_AT, &at, sizeof(at)) || !at ||
	    remote_read(pid, at, &sequence, sizeof(sequence)))
		return;
	if (*pc - sequence.start < sequence.len)
		*pc = sequence.go_on;
}
