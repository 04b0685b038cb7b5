/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Detects texts that are not profiles but reports without stacks. */
#ifndef FORMAT_FOREIGN_H
#define FORMAT_FOREIGN_H

#include <stddef.h>
#include <stdint.h>

/* What it is and what to give instead, "a …: give …"; NULL = none of them. */
const char *format_foreign(const uint8_t *head, size_t len);

#endif
