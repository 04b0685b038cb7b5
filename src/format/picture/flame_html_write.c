/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profile → flame graph, HTML (see view/flame/flame_html.h). Any of these pictures is read by
 * flame_read.c. */
#include "format/format.h"
#include "view/flame/flame_graph.h"
#include "view/flame/flame_html.h"

static int write_html(const struct profile *profile, const struct format_write_options *options,
		      struct buf *ret, struct err *err)
{
	struct flame_graph_options flame = { .event = options->event };

	return flame_html(profile, &flame, ret, err);
}

const struct format_ops format_html = {
	.name = "html",
	.suffix = ".html",
	.help = "flame graph as a page",
	.write = write_html,
};
