/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/list_text: a reason that a whole group has stands in its title, others with their event.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "command/list_text.h"
#include "session/catalog/catalog.h"

static void test_list__says_what_does_not_work(void **state)
{
	static const bool none[CATALOG_GROUPS];
	struct list_layout layout = { .details = true, .group = none, .width = 80 };
	struct catalog catalog = { 0 };
	struct buf text = { 0 };

	(void)state;
	vec_push(&catalog.entry, ((struct catalog_entry){ CATALOG_HARDWARE, "cycles", "cpu-cycles",
							  "clock", "type 0", -ENOENT }));
	vec_push(&catalog.entry,
		 ((struct catalog_entry){ CATALOG_SOFTWARE, "dummy", NULL, "nothing", NULL, 0 }));
	vec_push(&catalog.entry,
		 ((struct catalog_entry){ CATALOG_SOFTWARE, "other", NULL, NULL, NULL, -EACCES }));
	list_put_text(&catalog, &layout, &text);
	assert_string_equal(text.data,
			    "Hardware event [hw]: not on this CPU or virtual machine\n"
			    "  cycles OR cpu-cycles                  clock\n"
			    "        type 0\n"
			    "\n"
			    "Software event [sw]\n"
			    "  dummy                                 nothing\n"
			    "  other                                 (no permission; see: cupel "
			    "doctor)\n");
	buf_done(&text);
	layout.width = 30;
	layout.details = false;
	list_put_text(&catalog, &layout, &text);
	assert_non_null(strstr(text.data, "  other (no permission; see:\n        cupel doctor)\n"));
	buf_done(&text);
	list_put_names(&catalog, &text);
	assert_string_equal(text.data, "cycles cpu-cycles dummy other \n");
	buf_done(&text);
	vec_done(&catalog.entry);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list__says_what_does_not_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
