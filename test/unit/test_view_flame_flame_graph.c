/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flame graph without a browser: boxes add up whatever is left out, names cannot break the
 * document, colours are stable and legible, the subtitle names what is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"
#include "view/flame/flame_color.h"
#include "view/flame/flame_facts.h"
#include "view/flame/flame_graph.h"
#include "view/flame/flame_layout.h"
#include "view/flame/flame_merge.h"
#include "view/flame/flame_prune.h"
#include "view/flame/flame_tree.h"

static frame_id add_frame(struct profile *p, const char *name, const char *module)
{
	struct frame frame = { .function = strtab_puts(p->strings, name),
			       .module = module ? profile_module(p, module, "") : 0 };

	return profile_frame(p, &frame);
}

/* names: frames separated by ';', outermost first. */
static void add(struct profile *p, const char *comm, const char *names, uint64_t weight)
{
	struct profile_sample sample = { .thread = profile_thread(p, 7, 8, comm),
					 .event = profile_event(p, "cycles", ""),
					 .weight = weight,
					 .count = 1 };
	char name[128];

	while (*names) {
		size_t len = strcspn(names, ";");

		(void)snprintf(name, sizeof(name), "%.*s", (int)len, names);
		sample.stack = profile_stack_push(p, sample.stack, add_frame(p, name, "/bin/x"));
		names += len + (names[len] == ';');
	}
	profile_add(p, &sample);
}

/* A tree with many widths: weights 1, 2, 4, … below nested parents. */
static struct profile *make_profile(void)
{
	struct profile *p = profile_new(0);
	char names[128];

	for (int i = 0; i < 12; i++)
		for (int j = 0; j < 12; j++) {
			(void)snprintf(names, sizeof(names), "main;f%d;g%d%s", i, j,
				       j % 3 ? ";h" : "");
			add(p, j % 2 ? "one" : "two", names, 1ull << (i + j));
		}
	return p;
}

/* Children lie inside their parent, do not overlap, and with the parent's own weight and the box of
 * what was gathered they fill it. */
static void check_boxes(const struct flame_layout *layout, uint64_t smallest, bool in_order)
{
	for (size_t i = 0; i < layout->boxes.count; i++) {
		const struct flame_box *parent = &layout->boxes.item[i];
		uint64_t inside = parent->self, end = parent->x;

		if (parent->smaller)
			continue;
		for (size_t j = i + 1; j < layout->boxes.count; j++) {
			const struct flame_box *box = &layout->boxes.item[j];

			if (box->depth != parent->depth + 1 || box->x < parent->x ||
			    box->x >= parent->x + parent->weight)
				continue;
			assert_true(box->weight >= smallest);
			inside += box->weight;
			end = box->x + box->weight > end ? box->x + box->weight : end;
		}
		assert_true(end <= parent->x + parent->weight);
		/* Only a gathered box that is itself too narrow may be missing; where order is time
		 * there may be one between any two others. */
		assert_true(inside <= parent->weight);
		assert_true(in_order || parent->weight - inside < (smallest ? smallest : 1));
	}
}

static void test_layout__adds_up(void **state)
{
	static const double shares[] = { 0, 0.0001, 0.001, 0.01, 0.2 };
	static const char *const base[] = { "f3", "h" };
	struct profile *p = make_profile();
	struct err err = { 0 };

	(void)state;
	/* Every share with every combination of what changes the tree. */
	for (unsigned i = 0; i < sizeof(shares) / sizeof(shares[0]) * 64; i++) {
		unsigned choice = i % 64;
		double share = shares[i / 64];
		struct flame_graph_options options = {
			.reverse = choice & 1,
			.flamechart = choice & 2,
			.no_sort = choice & 4,
			.roots = choice & 8 ? FLAME_ROOTS_NONE : FLAME_ROOTS_TID,
			.measure = choice & 16 ? FLAME_MEASURE_SAMPLES : FLAME_MEASURE_WEIGHT,
			.base = base,
			.base_count = choice & 32 ? 2 : 0,
		};
		struct flame_layout layout;
		struct flame_tree tree;
		uint64_t whole = choice & 16 ? 144 : 4095 * 4095;

		assert_int_equal(flame_tree_build(p, &options, &tree, &err), 0);
		assert_int_equal(tree.nodes.item[0].total + tree.left_out, whole);
		assert_int_equal(tree.left_out == 0, !(choice & 32));
		whole -= tree.left_out;
		flame_prune(&tree, 20 + 10 * i);
		assert_int_equal(tree.nodes.item[0].total, whole);
		flame_layout_build(&tree, 0, share, &layout);
		assert_int_equal(layout.total, whole);
		assert_int_equal(layout.boxes.item[0].weight, layout.total);
		check_boxes(&layout, (uint64_t)__builtin_ceil((double)whole * share),
			    tree.in_order);
		if (share == 0 && !tree.smaller)
			assert_int_equal(layout.hidden, 0);
		flame_layout_done(&layout);
		flame_tree_done(&tree);
	}
	profile_free(p);
}

