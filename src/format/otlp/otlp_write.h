/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile as OTLP, the message ExportProfilesServiceRequest of opentelemetry-proto 1.10 (see
 * otlp_read.h): one profile per event. Kept: weights, times if the profile has them, stacks with
 * inlined functions and lines, modules with build ids, threads. Counts of samples are kept if all
 * samples of the event have one period; else the weights, and the mean period. */
#ifndef FORMAT_OTLP_OTLP_WRITE_H
#define FORMAT_OTLP_OTLP_WRITE_H

#include <stddef.h>
#include <stdint.h>

struct buf;
struct otlp_attribute;
struct profile;

struct otlp_write_options {
	const struct otlp_attribute *attributes; /* of the resource */
	size_t count;
	int64_t clock_ns; /* what makes the samples' times, and that of the profile, Unix time */
};

void otlp_write(const struct profile *profile, const struct otlp_write_options *options,
		struct buf *ret);

#endif
