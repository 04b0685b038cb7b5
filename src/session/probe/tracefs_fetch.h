/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a probe fetches, in the words of tracefs: "+8(%di):s32". It can name registers, memory
 * behind them, and types; it cannot compute. */
#ifndef SESSION_PROBE_TRACEFS_FETCH_H
#define SESSION_PROBE_TRACEFS_FETCH_H

#include "bpf/fetch.h"
#include "session/probe/fetch_expression.h"

struct buf;
struct probe_argument;

/* Appends " NAME=FETCH:TYPE" for each stored value. outputs and arguments are by its number.
 * -ENOTSUP with the argument that tracefs cannot fetch. */
int tracefs_fetch_put(const struct fetch_program *program, const struct fetch_output *outputs,
		      const struct probe_argument *arguments, struct buf *out, struct err *err);

#endif
