/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to profile/c2c/: one access as counters. */
#ifndef PROFILE_C2C_C2C_COUNTS_H
#define PROFILE_C2C_C2C_COUNTS_H

#include "profile/c2c/c2c.h"

void c2c_count(const struct profile_access *access, struct c2c_counts *ret);
void c2c_counts_add(struct c2c_counts *to, const struct c2c_counts *from);

#endif
