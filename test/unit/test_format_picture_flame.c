/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flame graphs as inputs: cupel's own come back whole, of others the boxes are read. */
#include "format/format.h"
#include "format/picture/picture.h"
#include "text_profile.h"
#include "view/flame/flame_graph.h"
#include "view/flame/flame_html.h"

#define FOLDED "a;\"<&>]]>--; x y 2\na;b 0.5\na;b;c_[k] 3.125\n" /* sorted */

/* As FlameGraph's: pixels, a frame too narrow to be there, no weight but in titles. */
static const char flame_graph[] =
	"<?xml version=\"1.0\"?>\n<svg>\n<!-- Flame graph stack visualization. -->\n"
	"<g >\n<title>f(int) (3 samples, 0.3%)</title><rect x=\"10.0\" y=\"20\" width=\"30.0\" />"
	"</g>\n<g >\n<title>all (1,000 samples, 100%)</title>"
	"<rect x=\"10.0\" y=\"40\" width=\"1000.0\" /></g>\n"
	"<g >\n<title>g&lt;A&gt; (990 samples, 99%)</title>"
	"<rect x=\"40.0\" y=\"20\" width=\"950.0\" /></g>\n"
	"<g >\n<title>h (90 samples, 9%)</title>"
	"<rect x=\"50.0\" y=\"0\" width=\"90.0\" /></g>\n<title>odd</title></svg>\n";

static const char inferno[] =
	"<svg xmlns:fg=\"http://github.com/jonhoo/inferno\"><g><title>all (5 samples, 100%)</title>"
	"<rect x=\"0%\" y=\"0\" width=\"100%\" fg:x=\"0\" fg:w=\"2\"/></g>"
	"<g><title>named by hand</title>"
	"<rect x=\"0%\" y=\"16\" width=\"50%\" fg:x=\"0\" fg:w=\"1\"/></g></svg>";

static void test_picture__boxes(void **state)
{
	(void)state;
	assert_text(flame_graph, "picture", "samples",
		    "[unknown] 7\nf(int) 3\ng<A> 900\ng<A>;h 90\n");
	assert_text(inferno, "picture", "samples", "[unknown] 1\nnamed by hand 1\n");
}

static void assert_picture(int (*draw)(const struct profile *, const struct flame_graph_options *,
				       struct buf *, struct err *),
			   struct flame_graph_options options)
{
	struct profile *profile = profile_new(0);
	struct buf picture = { 0 };
	struct err err = { 0 };

	folded_parse(FOLDED, sizeof(FOLDED) - 1, profile);
	profile_count(profile);
	options.minwidth = 0.1;
	assert_int_equal(draw(profile, &options, &picture, &err), 0);
	assert_text(picture.data, "picture", "samples", FOLDED);
	buf_done(&picture);
	profile_free(profile);
}

static int draw_svg(const struct profile *profile, const struct flame_graph_options *options,
		    struct buf *ret, struct err *err)
{
	return flame_graph_svg(profile, options, ret, NULL, err);
}

static void test_picture__own_come_back(void **state)
{
	(void)state;
	assert_picture(draw_svg, (struct flame_graph_options){ .inverted = true });
	assert_picture(draw_svg, (struct flame_graph_options){ .reverse = true });
	assert_picture(flame_html, (struct flame_graph_options){ 0 });
}

static void test_picture__damaged(void **state)
{
	static const char *const texts[] = {
		"<svg xmlns:fg=\"http://github.com/jonhoo/inferno\">",
		"<svg xmlns:fg=\"http://github.com/jonhoo/inferno\"><x id=\"flame-data\">eF51</x>",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct input *input = input_memory(texts[i], strlen(texts[i]));
		struct profile *profile = profile_new(0);
		struct err err = { 0 };

		assert_int_not_equal(format_read(&format_picture, input, NULL, profile, &err), 0);
		assert_true(strlen(err.msg) > 0);
		input_close(input);
		profile_free(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_picture__boxes),
		cmocka_unit_test(test_picture__own_come_back),
		cmocka_unit_test(test_picture__damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
