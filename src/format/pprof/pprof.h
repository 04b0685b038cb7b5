/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pprof's profile.proto, gzipped or not: the slots of struct format_ops. Kept: weights of every
 * sample type, functions, inlined frames, lines, modules with build ids, addresses, and threads as
 * the labels "comm", "pid" and "tid". Lost: when samples were taken, CPUs, why stacks end. Format:
 * github.com/google/pprof/blob/main/proto/profile.proto. */
#ifndef FORMAT_PPROF_PPROF_H
#define FORMAT_PPROF_PPROF_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct format_read_options;
struct input;
struct profile;

int pprof_sniff(const uint8_t *head, size_t len);
uint64_t pprof_end_ns(const uint8_t *data, size_t len);
int pprof_read(struct input *input, const struct format_read_options *options,
	       struct profile *profile, struct err *err);

#endif
