/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile as bytes, for the process that asked another one of this program to load it. The bytes
 * are this build's alone; they are checked, because who made them parsed what others wrote. */
#ifndef PROFILE_PROFILE_PACK_H
#define PROFILE_PROFILE_PACK_H

#include <stddef.h>

struct buf;
struct err;
struct profile;

/* Appends it. -E2BIG beyond the limit of the buffer. */
int profile_pack(const struct profile *profile, struct buf *ret);
/* Every reference in it is to something that it has. -EINVAL for bytes that are no such profile. */
int profile_unpack(const void *data, size_t len, struct profile **ret, struct err *err);

#endif
