/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What pprof read before it had profile.proto: gperftools' profiles, and those of old Go and Java
 * programs, of CPU time, heaps, contention and threads. Addresses are not resolved: modules only,
 * and the names of functions where the profile has them. */
#ifndef FORMAT_PPROF_GPERFTOOLS_READ_H
#define FORMAT_PPROF_GPERFTOOLS_READ_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct input;
struct profile;

/* Slots of struct format_ops. */
int gperftools_sniff(const uint8_t *head, size_t len);
int gperftools_read(struct input *input, struct profile *profile, struct err *err);

#endif
