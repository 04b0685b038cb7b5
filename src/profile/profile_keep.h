/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data that the samples of a profile keep. */
#ifndef PROFILE_PROFILE_KEEP_H
#define PROFILE_PROFILE_KEEP_H

/* What samples keep, and which differences the profile ignores; readers may skip the rest. */
enum profile_keep {
	PROFILE_KEEP_CPU = 1,
	PROFILE_KEEP_TIME = 2, /* no aggregation: one profile_sample per sample */
	PROFILE_KEEP_ADDR = 4,
	PROFILE_KEEP_FIRST = 8,	      /* samples that are one have the time of the first */
	PROFILE_MERGE_FUNCTIONS = 16, /* frames with a name have no address */
	PROFILE_MERGE_NAMES = 32,     /* no frame has an address */
	PROFILE_MERGE_THREADS = 64,   /* threads have no pid and tid */
	PROFILE_ADDR_IS_CGROUP = 128, /* with KEEP_ADDR: the path of its cgroup, a string_id */
	PROFILE_ADDR_IS_WEIGHT = 256, /* with KEEP_ADDR: PERF_SAMPLE_WEIGHT, the access's cost */
	PROFILE_ADDR_IS_TRANSACTION = 512,
	PROFILE_ADDR_IS_SOCKET = 1024, /* UINT32_MAX = unknown */
	PROFILE_ADDR_IS_TRACE = 2048,  /* a tracepoint's payload as text, a string_id */
	/* Some of a tracepoint's fields: the string_id of one string_id after the other, each of
	 * PROFILE_FIELD_DIGITS hexadecimal digits. */
	PROFILE_ADDR_IS_FIELDS = 4096,
	PROFILE_ADDR_IS_BLOCK = 8192, /* with KEEP_ADDR: its index in profile->blocks */
	/* With KEEP_ADDR: the index in profile->values of the first of its numbers. */
	PROFILE_ADDR_IS_VALUES = 16384,
	PROFILE_ADDR_IS_ACCESS = 32768, /* with KEEP_ADDR: its index in profile->accesses */
	/* With KEEP_ADDR: its other weight, see load_options.latency; the same for all samples that
	 * are one. */
	PROFILE_ADDR_IS_OTHER_WEIGHT = 65536,
};

#define PROFILE_FIELD_DIGITS 8

#endif
