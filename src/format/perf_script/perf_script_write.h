/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profile → text in perf script's layout, for tools that read that. Every sample is a sample there;
 * merged ones are one with the summed period. Slot of struct format_ops. */
#ifndef FORMAT_PERF_SCRIPT_PERF_SCRIPT_WRITE_H
#define FORMAT_PERF_SCRIPT_PERF_SCRIPT_WRITE_H

struct buf;
struct err;
struct fold_options;
struct profile;

int perf_script_write(const struct profile *profile, const struct fold_options *options,
		      struct buf *ret, struct err *err);

#endif
