/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/bpf/ring_wake: each wakeup request wakes the reader once. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "source/bpf/ring_wake.h"

static int wakes(int fd)
{
	struct pollfd item = { .fd = fd, .events = POLLIN };

	return poll(&item, 1, 0);
}

static void test_ring_wake__by_edge(void **state)
{
	struct epoll_event level = { .events = EPOLLIN };
	int inner = epoll_create1(0), outer = epoll_create1(0), ring = eventfd(0, 0);
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, epoll_ctl(inner, EPOLL_CTL_ADD, ring, &level));
	assert_int_equal(0, ring_wake_by_edge(inner, ring, &err));
	assert_int_equal(0, epoll_ctl(outer, EPOLL_CTL_ADD, inner, &level));
	assert_int_equal(0, wakes(outer));
	for (int i = 0; i < 3; i++) {
		assert_int_equal(0, eventfd_write(ring, 1));
		assert_int_equal(1, wakes(outer));
		ring_wake_forget(inner);
		assert_int_equal(0, wakes(outer)); /* though there is something to read */
	}
	assert_int_not_equal(0, ring_wake_by_edge(inner, outer, &err));
	(void)close(ring);
	(void)close(inner);
	(void)close(outer);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_ring_wake__by_edge) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
