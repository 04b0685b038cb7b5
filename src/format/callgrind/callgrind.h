/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Callgrind profiles: costs of functions and of calls between them, without stacks. Slots of struct
 * format_ops. Reading builds stacks by dividing the inclusive cost of a function among its callers
 * in proportion to their call costs; writing sums stacks. Format:
 * valgrind.org/docs/manual/cl-format.html. */
#ifndef FORMAT_CALLGRIND_CALLGRIND_H
#define FORMAT_CALLGRIND_CALLGRIND_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct format_read_options;
struct input;
struct profile;

int callgrind_sniff(const uint8_t *head, size_t len);
int callgrind_read(struct input *input, const struct format_read_options *options,
		   struct profile *profile, struct err *err);

#endif
