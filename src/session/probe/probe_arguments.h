/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arguments of a probe as the user types them, `NAME=EXPRESSION:TYPE` with blanks between
 * them: split, named as perf names them, and with the variables that $params and $vars stand for.
 */
#ifndef SESSION_PROBE_PROBE_ARGUMENTS_H
#define SESSION_PROBE_PROBE_ARGUMENTS_H

#include "base/buf.h"
#include "base/vec.h"

struct arena;
struct err;
struct fetch_code;
struct fetch_scope;

struct probe_argument {
	const char *name;
	const char *expression; /* as fetch_compile() takes it */
};

struct probe_arguments {
	VEC(struct probe_argument) item;
	struct buf left_out; /* variables of $params and $vars, each with its reason, a line each */
};

/* Strings are in the arena. The list must be freed also after failures. */
int probe_arguments_parse(const char *text, const struct fetch_scope *scope, struct arena *arena,
			  struct probe_arguments *ret, struct err *err);
/* Whether all of them can be fetched there. */
int probe_arguments_check(const struct probe_arguments *arguments, const struct fetch_scope *scope,
			  struct err *err);
/* Events have no floating-point values: formats of tracepoints know none. Fills err. */
int probe_arguments_refuse_float(const char *expression, struct err *err);
void probe_arguments_done(struct probe_arguments *arguments);

#endif
