/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles written as JSON that viewers read; slots of struct format_ops. What each keeps is in
 * doc/formats.md. */
#ifndef FORMAT_JSON_JSON_WRITE_H
#define FORMAT_JSON_JSON_WRITE_H

#include <stdint.h>

struct buf;
struct err;
struct fold_options;
struct frame;
struct profile;

int speedscope_write(const struct profile *profile, const struct fold_options *options,
		     struct buf *ret, struct err *err);
int firefox_write(const struct profile *profile, const struct fold_options *options,
		  struct buf *ret, struct err *err);
int chrome_trace_write(const struct profile *profile, const struct fold_options *options,
		       struct buf *ret, struct err *err);

/* The frame's function, else "[module]" or "[unknown]", as a JSON string. */
void json_put_frame_name(const struct profile *profile, const struct frame *frame, struct buf *ret);
/* value / scale, exactly; scale is a power of ten. */
void json_put_scaled(uint64_t value, uint64_t scale, struct buf *ret);

#endif
