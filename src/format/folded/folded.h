/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded stacks, FlameGraph's text format: the slots of struct format_ops, and the parser on bytes
 * for tests. Lines that make no sense are counted in meta.unknown_records. */
#ifndef FORMAT_FOLDED_H
#define FORMAT_FOLDED_H

#include <stddef.h>
#include <stdint.h>

struct buf;
struct err;
struct fold_options;
struct input;
struct profile;

void folded_parse(const char *text, size_t len, struct profile *profile);

int folded_sniff(const uint8_t *head, size_t len);
int folded_read(struct input *input, struct profile *profile, struct err *err);
int folded_write(const struct profile *profile, const struct fold_options *options, struct buf *ret,
		 struct err *err);

#endif
