/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which series of a store are meant: {service="web", host=~"db.*", unit!="cron.service"}. All
 * conditions must hold. Operators: = and != compare, =~ and !~ match an extended regular expression
 * against the whole value. A label that a series does not have is "". The braces may be left out,
 * and so may the quotes around values of letters, digits and _./:@*+%- only. In quotes, \" \\ and
 * \n are escapes, any other character after a backslash stays as it is with its backslash. {} is
 * everything. */
#ifndef STORE_SELECTOR_H
#define STORE_SELECTOR_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

struct err;
struct label_set;

#define SELECTOR_MAX_CONDITIONS 32

enum selector_operator {
	SELECTOR_EQUAL,
	SELECTOR_NOT_EQUAL,
	SELECTOR_MATCHES,
	SELECTOR_NOT_MATCHES,
};

struct selector_condition {
	char *name, *value;
	enum selector_operator op;
	regex_t regex; /* of the two that match: ^(value)$ */
};

struct selector {
	size_t count;
	struct selector_condition condition[SELECTOR_MAX_CONDITIONS];
};

/* Errors are the user's: err->usage is set. */
int selector_parse(const char *text, struct selector **ret, struct err *err);
/* Bytes of the "{…}" that a text begins with; quotes in it may have braces. 0 = it does not end. */
size_t selector_len(const char *text);
/* NULL matches everything. */
bool selector_match(const struct selector *selector, const struct label_set *labels);
void selector_free(struct selector *selector); /* NULL is fine */

#endif