static void test_tree__measure(void **state)
{
	struct profile *p = profile_new(0);
	struct flame_graph_options options = { 0 };
	struct flame_layout layout;
	struct flame_tree tree;
	struct err err = { 0 };

	(void)state;
	add(p, "x", "a", 10);
	add(p, "x", "b", 10);
	assert_int_equal(flame_tree_build(p, &options, &tree, &err), 0);
	assert_true(tree.by_samples); /* equal periods: counts say as much */
	assert_int_equal(tree.nodes.item[0].total, 2);
	flame_layout_build(&tree, 100, 0, &layout);
	assert_int_equal(layout.total, 100);
	flame_layout_done(&layout);
	flame_tree_done(&tree);
	add(p, "x", "c", 11);
	assert_int_equal(flame_tree_build(p, &options, &tree, &err), 0);
	assert_false(tree.by_samples);
	assert_int_equal(tree.nodes.item[0].total, 31);
	flame_tree_done(&tree);
	options.event = "nothing";
	assert_true(flame_tree_build(p, &options, &tree, &err) < 0);
	profile_free(p);
}

static void draw(struct profile *p, const struct flame_graph_options *options, struct buf *ret)
{
	struct err err = { 0 };

	buf_clear(ret);
	assert_int_equal(flame_graph_svg(p, options, ret, NULL, &err), 0);
}

static void test_svg__has_what_scrapers_read(void **state)
{
	static const char *const wanted[] = {
		"onload=\"init(evt)\"",
		"viewBox=\"0 0 1200 ",
		"id=\"title\"",
		"id=\"details\"",
		"id=\"unzoom\"",
		"id=\"search\"",
		"id=\"ignorecase\"",
		"id=\"matched\"",
		"id=\"frames\"",
		"total_samples=\"3\"",
		"fg:x=\"0\"",
		"fg:w=\"2\"",
		"<title>all (3 samples, 100%)</title>",
		"<title>main (3 samples, 100.00%",
		"<title>f (2 samples, 66.67%",
	};
	struct profile *p = profile_new(0);
	struct flame_graph_options options = { 0 };
	struct buf svg = { 0 };

	(void)state;
	add(p, "x", "main;f", 5);
	add(p, "x", "main;f", 5);
	add(p, "x", "main;g", 5);
	draw(p, &options, &svg);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		assert_non_null(strstr(svg.data, wanted[i]));
	buf_done(&svg);
	profile_free(p);
}

static void test_svg__hostile_texts_stay_text(void **state)
{
	static const char evil[] = "</title><script>alert(1)</script>\"'&]]>\x01\xff--";
	struct profile *p = profile_new(0);
	struct flame_graph_options options = { .title = evil,
					       .subtitle = evil,
					       .notes = evil,
					       .countname = evil,
					       .nametype = evil,
					       .fonttype = evil };
	struct buf svg = { 0 };
	size_t scripts = 0;

	(void)state;
	add(p, evil, evil, 1);
	p->frames.item[0].file = strtab_puts(p->strings, evil);
	draw(p, &options, &svg);
	for (const char *at = svg.data; (at = strstr(at, "<script")); at++)
		scripts++;
	assert_int_equal(scripts, 1); /* our own */
	assert_null(strstr(svg.data, "\x01"));
	assert_null(strstr(svg.data, "\xff"));
	assert_null(strstr(strstr(svg.data, "<!-- NOTES"), "-->--"));
	buf_done(&svg);
	profile_free(p);
}

static void test_svg__refuses_what_it_cannot_draw(void **state)
{
	struct profile *p = profile_new(0);
	struct flame_graph_options options = { 0 };
	struct buf svg = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_true(flame_graph_svg(p, &options, &svg, NULL, &err) < 0);
	add(p, "x", "a", 1);
	options.colors = "beige";
	assert_true(flame_graph_svg(p, &options, &svg, NULL, &err) < 0);
	assert_non_null(strstr(err.hint, "hot, mem"));
	options = (struct flame_graph_options){ .bgcolors = "#12345" };
	assert_true(flame_graph_svg(p, &options, &svg, NULL, &err) < 0);
	options = (struct flame_graph_options){ .width = 10 };
	assert_true(flame_graph_svg(p, &options, &svg, NULL, &err) < 0);
	buf_done(&svg);
	profile_free(p);
}

static double luminance_part(unsigned v)
{
	double x = v / 255.0;

	return x <= 0.04045 ? x / 12.92 : __builtin_pow((x + 0.055) / 1.055, 2.4);
}

