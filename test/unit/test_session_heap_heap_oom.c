/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts of cgroups: which one, and how many kills. test/live/heap_oom.sh has real ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/heap/heap_oom.h"

static void test_heap_oom__cgroup(void **state)
{
	static const char both[] = "9:name=systemd:/x\n4:cpu,memory:/a b:c\n0::/unified\n";
	char path[PATH_MAX], text[PATH_MAX + 16] = "0::";

	(void)state;
	assert_true(heap_oom_cgroup(both, true, path));
	assert_string_equal(path, "/a b:c");
	assert_true(heap_oom_cgroup(both, false, path));
	assert_string_equal(path, "/unified");
	assert_true(heap_oom_cgroup("0::/", false, path));
	assert_string_equal(path, "/");
	assert_false(heap_oom_cgroup("0::/", true, path));
	assert_false(heap_oom_cgroup("", false, path));
	assert_false(heap_oom_cgroup(":\n::\nmemory\n5:memory\n5:memory", true, path));
	memset(text + 3, 'x', PATH_MAX);
	assert_false(heap_oom_cgroup(text, false, path));
}

static void test_heap_oom__count(void **state)
{
	uint64_t count;

	(void)state;
	assert_true(heap_oom_count("low 0\noom 7\noom_kill 3\noom_group_kill 9\n", &count));
	assert_int_equal(count, 3);
	assert_true(heap_oom_count("oom_kill 12", &count));
	assert_int_equal(count, 12);
	assert_true(heap_oom_count("oom_kill_disable 0\nunder_oom 0\noom_kill 1\n", &count));
	assert_int_equal(count, 1);
	assert_false(heap_oom_count("oom_kill_disable 4\n", &count));
	assert_false(heap_oom_count("oom_kill \n", &count));
	assert_false(heap_oom_count("", &count));
}

static void test_heap_oom__ending(void **state)
{
#define STAT(state, flags, pending)                                                     \
	"7 (a) b) " state " 1 7 7 0 -1 " flags " 5 5 0 0 1 1 0 0 20 0 1 0 99 4096 10 1" \
	" 1 1 1 1 1 " pending " 0 0 0 0"
	(void)state;
	assert_false(heap_oom_is_ending(STAT("S", "4194304", "0")));
	assert_false(heap_oom_is_ending(STAT("R", "4194304", "2")));
	assert_true(heap_oom_is_ending(STAT("Z", "4194304", "0")));
	assert_true(heap_oom_is_ending(STAT("D", "4194308", "0")));
	assert_true(heap_oom_is_ending(STAT("D", "4194304", "256")));
	assert_false(heap_oom_is_ending("7 (a) Z 1 2"));
	assert_false(heap_oom_is_ending("7 (a)"));
	assert_false(heap_oom_is_ending(""));
}

static void test_heap_oom__nobody_was_killed(void **state)
{
	struct heap_oom oom = { .pid = getpid() };
	struct run run = { 0 };

	(void)state;
	heap_oom_attend(&oom, &run);
	assert_int_equal(run.timer.count, 1);
	assert_false(heap_oom_end(&oom));
	vec_done(&run.timer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heap_oom__cgroup),
		cmocka_unit_test(test_heap_oom__count),
		cmocka_unit_test(test_heap_oom__ending),
		cmocka_unit_test(test_heap_oom__nobody_was_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
