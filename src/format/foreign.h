/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Detects texts that are not profiles but reports without stacks. */
#ifndef FORMAT_FOREIGN_H
#define FORMAT_FOREIGN_H

#include <stddef.h>
#include <stdint.h>

/* Names the report and the input to use instead, "a …: give …"; NULL = not recognised. */
const char *format_foreign(const uint8_t *head, size_t len);

#endif
