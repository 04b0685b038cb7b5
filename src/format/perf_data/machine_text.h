/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine state sample as lines of text, as stored in recordings (doc/perf-data.md). */
#ifndef FORMAT_MACHINE_TEXT_H
#define FORMAT_MACHINE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "event/machine.h"

struct buf;

#define MACHINE_TEXT_MAGIC "cupel-context 1\n"

/* At most max_bytes, cut at a line's end: CPUs and devices come last. */
void machine_text_put(const struct machine_sample *sample, size_t max_bytes, struct buf *ret);
/* The same as a record of perf.data that other readers skip: an ID_INDEX without entries. */
void context_record_put(const struct machine_sample *sample, struct buf *ret);
/* Ignores unknown keys and invalid lines. Returns false if there is no time. Free *ret with
 * machine_sample_done() in both cases. */
bool machine_text_parse(const char *text, size_t len, struct machine_sample *ret);

#endif
