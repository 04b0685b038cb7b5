/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/thread_stack: the stack of a thread that sleeps, and nothing of one that runs or is gone.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "source/thread_stack.h"

static void test_thread_stack__of_a_sleeping_child(void **state)
{
	static const char words[] = "on the stack of the child";
	static uint8_t bytes[THREAD_STACK_MOST];
	char text[sizeof(words)];
	uint64_t sp = (uint64_t)(uintptr_t)text;
	size_t got = 0;
	pid_t child;

	(void)state;
	memcpy(text, words, sizeof(words));
	child = fork();
	if (child == 0)
		for (;;)
			(void)pause();
	assert_true(child > 0);
	/* It may not have come to its call yet. */
	for (int i = 0; !got && i < 60000; i++) {
		got = thread_stack_read((uint32_t)child, (uint32_t)child, sp, sp + sizeof(text),
					bytes);
		if (!got)
			(void)usleep(1000);
	}
	assert_int_equal(got, sizeof(text));
	assert_memory_equal(bytes, words, sizeof(words));
	assert_int_equal(thread_stack_read((uint32_t)child, (uint32_t)child, 16, 32, bytes), 0);
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
	assert_int_equal(thread_stack_read((uint32_t)child, (uint32_t)child, sp, sp + 8, bytes), 0);
}

static void test_thread_stack__not_of_a_running_thread(void **state)
{
	static uint8_t bytes[THREAD_STACK_MOST];
	uint64_t sp = (uint64_t)(uintptr_t)bytes;

	(void)state;
	assert_int_equal(
		thread_stack_read((uint32_t)getpid(), (uint32_t)gettid(), sp, sp + 8, bytes), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thread_stack__of_a_sleeping_child),
		cmocka_unit_test(test_thread_stack__not_of_a_running_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
