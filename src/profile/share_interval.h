/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The confidence interval of a sampled share, for report, top, JSON and pictures. The interval is
 * Wilson's, for the effective number of samples of the event: as many samples of one weight would
 * tell as much (Kish). It is about the luck of sampling; another run may differ more, which only
 * comparing runs shows (significance.h). */
#ifndef PROFILE_SHARE_INTERVAL_H
#define PROFILE_SHARE_INTERVAL_H

#include <stdbool.h>

#define SHARE_FEW_SAMPLES 100 /* views of a profile with fewer samples have a warning */

struct buf;
struct profile;
struct profile_event;

/* 0 = there are no intervals: the input does not count samples, or all there was has been measured,
 * as waits are. */
double share_effective_samples(const struct profile_event *event);
/* The sum over the events marked, by index in profile->events; 0 when one of them has 0. */
double share_effective_of(const struct profile *profile, const bool *events);
/* Limits of 95 % of a share (0 to 1). */
void share_interval(double share, double effective, double ret[2]);
/* "only 37 samples: 50% can be 35 to 65%, and what was not seen up to 9.4%", where they are few. */
void share_put_few(double effective, struct buf *ret);

#endif
