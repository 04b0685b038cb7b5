/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/agent: labels of processes by cgroup and rule, requests to its socket, and notes to a
 * service manager. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "session/agent/agent.h"
#include "session/agent/agent_config.h"
#include "session/agent/agent_dump.h"
#include "session/agent/agent_labels.h"
#include "session/agent/agent_status.h"
#include "session/agent/service_notify.h"
#include "store/label_set.h"

static void test_agent_config__rules_see_what_is_there(void **state)
{
	static const char text[] = "# comment\n label dc=east \n\n"
				   "rule {comm=~\"ngin.\"} service=web\r\n"
				   "rule {service=web, dc=east} tier=front end\n"
				   "deny {comm=\"secret\"}";
	struct agent_config config;
	struct label_set labels = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(agent_config_parse("x", text, &config, &err), 0);
	assert_true(label_set_put(&labels, "comm", "nginx"));
	assert_true(agent_config_apply(&config, &labels));
	assert_string_equal(label_set_get(&labels, "service"), "web");
	assert_string_equal(label_set_get(&labels, "tier"), "front end");
	assert_true(label_set_put(&labels, "comm", "secret"));
	assert_false(agent_config_apply(&config, &labels));
	label_set_done(&labels);
	agent_config_done(&config);
}

static void test_agent_config__mistakes_have_a_line(void **state)
{
	static const char *const wrong[] = { "\nlable a=b",	     "\nlabel a",
					     "\nrule a=b c=d",	     "\nrule {a=b",
					     "\nrule {a=b} c",	     "\ndeny {a=b} c=d",
					     "\nrule {a=~\"(\"} c=d" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct agent_config config;
		struct err err = { 0 };

		if (!agent_config_parse("file", wrong[i], &config, &err))
			fail_msg("%s is no mistake", wrong[i]);
		assert_int_equal(strncmp(err.msg, "file:2: ", 8), 0);
	}
}

static void check_cgroup(const char *path, const char *unit, const char *service,
			 const char *container)
{
	struct label_set labels = { 0 };

	agent_labels_of_cgroup(path, &labels);
	assert_string_equal(label_set_get(&labels, "unit"), unit);
	assert_string_equal(label_set_get(&labels, "service"), service);
	assert_string_equal(label_set_get(&labels, "container"), container);
	label_set_done(&labels);
}

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_agent_labels__of_cgroups(void **state)
{
	(void)state;
	check_cgroup("/", "", "", "");
	check_cgroup("/system.slice/nginx.service", "nginx.service", "nginx", "");
	check_cgroup("/user.slice/user-0.slice/session-3.scope", "session-3.scope", "", "");
	check_cgroup("/user.slice/user@0.service/app.slice/x.service", "x.service", "x", "");
	check_cgroup("/system.slice/docker-" ID ".scope", "", "", "0123456789ab");
	check_cgroup("/docker/" ID, "", "", "0123456789ab");
	check_cgroup("/kubepods/pod1/" ID "/x", "", "", "0123456789ab");
	check_cgroup("/" ID "0", "", "", "");
}

static void test_agent_labels__are_inherited(void **state)
{
	struct agent_labels *labels = agent_labels_new("", NULL);
	struct label_set own = { 0 };
	char uid[16];

	(void)state;
	(void)snprintf(uid, sizeof(uid), "%u", (unsigned)getuid());
	agent_labels_see(labels, (uint32_t)getpid(), "tester");
	agent_labels_fork(labels, 4194304 + 7, (uint32_t)getpid()); /* no pid is that large */
	agent_labels_see(labels, 4194304 + 7, "child");
	agent_labels_get(labels, 4194304 + 7, &own);
	assert_string_equal(label_set_get(&own, "uid"), uid);
	label_set_clear(&own);
	agent_labels_get(labels, (uint32_t)getpid(), &own);
	assert_string_not_equal(label_set_get(&own, "service"), "");
	assert_string_not_equal(label_set_get(&own, "build"), "");
	label_set_done(&own);
	assert_int_equal(agent_labels_count(labels), 2);
	for (int i = 0; i < 3; i++)
		agent_labels_forget(labels);
	assert_int_equal(agent_labels_count(labels), 0);
	agent_labels_free(labels);
}

static void say_nothing(const char *line)
{
	(void)line;
}

static void test_agent_status__answers(void **state)
{
	const struct agent_options options = { .store = "/nowhere",
					       .interval_ns = 10000000000,
					       .say = say_nothing };
	struct agent_status status;
	struct buf answer = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(agent_request_parse("GET /metrics HTTP/1.1\r\n"), AGENT_METRICS);
	assert_int_equal(agent_request_parse("GET /metricsx HTTP/1.1\r\n"), AGENT_UNKNOWN);
	assert_int_equal(agent_request_parse(""), AGENT_UNKNOWN);
	assert_int_equal(agent_status_open(&status, &options, &err), 0);
	status.figures.samples = 42;
	agent_status_answer(&status, "GET /metrics", &answer);
	assert_non_null(strstr(answer.data, "\ncupel_agent_samples_total 42\n"));
	buf_clear(&answer);
	agent_status_answer(&status, "GET /health HTTP/1.0", &answer);
	assert_int_equal(strncmp(answer.data, "HTTP/1.0 503", 12), 0);
	buf_clear(&answer);
	agent_status_answer(&status, "POST /dump HTTP/1.0", &answer); /* not over the network */
	assert_int_equal(strncmp(answer.data, "HTTP/1.0 403", 12), 0);
	buf_done(&answer);
	agent_status_close(&status);
}

static void test_agent_status__refuses_the_network(void **state)
{
	static const char *const wrong[] = { "0.0.0.0:80", "192.168.0.1:80", "127.0.0.1", "x:1",
					     "127.0.0.1:99999" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const struct agent_options options = { .store = "/nowhere",
						       .listen = wrong[i],
						       .say = say_nothing };
		struct agent_status status;
		struct err err = { 0 };

		assert_int_not_equal(agent_status_open(&status, &options, &err), 0);
		assert_true(err.usage);
	}
}

static void test_agent_dump__needs_an_agent(void **state)
{
	struct err err = { 0 };
	char *path = NULL;

	(void)state;
	assert_int_not_equal(agent_request_dump("/nowhere/socket", &path, &err), 0);
	assert_null(path);
	assert_non_null(strstr(err.hint, "--listen"));
}

static void test_service_notify__reaches_the_manager(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	char text[64] = "";

	(void)state;
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/cupel-notify-%d",
		       (int)getpid());
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	service_notify("READY=1"); /* nobody: nothing happens */
	(void)setenv("NOTIFY_SOCKET", address.sun_path, 1);
	service_notify("READY=1");
	assert_int_equal(recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT), 7);
	assert_string_equal(text, "READY=1");
	(void)unsetenv("NOTIFY_SOCKET");
	(void)unlink(address.sun_path);
	(void)close(fd);
	(void)setenv("WATCHDOG_USEC", "3000000", 1);
	assert_int_equal(service_watchdog_ns(), 1500000000);
	(void)setenv("WATCHDOG_PID", "1", 1);
	assert_int_equal(service_watchdog_ns(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_agent_config__rules_see_what_is_there),
		cmocka_unit_test(test_agent_config__mistakes_have_a_line),
		cmocka_unit_test(test_agent_labels__of_cgroups),
		cmocka_unit_test(test_agent_labels__are_inherited),
		cmocka_unit_test(test_agent_status__answers),
		cmocka_unit_test(test_agent_status__refuses_the_network),
		cmocka_unit_test(test_agent_dump__needs_an_agent),
		cmocka_unit_test(test_service_notify__reaches_the_manager),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