static void test_color__text_is_legible_in_every_palette(void **state)
{
	static const char *const palettes[] = { "",	  "hot",    "mem",   "io",   "wakeup",
						"chain",  "java",   "js",    "perl", "python",
						"rust",	  "red",    "green", "blue", "aqua",
						"yellow", "purple", "orange" };
	char name[32];

	(void)state;
	for (size_t i = 0; i < sizeof(palettes) / sizeof(palettes[0]); i++) {
		const struct flame_palette *palette = flame_palette_find(palettes[i]);

		assert_non_null(palette);
		for (unsigned j = 0; j < 300; j++) {
			struct flame_subject subject = { .name = name,
							 .kind = j % FLAME_KIND_COUNT,
							 .inlined = j % 2 };
			double light;
			rgb color;

			(void)snprintf(name, sizeof(name), "f%u", j);
			color = flame_color(palette, &subject);
			assert_int_equal(color, flame_color(palette, &subject));
			assert_true(color <= 0xffffff);
			light = 0.2126 * luminance_part(color >> 16) +
				0.7152 * luminance_part(color >> 8 & 255) +
				0.0722 * luminance_part(color & 255);
			if (flame_color_is_dark(color))
				assert_true(1.05 / (light + 0.05) >= 4.5);
			else
				assert_true((light + 0.05) / 0.05 >= 4.5);
		}
	}
	assert_null(flame_palette_find("beige"));
}

static void test_facts__report_what_is_missing(void **state)
{
	struct profile *p = make_profile();
	struct flame_graph_options options = { 0 };
	struct flame_layout layout;
	struct flame_tree tree;
	struct flame_facts facts;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(flame_tree_build(p, &options, &tree, &err), 0);
	flame_layout_build(&tree, 0, 0, &layout);
	flame_facts_collect(p, &tree, &options, &layout, &facts);
	assert_string_equal(facts.about.data, "cycles \xc2\xb7 144 samples");
	assert_string_equal(facts.title.data, "Flame Graph");
	assert_memory_equal(facts.missing.data, "only ", 5); /* nothing else is missing */
	assert_string_equal(facts.remedies.data,
			    "few samples: record longer, or at a higher rate (-F)\n");
	flame_facts_done(&facts);
	options.source = "a.folded";
	flame_facts_collect(p, &tree, &options, &layout, &facts);
	assert_string_equal(facts.title.data, "a.folded");
	flame_facts_done(&facts);

	p->meta.lost_samples = 3;
	p->meta.truncated_bytes = 9;
	p->meta.duration_ns = 1500000000;
	p->meta.command = strtab_puts(p->strings, "./app");
	p->events.item[0].stop[STACK_STOP_NONE] = 44;
	p->events.item[0].stop[STACK_STOP_ROOT] = 99;
	p->events.item[0].stop[STACK_STOP_FP_LOST] = 1;
	p->events.item[0].frames = 100000;
	p->events.item[0].unknown_frames = 1;
	layout.hidden = layout.total / 8;
	flame_facts_collect(p, &tree, &options, &layout, &facts);
	assert_string_equal(facts.about.data, "cycles \xc2\xb7 144 samples \xc2\xb7 1.5 s");
	assert_string_equal(facts.title.data, "./app");
	assert_string_equal(facts.hint.data,
			    "Width is the number of cycles: look first at the widest frames with "
			    "nothing beyond them; click a frame to zoom.");
	assert_non_null(strstr(facts.remedies.data, "losses: record with a larger buffer (-m)"));
	assert_non_null(strstr(facts.remedies.data, "incomplete stacks: mostly "));
	assert_non_null(strstr(facts.remedies.data, "missing bytes: "));
	assert_non_null(
		strstr(facts.missing.data,
		       "3 samples lost \xc2\xb7 1.0% of stacks incomplete \xc2\xb7 "
		       "<0.1% of frames without a symbol \xc2\xb7 9 bytes missing at the end "
		       "\xc2\xb7 12% in frames too small to draw"));
	flame_facts_done(&facts);

	options.title = "mine";
	p->events.item[0].kind = EVENT_KIND_OFF_CPU;
	p->events.item[0].weight = 2500000000;
	flame_facts_collect(p, &tree, &options, &layout, &facts);
	assert_string_equal(facts.title.data, "mine");
	assert_string_equal(facts.about.data, "cycles \xc2\xb7 144 waits \xc2\xb7 2.5 s waited "
					      "\xc2\xb7 1.5 s \xc2\xb7 ./app");
	assert_non_null(strstr(facts.hint.data, "Width is time off the CPU"));
	flame_facts_done(&facts);
	flame_layout_done(&layout);
	flame_tree_done(&tree);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout__adds_up),
		cmocka_unit_test(test_tree__measure),
		cmocka_unit_test(test_svg__has_what_scrapers_read),
		cmocka_unit_test(test_svg__hostile_texts_stay_text),
		cmocka_unit_test(test_svg__refuses_what_it_cannot_draw),
		cmocka_unit_test(test_color__text_is_legible_in_every_palette),
		cmocka_unit_test(test_facts__report_what_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
