/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gates on comparisons (see diff_rule.h). Every rule is decided at the level of all functions, so
 * that its interval is the one of the table. */
#include "profile/diff/diff_rule.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "profile/diff/diff.h"
#include "profile/statistics.h"

static const char *const whats[] = {
	[DIFF_RULE_SELF] = "self",
	[DIFF_RULE_TOTAL] = "total",
	[DIFF_RULE_NEW] = "new",
	[DIFF_RULE_GONE] = "gone",
};

static int malformed(const char *text, const char *why, struct err *err)
{
	(void)err_set(err, -EINVAL, "rule '%s': %s", text, why);
	return err_hint(err, "expected self(NAME)>+1%%, total>5%%, new>0.5%%, total(NAME)<-2%%");
}

static int parse_limit(const char *text, const char *limit, struct diff_rule *rule, struct err *err)
{
	char *end;
	double value = strtod(limit, &end);

	if (end == limit || strcmp(end, "%") != 0 || !(value >= -100 && value <= 1000))
		return malformed(
			text, "invalid threshold: expected percentage points, such as 0.5 %", err);
	rule->limit = value / 100;
	if (rule->below ? rule->limit > 0 : rule->limit < 0)
		return malformed(
			text, "invalid threshold: > requires 0 or more, < requires 0 or less", err);
	if (rule->below && rule->what >= DIFF_RULE_NEW)
		return malformed(text, "new and gone require >", err);
	return 0;
}

int diff_rule_parse(const char *text, struct diff_rule *ret, struct err *err)
{
	struct diff_rule rule = { 0 };
	size_t len = strcspn(text, "(<>"), at, name_len;
	int what = -1, r;

	for (int i = 0; i <= DIFF_RULE_GONE; i++)
		if (strlen(whats[i]) == len && strncmp(text, whats[i], len) == 0)
			what = i;
	if (what < 0)
		return malformed(text, "expected self, total, new or gone", err);
	rule.what = (enum diff_rule_what)what;
	/* Names may hold brackets and arrows: the last < or > with a limit after it counts. */
	at = strlen(text);
	while (at > len && text[at] != '<' && text[at] != '>')
		at--;
	if (text[at] != '<' && text[at] != '>')
		return malformed(text, "missing > or <", err);
	if (at > len) {
		name_len = at - len - 2;
		if (text[len] != '(' || text[at - 1] != ')' || at < len + 3)
			return malformed(text, "invalid name: expected (NAME)", err);
		if (name_len >= sizeof(rule.name))
			return malformed(text, "name too long", err);
		memcpy(rule.name, text + len + 1, name_len);
	}
	rule.below = text[at] == '<';
	r = parse_limit(text, text + at + 1, &rule, err);
	if (r == 0)
		*ret = rule;
	return r;
}

static bool matches(const struct diff_rule *rule, const char *name)
{
	/* Some names look like patterns: operator[]. */
	return !rule->name[0] || strcmp(rule->name, name) == 0 || fnmatch(rule->name, name, 0) == 0;
}

static const struct diff_amount *amount_of(const struct diff_rule *rule,
					   const struct diff_label *label)
{
	return rule->what == DIFF_RULE_SELF ? &label->self : &label->inclusive;
}

/* Whether the rule applies to the function. */
static bool concerns(const struct diff_rule *rule, const struct diff *diff,
		     const struct diff_label *label)
{
	const struct diff_amount *amount = amount_of(rule, label);

	if (!matches(rule, strtab_get(diff->names, label->name)))
		return false;
	if (rule->what == DIFF_RULE_NEW)
		return !amount->weight[0];
	if (rule->what == DIFF_RULE_GONE)
		return !amount->weight[1];
	return true;
}

static enum diff_outcome judge(const struct diff_rule *rule, const double interval[2])
{
	double near = rule->below ? -interval[1] : interval[0];
	double far = rule->below ? -interval[0] : interval[1];
	double limit = rule->below ? -rule->limit : rule->limit;

	if (near > limit)
		return DIFF_BROKEN;
	return far > limit ? DIFF_OPEN : DIFF_KEPT;
}

/* A share can be too small to be seen on the side where it breaks the rule. */
static struct diff_finding judge_unseen(const struct diff_rule *rule, const struct diff *diff,
					double p_level)
{
	const struct side_sums *side = &diff->total[rule->what != DIFF_RULE_GONE].sums;
	double n = side->squares > 0 ? side->weight * side->unit / side->squares / diff->spread : 0;
	struct diff_finding finding = { .outcome = DIFF_KEPT };
	double limits[2];

	if (rule->below)
		return finding;
	wilson_limits(0, n, normal_critical(p_level), limits);
	finding.interval[1] = limits[1];
	finding.outcome = limits[1] > rule->limit ? DIFF_OPEN : DIFF_KEPT;
	return finding;
}

/* Applies the rule to one function. Removed functions count like new ones. */
static struct diff_finding judge_function(const struct diff_rule *rule, const struct diff *diff,
					  const struct diff_label *label, double p_level)
{
	const struct diff_amount *amount = amount_of(rule, label);
	struct diff_finding finding = { .function = strtab_get(diff->names, label->name),
					.delta = diff_delta(amount) };

	share_change_interval(&amount->change, p_level, finding.interval);
	if (rule->what == DIFF_RULE_GONE) {
		double low = finding.interval[0];

		finding.interval[0] = -finding.interval[1];
		finding.interval[1] = -low;
		finding.delta = -finding.delta;
	}
	finding.outcome = judge(rule, finding.interval);
	return finding;
}

/* The stricter of two results. */
static bool is_worse(const struct diff_rule *rule, const struct diff_finding *a,
		     const struct diff_finding *b)
{
	if (a->outcome != b->outcome)
		return a->outcome > b->outcome;
	if (!b->function)
		return true;
	return rule->below ? a->delta < b->delta : a->delta > b->delta;
}

struct diff_finding diff_rule_check(const struct diff_rule *rule, const struct diff *diff)
{
	double p_level = diff->functions.p_level;
	struct diff_finding worst;
	size_t functions = 0, seen = 0;

	for (size_t i = 0; i < diff->labels.count; i++)
		functions += concerns(rule, diff, &diff->labels.item[i]);
	worst = judge_unseen(rule, diff, p_level);
	for (size_t i = 0; i < diff->labels.count; i++) {
		const struct diff_label *label = &diff->labels.item[i];
		const struct diff_amount *amount = amount_of(rule, label);
		struct diff_finding finding;

		if (!concerns(rule, diff, label) || (!amount->weight[0] && !amount->weight[1]))
			continue;
		finding = judge_function(rule, diff, label, p_level);
		/* For a function that has samples, they decide, not the detection limit. */
		if ((rule->name[0] && !seen) || is_worse(rule, &finding, &worst))
			worst = finding;
		seen++;
	}
	worst.functions = functions;
	return worst;
}
