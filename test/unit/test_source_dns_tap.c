/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/dns_tap: what comes from port 53 is seen, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "source/dns_tap.h"

/* A packet over the loopback, to where nothing listens. False: the port is taken. */
static bool send_from(const char *address, uint16_t port, const char *text)
{
	struct sockaddr_in own = { .sin_family = AF_INET, .sin_port = htons(port) }, to = own;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool sent;

	assert_int_equal(inet_pton(AF_INET, address, &own.sin_addr), 1);
	to.sin_addr = own.sin_addr;
	to.sin_port = htons(9);
	sent = !bind(fd, (const struct sockaddr *)&own, sizeof(own)) &&
	       sendto(fd, text, strlen(text), 0, (const struct sockaddr *)&to, sizeof(to)) ==
		       (ssize_t)strlen(text);
	close(fd);
	return sent;
}

static bool ends_with(const char *packet, size_t len, const char *text)
{
	return len > strlen(text) && memcmp(packet + len - strlen(text), text, strlen(text)) == 0;
}

static void test_tap(void **state)
{
	struct err err = { 0 };
	char packet[4096];
	uint64_t time_ns = 0;
	size_t len, seen = 0;
	int tap;

	(void)state;
	if (dns_tap_open(&tap, &err)) {
		print_message("%s\n", err.msg);
		skip();
	}
	if (!send_from("127.7.7.8", 53, "from a server")) {
		close(tap);
		skip();
	}
	assert_true(send_from("127.7.7.8", 54, "from another"));
	while ((len = dns_tap_read(tap, packet, sizeof(packet), &time_ns))) {
		assert_false(ends_with(packet, len, "from another"));
		seen += ends_with(packet, len, "from a server");
		assert_true(time_ns != 0);
	}
	assert_int_equal(seen, 1);
	assert_int_equal(dns_tap_dropped(tap), 0);
	close(tap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
