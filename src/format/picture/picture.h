/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flame graphs as input. Cupel's SVG and HTML contain the whole tree; FlameGraph's and inferno's
 * SVGs are read from their boxes. Frames that were too narrow to draw become self weight of the
 * frame below. */
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
