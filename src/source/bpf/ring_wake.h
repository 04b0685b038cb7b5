/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a reader of BPF rings is woken: only by programs that say so, not by whatever is in a ring.
 * Else a recorder that is awake stays so, for there is always something new, if only about itself.
 */
#ifndef SOURCE_BPF_RING_WAKE_H
#define SOURCE_BPF_RING_WAKE_H

struct err;

/* A ring that libbpf's reader, whose descriptor that is, has been told of. */
int ring_wake_by_edge(int epoll_fd, int ring_fd, struct err *err);
/* Now all rings will be read: what woke the reader so far is done with. */
void ring_wake_forget(int epoll_fd);

#endif
