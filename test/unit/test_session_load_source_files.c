/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which source files are taken: called like source, here, not newer than the program, long enough.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fd.h"
#include "profile/profile.h"
#include "session/load/source_files.h"

static char root[] = "/tmp/cupel-source-XXXXXX";

/* A file below the root, as old as that. */
static void write_file(const char *name, const char *text, time_t age)
{
	const struct timespec times[2] = { { .tv_sec = 1000000 - age },
					   { .tv_sec = 1000000 - age } };
	char path[128];
	AUTO_CLOSE int fd = -1;

	(void)snprintf(path, sizeof(path), "%s%s", root, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, text, strlen(text)), 0);
	assert_int_equal(futimens(fd, times), 0);
}

static void add(struct profile *p, const char *module, const char *file, uint32_t line)
{
	struct frame frame = { .module = profile_module(p, module, ""),
			       .file = strtab_puts(p->strings, file),
			       .line = line };
	struct profile_sample sample = { .event = profile_event(p, "cycles", ""), .count = 1 };

	sample.stack = profile_stack_push(p, sample.stack, profile_frame(p, &frame));
	sample.thread = profile_thread(p, 1, 1, "app");
	profile_add(p, &sample);
}

static void test_source_files__what_can_be_believed(void **state)
{
	struct profile *p = profile_new(0);
	struct source_tally tally;

	(void)state;
	write_file("/program", "x", 10);
	write_file("/old.c", "one\ntwo\n", 20);
	write_file("/new.c", "one\ntwo\n", 5);
	write_file("/short.c", "one\n", 20);
	write_file("/secret", "one\ntwo\n", 20);
	write_file("/empty.c", "", 20);
	add(p, "/program", "/old.c", 2);
	add(p, "/program", "/new.c", 2);
	add(p, "/program", "/short.c", 2);
	add(p, "/program", "/secret", 2);
	add(p, "/program", "/empty.c", 2);
	add(p, "/program", "/none.c", 2);
	add(p, "/program", "/", 2);
	source_files_keep(p, root, &tally);
	assert_int_equal(tally.files, 7);
	assert_int_equal(tally.taken, 1);
	assert_int_equal(tally.newer, 1);
	assert_int_equal(tally.foreign, 1);
	assert_int_equal(p->source.count, 2);
	assert_string_equal(profile_string(p, p->source.item[1].text), "two");
	profile_free(p);
}

static void test_source_files__of_a_program_that_is_not_here(void **state)
{
	struct profile *p = profile_new(0);
	struct source_tally tally;

	(void)state;
	add(p, "/elsewhere", "/new.c", 1);
	source_files_keep(p, root, &tally);
	assert_int_equal(tally.taken, 1);
	profile_free(p);
}

static int make_root(void **state)
{
	(void)state;
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	static const char *const names[] = { "/program", "/old.c",  "/new.c",
					     "/short.c", "/secret", "/empty.c" };
	char path[128];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		(void)snprintf(path, sizeof(path), "%s%s", root, names[i]);
		(void)unlink(path);
	}
	return rmdir(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_source_files__what_can_be_believed),
		cmocka_unit_test(test_source_files__of_a_program_that_is_not_here),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
