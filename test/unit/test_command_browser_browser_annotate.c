/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/browser/browser_annotate: a recording that cannot be read, or has no code, is an error
 * each time. test/live/browser.sh looks at code. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "command/browser/browser_annotate.h"
#include "command/browser/report_browser.h"
#include "session/load/load.h"
#include "view/browser/browser.h"

static void assert_fails(const char *path, const char *function, int code, const char *message)
{
	struct load_options load = { .symbol = { .symfs = "" } };
	struct browser_annotate *annotate = browser_annotate_new(path, &load);
	const struct browser_function wanted = { .name = function };
	struct annotation *annotation = NULL;

	for (int i = 0; i < 2; i++) {
		struct err err = { 0 };

		assert_int_equal(browser_annotate_build(annotate, &wanted, &annotation, &err),
				 code);
		assert_non_null(strstr(err.msg, message));
		assert_null(annotation);
	}
	browser_annotate_free(annotate);
}

static void test_annotate__needs_a_recording(void **state)
{
	(void)state;
	assert_fails("/nowhere/perf.data", "main", -ENOENT, "/nowhere/perf.data");
}

static void test_annotate__needs_samples_in_code(void **state)
{
	char path[] = "/tmp/browser_annotateXXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "main;work 5\n", 12), 12);
	(void)close(fd);
	assert_fails(path, "main", -ENOENT, "main: no samples in its own code");
	(void)unlink(path);
}

static int refuse(void *context, struct recording *recording, struct profile **ret,
		  const struct report_options **ret_view, struct err *err)
{
	(void)context;
	(void)recording;
	(void)ret;
	(void)ret_view;
	return err_set(err, -ENODATA, "refused");
}

static void test_browse__fails_without_a_profile(void **state)
{
	const struct report_loading loading = { NULL, refuse, NULL };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(report_browse("/nowhere/perf.data", &loading, &err), -1);
	assert_non_null(strstr(err.msg, "/nowhere/perf.data"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_annotate__needs_a_recording),
		cmocka_unit_test(test_annotate__needs_samples_in_code),
		cmocka_unit_test(test_browse__fails_without_a_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
