/* SPDX-License-Identifier: GPL-2.0-or-later */
/* server/tls, server/server: other machines are not served without TLS and tokens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "server/microhttpd.h"
#include "server/server.h"
#include "server/server_process.h"
#include "server/tls.h"

#define SECOND_NS ((uint64_t)1000000000)

static void say_nothing(const char *line)
{
	(void)line;
}

static void test_server__refuses_other_machines(void **state)
{
	static const char *const places[] = { "0.0.0.0:0" };
	struct server_options options = { .store = "/nowhere",
					  .listen = places,
					  .listen_count = 1,
					  .connections = 4,
					  .request_bytes = 1 << 20,
					  .answers = { 1, 0, SECOND_NS },
					  .say = say_nothing };
	struct microhttpd mhd;
	struct server *server;
	pid_t pid;
	struct err err = { 0 };

	(void)state;
	if (microhttpd_load(&mhd, &err) || !tls_is_there())
		skip();
	assert_int_not_equal(server_open(&options, &server, &err), 0); /* no key */
	assert_non_null(strstr(err.msg, "--tls-cert"));
	options.tls_cert = options.tls_key = "/dev/null";
	assert_int_not_equal(server_open(&options, &server, &err), 0); /* no token */
	assert_non_null(strstr(err.msg, "token"));
	/* also when it is a process beside an agent */
	err = (struct err){ 0 };
	assert_int_not_equal(server_process_start(&options, &pid, &err), 0);
	assert_non_null(strstr(err.msg, "token"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_server__refuses_other_machines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
