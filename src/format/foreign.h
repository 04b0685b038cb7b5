/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts that look like profiles and are not: reports, whose stacks are gone. */
#ifndef FORMAT_FOREIGN_H
#define FORMAT_FOREIGN_H

#include <stddef.h>
#include <stdint.h>

/* What it is and what to give instead, "a …: give …"; NULL = none of them. */
const char *format_foreign(const uint8_t *head, size_t len);

#endif
