/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user writes for values at a probe → steps of a fetch program: C expressions over
 * parameters and locals (from the debug info), `arg1` … , `retval`, `$pid` and the like, registers
 * (`%di`), with casts, and perf's types behind a colon: `p->name:string`, `flags:x32`. Of returns
 * also `$entry(expression)`, as it was when the call began, and `$latency`; of tracepoints
 * `args->field`. */
#ifndef SESSION_PROBE_FETCH_EXPRESSION_H
#define SESSION_PROBE_FETCH_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "session/probe/fetch_code.h"
#include "symbol/dwarf/dwarf_type.h"

struct buf;
struct err;
struct tracepoint_fields;

struct fetch_parameter {
	const char *name; /* NULL = none */
	const char *type; /* C: "const char *"; NULL = unknown */
};

struct fetch_entered;

struct fetch_scope {
	struct fetch_place place; /* place.info NULL = no debug info */
	/* A signature that the user gave. */
	const struct fetch_parameter *parameter;
	size_t parameters;
	const char *result_type; /* C; NULL = unknown */
	const char *usdt;	 /* arguments of a static probe; NULL = is none */
	bool at_entry;		 /* no code of the function has changed the stack yet */
	/* Of a return: where the call began, for `$entry(…)` and `$latency`. NULL = unknown. */
	struct fetch_entered *entered;
	const struct tracepoint_fields *fields; /* `args`; NULL = is no tracepoint */
};

struct fetch_entered {
	struct fetch_scope scope;
	struct fetch_code code; /* what is to be stored there */
	bool needed;		/* by the program of the return */
};

enum fetch_as {
	FETCH_AS_SIGNED,
	FETCH_AS_UNSIGNED,
	FETCH_AS_HEX,
	FETCH_AS_CHAR,
	FETCH_AS_STRING,
	FETCH_AS_FLOAT,
	FETCH_AS_DOUBLE,
};

/* The value of an enum, in as many bytes as the enum has. */
struct fetch_name {
	uint64_t value;
	const char *name;
};

/* How a stored value is shown. */
struct fetch_output {
	unsigned value; /* its index in the result */
	enum fetch_as as;
	struct dwarf_type type; /* of an enum, for its names; else tag 0 */
	/* The same where the type cannot be read: no type, but these. */
	const struct fetch_name *name;
	size_t names;
	uint64_t mask;
};

/* Appends the steps that store the value. Fails with the name that is unknown, and the nearest
 * ones as hint. */
int fetch_compile(const struct fetch_scope *scope, const char *text, struct fetch_code *code,
		  struct fetch_output *ret, struct err *err);
/* The same of a condition: results without it are dropped. */
int fetch_compile_condition(const struct fetch_scope *scope, const char *text,
			    struct fetch_code *code, struct err *err);
/* Appends the value's text: numbers, 'c', "string", (unreadable). */
void fetch_put(const struct fetch_output *output, const struct fetch_result *result,
	       struct buf *out);

#endif
