/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asking the rules of --fail-on (see diff_gate.h). */
#include "command/diff/diff_gate.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "command/command.h"
#include "profile/diff/diff.h"
#include "profile/diff/diff_rule.h"

int diff_gate_check(const struct option_list *rules, struct err *err)
{
	struct diff_rule rule;

	for (size_t i = 0; i < rules->count; i++)
		if (diff_rule_parse(rules->item[i], &rule, err))
			return err->code;
	return 0;
}

static void put_result(const char *rule, const struct diff_finding *finding)
{
	static const char *const outcomes[] = {
		[DIFF_KEPT] = "kept", [DIFF_OPEN] = "inconclusive", [DIFF_BROKEN] = "broken"
	};

	(void)fprintf(stderr, "cupel: %s: %s", rule, outcomes[finding->outcome]);
	if (finding->function)
		(void)fprintf(stderr, ": %s %+.3f points [%+.3f, %+.3f]", finding->function,
			      finding->delta * 100, finding->interval[0] * 100,
			      finding->interval[1] * 100);
	else if (finding->outcome == DIFF_OPEN)
		(void)fprintf(stderr, ": too few samples: up to %.3f%% may be undetected",
			      finding->interval[1] * 100);
	(void)fputc('\n', stderr);
}

int diff_gate(const struct option_list *rules, const struct diff *diff)
{
	enum diff_outcome worst = DIFF_KEPT;
	bool about_nothing = false;

	if (rules->count && diff->undecided.v) {
		command_warn("--fail-on: cannot tell: %s",
			     strtab_get(diff->names, diff->undecided));
		return DIFF_STATUS_INCONCLUSIVE;
	}
	for (size_t i = 0; i < rules->count; i++) {
		struct diff_finding finding;
		struct diff_rule rule;
		struct err err = { 0 };

		if (diff_rule_parse(rules->item[i], &rule, &err))
			continue; /* not so: they were checked */
		finding = diff_rule_check(&rule, diff);
		if (rule.name[0] && !finding.functions && rule.what < DIFF_RULE_NEW) {
			command_warn("rule '%s': no such function", rules->item[i]);
			about_nothing = true;
			continue;
		}
		put_result(rules->item[i], &finding);
		worst = finding.outcome > worst ? finding.outcome : worst;
	}
	if (worst == DIFF_BROKEN)
		return DIFF_STATUS_REGRESSED;
	if (about_nothing)
		return EXIT_STATUS_USAGE;
	return worst == DIFF_OPEN ? DIFF_STATUS_INCONCLUSIVE : EXIT_STATUS_OK;
}
