/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Restartable sequences (rseq(2)) of a stopped thread: code that the kernel has begin anew when the
 * thread was interrupted in it. Other code that runs on the thread meanwhile would make the kernel
 * forget that. */
#ifndef SESSION_HEAP_REMOTE_RSEQ_H
#define SESSION_HEAP_REMOTE_RSEQ_H

#include <stdint.h>
#include <sys/types.h>

/* A pc in such code becomes the one that the kernel would go on at. */
void remote_rseq_leave(pid_t pid, pid_t tid, uint64_t *pc);

#endif
