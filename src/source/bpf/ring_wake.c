/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Edges instead of levels (see ring_wake.h). An edge is forgotten when it has been waited for. */
#include "source/bpf/ring_wake.h"

#include <sys/epoll.h>

#include "base/err.h"

#define AT_ONCE 64

int ring_wake_by_edge(int epoll_fd, int ring_fd, struct err *err)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };

	return epoll_ctl(epoll_fd, EPOLL_CTL_MOD, ring_fd, &event) ? err_errno(err, "epoll") : 0;
}

void ring_wake_forget(int epoll_fd)
{
	struct epoll_event event[AT_ONCE];

	while (epoll_wait(epoll_fd, event, AT_ONCE, 0) == AT_ONCE) {
	}
}
