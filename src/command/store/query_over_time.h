/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The views of `cupel query` that are its own: functions and labels over time, and the list of
 * series. */
#ifndef COMMAND_STORE_QUERY_OVER_TIME_H
#define COMMAND_STORE_QUERY_OVER_TIME_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct store_input;

struct query_view_options {
	const char *by, *event, *output;
	uint64_t step_ns, limit;
	bool total, json;
};

/* `path` is the input's name (session/store/store_input.h), `input` what it says. They return the
 * exit status, or -1. */
int query_top(const char *path, const struct store_input *input,
	      const struct query_view_options *options, struct err *err);
int query_timeline(const struct store_input *input, const struct query_view_options *options,
		   struct err *err);
int query_series(const struct store_input *input, const struct query_view_options *options,
		 struct err *err);
/* Keeps the names that this machine has of all places in the store, of any time. */
int query_learn(const struct store_input *input, struct err *err);

#endif
