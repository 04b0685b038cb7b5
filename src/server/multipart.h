/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One field of a form, multipart/form-data (RFC 7578). Everything is untrusted; nothing is copied.
 */
#ifndef SERVER_MULTIPART_H
#define SERVER_MULTIPART_H

#include <stdbool.h>

#include "server/unpack_body.h"

#define MULTIPART_BOUNDARY_MAX 71 /* with its NUL */

/* The boundary in a Content-Type; false: it is no form, or has none. */
bool multipart_boundary(const char *type, char ret[MULTIPART_BOUNDARY_MAX]);
/* The content of the first field of that name, inside the data. */
bool multipart_find(struct body_bytes data, const char *boundary, const char *name,
		    struct body_bytes *ret);

#endif
