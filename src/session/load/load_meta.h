/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording tells about itself: the command, the machine, what was lost. */
#ifndef SESSION_LOAD_LOAD_META_H
#define SESSION_LOAD_LOAD_META_H

struct perf_data;
struct profile;

/* Call when the recording is read: what is missing at its end is known then. */
void load_meta(struct profile *profile, const struct perf_data *data);

#endif
