/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles of OTLP, opentelemetry.proto.profiles.v1development as of opentelemetry-proto 1.10: the
 * message ExportProfilesServiceRequest or ProfilesData. Older releases have other field numbers;
 * their samples are refused where they differ. Kept: weights, times, stacks
 * with inlined functions and lines, modules with build ids, threads. Lost: links to traces, other
 * attributes of samples. */
#ifndef FORMAT_OTLP_OTLP_READ_H
#define FORMAT_OTLP_OTLP_READ_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct profile;

struct otlp_attribute {
	const char *name, *value; /* numbers as text */
};

struct otlp_options {
	/* Unix time: samples without a time, or with one that is not in [first, last], are now. */
	uint64_t now_ns, first_ns, last_ns;
	/* Called with each profile that has samples, and its resource's attributes; both are
	 * borrowed. */
	int (*take)(void *context, const struct profile *profile,
		    const struct otlp_attribute *attributes, size_t count, struct err *err);
	void *context;
};

/* Counts of samples: the values, if these are counts; else the weight in periods, if the profile
 * says how long its mean period is; else one for each value. */
int otlp_read(const uint8_t *data, size_t len, const struct otlp_options *options, struct err *err);

/* A server's answer, ExportProfilesServiceResponse. */
struct otlp_answer {
	uint64_t rejected; /* profiles */
	char message[256]; /* its words, tidied; "" = none */
};

/* An answer that is none says nothing. */
void otlp_answer_read(const uint8_t *data, size_t len, struct otlp_answer *ret);

#endif
