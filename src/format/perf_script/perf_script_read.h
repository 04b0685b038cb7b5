/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf script text → profile. The reader accepts pieces of text of any size and adds complete
 * samples to the profile; invalid lines are counted in meta.unknown_records. Not thread-safe, but
 * several readers with separate profiles may run concurrently. */
#ifndef FORMAT_PERF_SCRIPT_PERF_SCRIPT_READ_H
#define FORMAT_PERF_SCRIPT_PERF_SCRIPT_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct format_read_options;
struct input;
struct profile;
struct script_reader;

struct script_reader *script_reader_new(struct profile *profile);
/* Returns the bytes used; the rest is an unfinished sample, to be passed again with the text
 * after it. Uses everything if `last`. */
size_t script_reader_feed(struct script_reader *reader, const char *data, size_t len, bool last);
void script_reader_free(struct script_reader *reader);

/* The slots of struct format_ops. */
int perf_script_sniff(const uint8_t *head, size_t len);
int perf_script_read(struct input *input, const struct format_read_options *options,
		     struct profile *profile, struct err *err);

#endif
