/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GHC's report as JSON. */
#include "json_text.h"

#define CENTRES                                                                                  \
	"\"program\":\"p\",\"cost_centres\":[{\"id\":1,\"label\":\"MAIN\",\"module\":\"MAIN\"}," \
	"{\"id\":7,\"label\":\"f.\\\\\",\"module\":\"Data.Map\"}],"

static const char report[] = "{" CENTRES
			     "\"profile\":{\"id\":1,\"ticks\":2,\"alloc\":0,\"children\":["
			     "{\"id\":7,\"ticks\":3,\"alloc\":40,\"children\":["
			     "{\"id\":7,\"ticks\":0,\"alloc\":5,\"children\":[]}]},"
			     "{\"id\":1,\"ticks\":1,\"alloc\":0,\"children\":[]}]}}";

static void test_ghc_json__ticks_and_bytes(void **state)
{
	struct profile *profile = read_json(report);

	(void)state;
	assert_string_equal(profile_string(profile, profile->meta.command), "p");
	assert_stacks(profile, "ticks",
		      "MAIN.MAIN 2\nMAIN.MAIN;Data.Map.f.\\ 3\nMAIN.MAIN;MAIN.MAIN 1\n");
	assert_stacks(read_json(report), "alloc",
		      "MAIN.MAIN;Data.Map.f.\\ 40\nMAIN.MAIN;Data.Map.f.\\;Data.Map.f.\\ 5\n");
}

static void test_ghc_json__unknown_cost_centres_keep_their_weight(void **state)
{
	struct profile *profile = read_json("{" CENTRES "\"profile\":{\"id\":9,\"ticks\":2,"
					    "\"children\":[{\"id\":1,\"ticks\":4}]}}");

	(void)state;
	assert_int_equal(profile->meta.unknown_records, 1);
	assert_stacks(profile, "ticks", "[unknown] 2\n[unknown];MAIN.MAIN 4\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ghc_json__ticks_and_bytes),
		cmocka_unit_test(test_ghc_json__unknown_cost_centres_keep_their_weight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
