/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines of an annotation: the functions inlined at each instruction, and the text of the
 * files. Private to session/annotate. */
#ifndef SESSION_ANNOTATE_SOURCE_H
#define SESSION_ANNOTATE_SOURCE_H

struct annotation;
struct code_image;
struct symbolizer;

/* Fills rows[].frame and frames, annotation.frames and annotation.sources (without text). */
void annotate_add_places(struct annotation *annotation, const struct code_image *image,
			 struct symbolizer *lines);
/* Reads the lines that were found, and some around them. symfs: "" or NULL = none. */
void annotate_read_sources(struct annotation *annotation, const char *symfs);

#endif
