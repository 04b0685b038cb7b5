/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An annotation as text in the layout of `perf annotate --stdio`. */
#ifndef VIEW_ANNOTATE_TEXT_H
#define VIEW_ANNOTATE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/annotation.h"

struct buf;

/* What the columns in front hold. */
enum annotate_column { ANNOTATE_PERCENT, ANNOTATE_PERIOD, ANNOTATE_SAMPLES };

struct annotate_text_options {
	enum annotation_percent percent;
	enum annotate_column column;
	size_t first_event, events; /* columns: events first_event and following */
	bool source;		    /* source lines between the instructions */
	bool source_only;	    /* no instructions */
	bool print_line;	    /* a summary by line, and the line behind hot instructions */
	bool bytes;		    /* of each instruction */
	bool arrows;		    /* jumps and loops as lines in front of the instructions */
	bool full_paths;
	bool quiet; /* no notes below */
	double percent_limit;
};

void annotate_text(const struct annotation *annotation, const struct annotate_text_options *options,
		   struct buf *ret);

#endif
