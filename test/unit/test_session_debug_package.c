/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/debug_package: the package of a file, by dpkg's lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "profile/nameless.h"
#include "profile/profile.h"
#include "session/debug_package.h"

static void put(const char *name, const char *text)
{
	FILE *file = fopen(name, "we");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(0, fclose(file));
}

static void test_finds_the_owner(void **state)
{
	char package[64];

	(void)state;
	put("dash.list", "/.\n/bin\n/bin/dash\n/usr/share/doc\n");
	put("libc6:amd64.list", "/usr/lib/libc.so.6\n");
	put("dash.md5sums", "/usr/bin/other\n");
	assert_true(debug_package_find(".", "/usr/bin/dash", package, sizeof(package)));
	assert_string_equal(package, "dash-dbgsym");
	assert_true(debug_package_find(".", "/usr/lib/libc.so.6", package, sizeof(package)));
	assert_string_equal(package, "libc6-dbg");
	assert_false(debug_package_find(".", "/usr/bin/das", package, sizeof(package)));
	assert_false(debug_package_find(".", "/usr/bin/other", package, sizeof(package)));
	assert_false(debug_package_find(".", "[kernel]", package, sizeof(package)));
	assert_false(debug_package_find(".", "/.", package, sizeof(package)));
	assert_false(debug_package_find("/nowhere", "/bin/dash", package, sizeof(package)));
	assert_int_equal(0,
			 unlink("dash.list") | unlink("libc6:amd64.list") | unlink("dash.md5sums"));
}

static void test_advises(void **state)
{
	struct profile *p = profile_new(0);
	uint32_t module = profile_module(p, "/usr/bin/dash", "");
	struct frame frame = { .module = module, .offset = 1 };
	struct profile_sample sample = { .event = profile_event(p, "cycles", ""),
					 .thread = profile_thread(p, 1, 1, "x"),
					 .weight = 1,
					 .count = 1 };
	struct nameless found;

	(void)state;
	put("dash.list", "/bin/dash\n");
	sample.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame));
	profile_add(p, &sample);
	debug_package_advise(p, ".");
	assert_false(p->modules.item[module].remedy.v); /* no problem is known */
	p->modules.item[module].problem = strtab_puts(p->strings, "no such file");
	debug_package_advise(p, ".");
	assert_false(p->modules.item[module].remedy.v); /* a package of symbols does not help */
	p->modules.item[module].problem = strtab_puts(p->strings, "stripped: no symbols");
	debug_package_advise(p, ".");
	assert_true(nameless_find(p, &found));
	assert_string_equal(found.advice, "install dash-dbgsym, or use --debuginfod");
	profile_free(p);
	assert_int_equal(0, unlink("dash.list"));
}

static int enter(void **state)
{
	static char folder[] = "/tmp/cupel_lists_XXXXXX";

	*state = mkdtemp(folder);
	return !*state || chdir(*state);
}

static int leave(void **state)
{
	return chdir("/") || rmdir(*state);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_finds_the_owner),
					    cmocka_unit_test(test_advises) };

	return cmocka_run_group_tests_name("session/debug_package", tests, enter, leave);
}
