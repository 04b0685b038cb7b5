/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The content of a packed file (input_rewinds()) from any offset on, for several readers at a time.
 * gzip can only be unpacked from its beginning: what was unpacked up to a few places is kept, and a
 * reader begins at the last one before its offset. */
#ifndef FORMAT_PACKED_TEXT_H
#define FORMAT_PACKED_TEXT_H

#include <stddef.h>

#include "base/json.h"

struct input;
struct packed_text;

/* The input is borrowed. */
struct packed_text *packed_text_new(const struct input *input);
void packed_text_free(struct packed_text *text); /* NULL is fine */
/* The text for json_parse_pieces(). */
struct json_text packed_text_json(struct packed_text *text, size_t most_bytes);

#endif
