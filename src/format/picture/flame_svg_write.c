/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profile → flame graph, SVG (see view/flame/flame_graph.h). Any of these pictures is read by
 * flame_read.c. */
#include "format/format.h"
#include "view/flame/flame_graph.h"

static int write_svg(const struct profile *profile, const struct format_write_options *options,
		     struct buf *ret, struct err *err)
{
	struct flame_graph_options flame = { .minwidth = 0.1, .event = options->event };

	return flame_graph_svg(profile, &flame, ret, NULL, err);
}

const struct format_ops format_svg = {
	.name = "svg",
	.suffix = ".svg",
	.help = "flame graph",
	.write = write_svg,
};
