/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/descendants: children and grandchildren, of a process and of one thread, and not us. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "source/descendants.h"
#include "source/id_list.h"

static bool has(const struct id_list *list, int id)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->item[i] == id)
			return true;
	return false;
}

/* A child that has a child; both wait until they are killed. */
static pid_t start(pid_t *grandchild)
{
	int pipes[2];
	pid_t child;

	assert_int_equal(0, pipe(pipes));
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		pid_t below = fork();

		if (below == 0)
			for (;;)
				(void)pause();
		if (write(pipes[1], &below, sizeof(below)) != sizeof(below))
			_exit(1);
		for (;;)
			(void)pause();
	}
	assert_int_equal(sizeof(*grandchild), read(pipes[0], grandchild, sizeof(*grandchild)));
	(void)close(pipes[0]);
	(void)close(pipes[1]);
	return child;
}

static void test_descendants__of_processes_and_threads(void **state)
{
	struct id_list of = { 0 }, found = { 0 };
	pid_t grandchild, child = start(&grandchild);

	(void)state;
	vec_push(&of, (int)getpid());
	descendants_add(&of, false, &found);
	if (!found.count && access("/proc/self/task", F_OK) == 0)
		print_message("this kernel has no files 'children'\n");
	else
		assert_true(has(&found, child) && has(&found, grandchild));
	found.count = 0;
	descendants_add(&of, true, &found); /* the first thread made it */
	assert_int_equal(has(&found, child), has(&found, grandchild));
	found.count = 0;
	of.item[0] = (int)getppid();
	descendants_add(&of, false, &found);
	assert_false(has(&found, (int)getpid()));
	assert_false(has(&found, child));
	(void)kill(grandchild, SIGKILL);
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
	vec_done(&of);
	vec_done(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_descendants__of_processes_and_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
