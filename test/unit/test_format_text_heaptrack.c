/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heaptrack: what was allocated, lives at the end, lived at the peak and was temporary; damage. */
#include <errno.h>

#include "text_profile.h"

/* main calls f, into which g is inlined; a block of 16 and one of 32 bytes. */
#define HEAD                                                                               \
	"v 10400 3\nX ./a b\nI 1000 5e2990\ns 6 /bin/a\ns 4 main\ns 1 f\ns 1 g\ns 3 g.c\n" \
	"i 4005cc 1 2\nt 1 0\ni 4005bb 1 4 5 c 3 5 1f\nt 2 1\na 10 1\na 20 2\n"

static void test_heaptrack__sums(void **state)
{
	static const char text[] = HEAD "c 0\n+ 0\n+ 1\n+ 1\n- 1\n- 0\nR 12\n- 1\n+ 0\n# end\n";

	(void)state;
	assert_text(text, "heaptrack", "heap-alloc", "main 32\nmain;f;g_[i] 64\n");
	assert_text(text, "heaptrack", "heap-count", "main 2\nmain;f;g_[i] 2\n");
	assert_text(text, "heaptrack", "heap-live", "main 16\n");
	assert_text(text, "heaptrack", "heap-peak", "main 16\nmain;f;g_[i] 64\n");
	assert_text(text, "heaptrack", "heap-temporary", "main;f;g_[i] 32\n");
}

/* Before format 3 strings have no length. */
static void test_heaptrack__older(void **state)
{
	(void)state;
	assert_text("v 10000 2\nX a\ns my main\ni 1 0 1\nt 1 0\na 8 1\n+ 0\n", "heaptrack",
		    "heap-live", "my main 8\n");
}

/* What refers to nothing is left out and counted. */
static void test_heaptrack__damage(void **state)
{
	static const char text[] = HEAD "+ 7\n- 1\nt 9 0\nt 1 9\ni 1 99\ns 9 short\n+ x\n+ 1\n";
	const struct format_ops *format = format_find("heaptrack");
	struct profile *profile = profile_new(0);
	struct input *input = input_memory(text, strlen(text));
	struct err err = { 0 };

	(void)state;
	assert_int_equal(format_read(format, input, NULL, profile, &err), 0);
	assert_int_equal(profile->meta.unknown_records, 7);
	input_close(input);
	profile_free(profile);
	profile = profile_new(0);
	input = input_memory("v 10400 3\nx /bin/a\nm 1\n", 21);
	assert_int_equal(format_read(format, input, NULL, profile, &err), -ENODATA);
	assert_non_null(strstr(err.hint, "--interpret"));
	input_close(input);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heaptrack__sums),
		cmocka_unit_test(test_heaptrack__older),
		cmocka_unit_test(test_heaptrack__damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
