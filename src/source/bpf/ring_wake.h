/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wakes readers of BPF rings only when a program requests it, not for every record. Otherwise a
 * recorder would never sleep, because its own activity produces records. */
#ifndef SOURCE_BPF_RING_WAKE_H
#define SOURCE_BPF_RING_WAKE_H

struct err;

/* Adds a ring to libbpf's reader with this epoll descriptor. */
int ring_wake_by_edge(int epoll_fd, int ring_fd, struct err *err);
/* Now all rings will be read: what woke the reader so far is done with. */
void ring_wake_forget(int epoll_fd);

#endif
