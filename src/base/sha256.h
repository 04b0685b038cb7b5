/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SHA-256, as FIPS 180-4 has it: for secrets that are stored as their digests, a few bytes at a
 * time. (No library that the program is linked with has it.) */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32

void sha256(const void *data, size_t len, uint8_t ret[SHA256_BYTES]);

#endif
