/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flame graphs of functions with arbitrary bytes as names, with titles, attributes and palette maps
 * that are, too: the SVG is well-formed and has no script but its own, the page has no element but
 * its own. Lines of the input are names; the first byte chooses options. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"
#include "view/flame/flame_attributes.h"
#include "view/flame/flame_graph.h"
#include "view/flame/flame_html.h"
#include "view/flame/flame_palette_map.h"
#include "xml_check.h"

static void add_stack(struct profile *p, const char *name, uint64_t weight)
{
	struct frame frame = { .function = strtab_puts(p->strings, name),
			       .file = strtab_puts(p->strings, name),
			       .module = profile_module(p, name, "") };
	frame_id id = profile_frame(p, &frame);
	struct profile_sample sample = { .thread = profile_thread(p, 1, 1, name),
					 .event = profile_event(p, "cycles", name),
					 .weight = weight,
					 .count = 1 };

	sample.stack = profile_stack_push(p, STACK_EMPTY, id);
	profile_add(p, &sample);
	sample.stack = profile_stack_push(p, sample.stack, id);
	profile_add(p, &sample);
}

static size_t occurrences(const char *text, const char *word)
{
	size_t count = 0;

	for (const char *at = text; (at = strcasestr(at, word)); at++)
		count++;
	return count;
}

static void check_page(const struct profile *p, const struct flame_graph_options *options)
{
	struct buf page = { 0 };
	struct err err;

	if (flame_html(p, options, &page, &err) == 0 &&
	    (occurrences(page.data, "<script") != 2 || occurrences(page.data, "</script") != 2 ||
	     occurrences(page.data, "<style") != 1 || occurrences(page.data, "</style") != 1))
		__builtin_trap();
	buf_done(&page);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_zalloc(size + 2), *line, *rest;
	unsigned choice = size ? data[0] : 0;
	struct profile *p = profile_new(0);
	struct buf svg = { 0 };
	struct err err;
	size_t bad;

	if (size > 1)
		memcpy(text, data + 1, size - 1);
	struct flame_graph_options options = {
		.title = text,
		.subtitle = choice & 1 ? text : NULL,
		.notes = text,
		.countname = choice & 2 ? text : NULL,
		.nametype = text,
		.fonttype = text,
		.inverted = choice & 4,
		.pretty_xml = choice & 8,
		.no_javascript = choice & 16,
		.truncate_left = choice & 32,
		.color_diffusion = choice & 64,
		.attributes = flame_attributes_parse(text, size, &bad),
		.palette_map = flame_palette_map_parse(text, size, &bad),
	};
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		add_stack(p, line, 1 + choice);
	if (flame_graph_svg(p, &options, &svg, NULL, &err) == 0 &&
	    !xml_is_sound(svg.data, svg.len, options.no_javascript ? 0 : 1))
		__builtin_trap();
	check_page(p, &options);
	buf_done(&svg);
	flame_attributes_free((void *)(uintptr_t)options.attributes);
	flame_palette_map_free(options.palette_map);
	profile_free(p);
	free(text);
	return 0;
}
