/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording's metadata: the command, the machine, what was lost. */
#ifndef SESSION_LOAD_LOAD_META_H
#define SESSION_LOAD_LOAD_META_H

#include <stdbool.h>

struct err;
struct perf_data;
struct profile;

/* Call after reading: only then is it known what is missing at the end. */
void load_meta(struct profile *profile, const struct perf_data *data);
/* Whether it is of counts, by stat record. */
bool load_meta_is_counted(const struct perf_data *data);
/* Fills err: it has no samples that can be read, and why. */
int load_meta_no_samples(const struct perf_data *data, const char *path, struct err *err);

#endif
