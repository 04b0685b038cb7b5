/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of trace_filter.h, which alone include it. */
#ifndef SESSION_TRACE_FILTER_NODE_H
#define SESSION_TRACE_FILTER_NODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "source/syscall/syscall_args.h"

enum trace_filter_op {
	FILTER_OR,
	FILTER_AND,
	FILTER_NOT,
	/* comparisons: */
	FILTER_EQUAL,
	FILTER_UNEQUAL,
	FILTER_LESS,
	FILTER_LESS_EQUAL,
	FILTER_MORE,
	FILTER_MORE_EQUAL,
	FILTER_BITS, /* any of them is set */
	FILTER_GLOB,
	FILTER_NO_GLOB,
};

struct trace_filter_node {
	enum trace_filter_op op;
	size_t left, right; /* of OR and AND; NOT has a left */
	/* of comparisons */
	char *name, *value;
	bool quoted;
};

struct trace_filter {
	VEC(struct trace_filter_node) node;
	size_t root;
};

/* A number, or a name of values of that kind: flags with '|' between them, signals. */
bool trace_filter_value(const char *value, enum syscall_arg kind, int64_t *ret);
/* A number, or the name of an errno. */
bool trace_filter_error(const char *value, int64_t *ret);
/* Not an argument, but known for each call. */
bool trace_filter_is_common(const char *name);

#endif
