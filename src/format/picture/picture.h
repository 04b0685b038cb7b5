/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flame graphs as an input: a picture is the last thing that is kept of many a profile. Cupel's
 * own, SVG or HTML, hold the whole tree; of FlameGraph's and inferno's SVGs the boxes tell it. What
 * was too narrow to draw is weight of the frame below. */
#ifndef FORMAT_PICTURE_PICTURE_H
#define FORMAT_PICTURE_PICTURE_H

#include <stddef.h>
#include <stdint.h>

#include "format/perf_script/perf_script_line.h" /* struct slice */

struct err;
struct profile;

/* The tree packed by view/flame/flame_pack.h: base64 of zlib. */
int flame_data_read(struct slice base64, struct profile *profile, struct err *err);
/* <title>NAME (WEIGHT unit, …)</title><rect …> wherever they are in the text. */
int flame_boxes_read(struct slice text, struct profile *profile, struct err *err);

#endif
