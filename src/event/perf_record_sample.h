/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Part of record.c: decodes what follows a sample's fixed words. */
#ifndef EVENT_PERF_RECORD_SAMPLE_H
#define EVENT_PERF_RECORD_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"

/* False when the sample claims more than [at, end). */
bool perf_record_sample_tail(const struct event_desc *desc, const uint64_t *at, const uint64_t *end,
			     struct event_sample *ret);

#endif
