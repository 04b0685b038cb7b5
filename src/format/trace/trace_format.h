/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the text of a tracepoint's format is in shape. libtraceevent follows it trustingly, so
 * formats from a file are looked at first. */
#ifndef FORMAT_TRACE_FORMAT_H
#define FORMAT_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

/* No field may reach past this many bytes of payload. */
#define TRACE_FORMAT_FIELD_LIMIT 65536u

/* text: the contents of events/SYSTEM/NAME/format in tracefs. */
bool trace_format_valid(const char *text, size_t len);

#endif
