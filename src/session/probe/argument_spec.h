/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What argdist counts, in BCC's syntax:
 *   {p|r|u|t}:[BINARY]:FUNCTION[(SIGNATURE)][:TYPE,…:EXPRESSION,…[:FILTER]][#LABEL]
 * An empty BINARY is the kernel; of a tracepoint it is the category. */
#ifndef SESSION_PROBE_ARGUMENT_SPEC_H
#define SESSION_PROBE_ARGUMENT_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "bpf/fetch.h"
#include "session/probe/fetch_expression.h"

struct err;

#define ARGUMENT_PARAMETERS 12

struct argument_spec {
	const char *place; /* "p:c:malloc", as probe_set_add() takes it */
	char kind;	   /* p, r, u or t */
	struct fetch_parameter parameter[ARGUMENT_PARAMETERS];
	size_t parameters;
	/* A type may be NULL: that of the expression. */
	const char *type[FETCH_VALUES], *expression[FETCH_VALUES];
	size_t types, expressions;
	const char *filter; /* NULL = none */
	const char *label;  /* else all of it */
};

/* Strings are in the arena. -EINVAL with what is wrong. */
int argument_spec_parse(const char *text, struct arena *arena, struct argument_spec *ret,
			struct err *err);

#endif
