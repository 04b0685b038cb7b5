/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moments as users write them: now; -90s, -15m, -1h30m, -7d, -2w before now; today and yesterday
 * (their first second); 14:30 or 14:30:05 today; 2026-11-24, 2026-11-24 14:30, 2026-11-24T14:30:05,
 * in local time, or with Z behind them in UTC; @1764000000, seconds since 1970. */
#ifndef STORE_TIME_TEXT_H
#define STORE_TIME_TEXT_H

#include <stdint.h>

struct err;

/* Unix time in ns. Errors are the user's. */
int time_text_parse(const char *text, uint64_t now_ns, uint64_t *ret, struct err *err);

#endif
