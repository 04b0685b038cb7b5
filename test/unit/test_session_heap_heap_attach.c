/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child that waits in a system call: stopped, made to call the system, and given the library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "heap/injected.h"
#include "session/heap/heap_attach.h"
#include "session/heap/heap_inject.h"
#include "session/heap/inject_image.h"
#include "session/heap/remote.h"
#include "session/heap/remote_rseq.h"

static struct {
	pid_t pid;
	int to, from;
} child;

/* `cat`: what is written to it comes back. */
static int start(void **state)
{
	int to[2], from[2];

	(void)state;
	if (pipe(to) || pipe(from))
		return -1;
	child.pid = fork();
	if (child.pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)dup2(to[0], 0);
		(void)dup2(from[1], 1);
		(void)close(to[1]);
		(void)execlp("cat", "cat", (char *)NULL);
		_exit(127);
	}
	(void)close(to[0]);
	(void)close(from[1]);
	child.to = to[1];
	child.from = from[0];
	return 0;
}

static int end(void **state)
{
	int status;

	(void)state;
	(void)close(child.to);
	(void)close(child.from);
	return waitpid(child.pid, &status, 0) == child.pid && status == 0 ? 0 : -1;
}

static bool works(void)
{
	char text[6] = "";

	return !fd_write_all(child.to, "hello", 5) && fd_read_full(child.from, text, 5) == 5 &&
	       strcmp(text, "hello") == 0;
}

static void may_trace(int code, const struct err *err)
{
	if (code == -EPERM) {
		print_message("cannot trace here: %s\n", err->msg);
		skip();
	}
	if (code)
		fail_msg("%s", err->msg);
}

static void test_remote__calls_the_system(void **state)
{
	struct err err = { 0 };
	struct remote *remote;
	int64_t result;
	uint64_t pc = 5;
	int code;

	(void)state;
	assert_true(works());
	code = remote_stop(child.pid, &remote, &err);
	may_trace(code, &err);
	assert_int_equal(remote_must_call(remote, SYS_getpid, (uint64_t[6]){ 0 }, &err), child.pid);
	assert_int_equal(remote_call(remote, SYS_close, (uint64_t[6]){ 77 }, &result, &err), 0);
	assert_int_equal(result, -EBADF);
	assert_int_equal(remote_must_call(remote, SYS_close, (uint64_t[6]){ 77 }, &err), -EBADF);
	remote_rseq_leave(child.pid, child.pid, &pc);
	assert_int_equal(pc, 5);
	assert_true(remote_resume(remote) > 0);
	assert_true(works());
	assert_int_equal(remote_resume(NULL), 0);
}

static bool has_library(void)
{
	char path[64], line[512];
	bool found = false;
	FILE *maps;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", child.pid);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof(line), maps))
		found |= strstr(line, HEAP_INJECT_NAME) != NULL;
	if (maps)
		(void)fclose(maps);
	return found;
}

static void test_inject__begin_and_end(void **state)
{
	struct heap_injected injected = { .pid = child.pid, .rate = 1, .token = 2, .owner = 3 };
	struct err err = { 0 };
	uint64_t base;

	(void)state;
	assert_true(works());
	may_trace(heap_inject_begin(&injected, &err), &err);
	base = injected.base;
	assert_true(injected.slots > 3);
	assert_true(has_library());
	assert_false(heap_inject_changed(&injected));
	assert_true(works());
	assert_int_equal(heap_inject_repeat(&injected, &err), 0);
	assert_int_equal(heap_inject_end(&injected, &err), 0);
	assert_true(works());
	assert_int_equal(heap_inject_begin(&injected, &err), 0);
	assert_int_equal(injected.base, base); /* that of the first time */
	assert_int_equal(heap_inject_end(&injected, &err), 0);
	assert_true(works());
}

static void test_attach__begin_and_end(void **state)
{
	struct heap_attach attach, other;
	struct err err = { 0 };

	(void)state;
	assert_true(works());
	may_trace(heap_attach_begin(&attach, child.pid, 0, &err), &err);
	assert_true(works());
	assert_int_equal(heap_attach_begin(&other, child.pid, 0, &err), -EBUSY);
	assert_non_null(strstr(err.msg, "another cupel heap"));
	heap_attach_end(&other);
	heap_attach_end(&attach);
	assert_true(works());
}

static void test_attach__no_such_process(void **state)
{
	struct err err = { 0 };
	struct heap_attach attach;

	(void)state;
	assert_int_equal(heap_attach_begin(&attach, 4194303, 1, &err), -ESRCH);
	heap_attach_end(&attach);
	assert_non_null(strstr(err.msg, "no such process"));
	assert_true(inject_image_symbol(HEAP_INJECT_ENTER) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_remote__calls_the_system, start, end),
		cmocka_unit_test_setup_teardown(test_inject__begin_and_end, start, end),
		cmocka_unit_test_setup_teardown(test_attach__begin_and_end, start, end),
		cmocka_unit_test(test_attach__no_such_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
