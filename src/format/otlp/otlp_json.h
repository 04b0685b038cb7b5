/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OTLP profiles as JSON (protobuf's JSON mapping, as the OTLP specification has it: names in
 * lowerCamelCase, 64-bit numbers as numbers or strings) → the same message as protobuf, for
 * otlp_read(). What that does not read is left out, such as identifiers, links and doubles. */
#ifndef FORMAT_OTLP_OTLP_JSON_H
#define FORMAT_OTLP_OTLP_JSON_H

#include <stddef.h>

struct buf;
struct err;

/* ret: empty. -EBADMSG: no whole JSON; -EINVAL: a value of the wrong type, named; -EPROTONOSUPPORT:
 * the names of an older release. */
int otlp_json_to_wire(const char *text, size_t len, struct buf *ret, struct err *err);

#endif
