/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The option rows of everything that draws a flame graph, for OPT_INCLUDE, and drawing with them.
 * Names and meanings are those of flamegraph.pl and inferno-flamegraph. */
#ifndef COMMAND_PICTURE_OPTIONS_H
#define COMMAND_PICTURE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "command/option/option.h"
#include "view/flame/flame_graph.h"

struct buf;
struct err;
struct profile;

/* PICTURE_AUTO: by the suffix of the output, default SVG. */
enum picture_format { PICTURE_AUTO, PICTURE_SVG, PICTURE_HTML };

struct picture_options {
	struct flame_graph_options view;
	enum picture_format format;
	uint64_t width, height, total;
	bool consistent; /* --cp */
	const char *attributes_path;
	struct option_list base;
	struct flame_attributes *attributes;
	struct flame_palette_map *palette_map;
};

/* By the name of an output: .html or .htm; NULL = no. */
bool picture_is_html(const char *output);
/* 0, or a usage error for a name that stands for a format that is not a picture's. */
int picture_check_name(const char *output, struct err *err);
/* 0, or a usage error for a page that would get the name of an SVG or of another format. */
int picture_check_page(const char *output, struct err *err);
extern const struct option_def picture_option_rows[];
void picture_options_defaults(struct picture_options *options);
/* As picture_check_name(), unless the format was given. */
int picture_check_suffix(const struct picture_options *options, const char *output,
			 struct err *err);
/* Reads the files named by options; call before a long recording to report errors early. */
int picture_options_check(struct picture_options *options, struct err *err);
/* Draws; --cp keeps the colours in palette.map afterwards. output: name of the file, for its
 * suffix. */
int picture_draw(struct picture_options *options, const struct profile *profile, const char *output,
		 struct buf *ret, struct err *err);
void picture_options_done(struct picture_options *options);

#endif
