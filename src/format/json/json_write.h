/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the writers of JSON formats. doc/formats.md lists what each keeps. */
#ifndef FORMAT_JSON_JSON_WRITE_H
#define FORMAT_JSON_JSON_WRITE_H

#include <stdint.h>

struct buf;
struct frame;
struct profile;

/* The frame's function, else "[module]" or "[unknown]", as a JSON string. */
void json_put_frame_name(const struct profile *profile, const struct frame *frame, struct buf *ret);
/* value / scale, exactly; scale is a power of ten. */
void json_put_scaled(uint64_t value, uint64_t scale, struct buf *ret);

#endif
