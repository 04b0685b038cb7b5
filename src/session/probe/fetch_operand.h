/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operands of expressions while they are compiled: what is on the stack, and its type. Private to
 * fetch_expression.c. */
#ifndef SESSION_PROBE_FETCH_OPERAND_H
#define SESSION_PROBE_FETCH_OPERAND_H

#include "session/probe/fetch_expression.h"
#include "session/probe/fetch_type.h"

struct fetch_operand {
	enum fetch_found at; /* what is on the stack */
	bool loaded;	     /* FETCH_NUMBER: extended to 64 bits */
	struct fetch_type type;
	unsigned bit_size, bit_shift; /* of a bit field */
	struct fetch_part part;	      /* of FETCH_PIECES */
};

/* A parameter, local, argument, result or `$name`. */
void fetch_name(const struct fetch_scope *scope, const char *name, struct fetch_code *code,
		struct fetch_operand *ret);
/* `args->name` of a tracepoint. */
void fetch_field(const struct fetch_scope *scope, const char *name, struct fetch_code *code,
		 struct fetch_operand *ret);
/* A number that was stored when the call began; type: what it is. */
void fetch_entry(const struct fetch_scope *scope, struct fetch_operand *entered,
		 struct fetch_code *code, struct fetch_operand *ret);
/* Makes it a number of 64 bits on the stack; an array becomes its address. */
void fetch_load(const struct fetch_scope *scope, struct fetch_code *code,
		struct fetch_operand *operand);
/* `*operand`, `operand.name` and `operand->name`. */
void fetch_dereference(const struct fetch_scope *scope, struct fetch_code *code,
		       struct fetch_operand *operand);
void fetch_member(const struct fetch_scope *scope, const char *name, struct fetch_code *code,
		  struct fetch_operand *operand);

#endif
