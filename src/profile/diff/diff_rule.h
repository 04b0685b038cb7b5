/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules for gates in CI: WHAT[(NAME)]>LIMIT, such as "self(parse*)>+1%", "total>5%", "new>0.5%",
 * "total(render)<-2%".
 *
 * WHAT is self (a function's own share), total (with its callees), new or gone (the share of
 * functions that exist on one side only). NAME is a function, with the wildcards * and ?; without
 * it the rule applies to every function. LIMIT is a change of share in percentage points; with <
 * the rule fails if the share fell by more. A rule is broken if the whole interval of the change is
 * beyond its limit, kept if no part of it is, and otherwise inconclusive. The interval is that of
 * diff_interval, which is corrected for the number of tests: no rule is broken by a change that the
 * comparison does not find. */
#ifndef PROFILE_DIFF_RULE_H
#define PROFILE_DIFF_RULE_H

#include <stdbool.h>
#include <stddef.h>

struct diff;
struct err;

enum diff_rule_what { DIFF_RULE_SELF, DIFF_RULE_TOTAL, DIFF_RULE_NEW, DIFF_RULE_GONE };

struct diff_rule {
	enum diff_rule_what what;
	bool below;	/* < */
	double limit;	/* share */
	char name[256]; /* pattern; empty = every function */
};

enum diff_outcome { DIFF_KEPT, DIFF_OPEN, DIFF_BROKEN }; /* ORDER: the worst is the largest */

struct diff_finding {
	enum diff_outcome outcome;
	size_t functions;	   /* that the rule is about */
	const char *function;	   /* the one that decided, borrowed from the diff; NULL = none */
	double delta, interval[2]; /* its change */
};

int diff_rule_parse(const char *text, struct diff_rule *ret, struct err *err);
struct diff_finding diff_rule_check(const struct diff_rule *rule, const struct diff *diff);

#endif
