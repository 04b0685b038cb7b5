/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parent symbols of stacks (see report_parent.h). */
#include "view/report/report_parent.h"

#include <errno.h>
#include <regex.h>

#include "base/arena.h"
#include "base/err.h"

struct report_parent {
	string_id *of_node;
};

int report_parent_new(const struct profile *profile, const char *pattern,
		      struct report_parent **ret, struct err *err)
{
	struct report_parent *parent;
	bool *matches;
	regex_t regex;
	int code = regcomp(&regex, pattern ? pattern : "^sys_|^do_page_fault",
			   REG_EXTENDED | REG_NOSUB);

	if (code) {
		char why[128];

		(void)regerror(code, &regex, why, sizeof(why)); /* truncation is fine */
		return err_set(err, -EINVAL, "--parent: %s: %s", pattern, why);
	}
	matches = mem_zalloc(profile->frames.count * sizeof(*matches));
	for (size_t i = 0; i < profile->frames.count; i++) {
		string_id name = profile->frames.item[i].function;

		matches[i] = name.v &&
			     regexec(&regex, profile_string(profile, name), 0, NULL, 0) == 0;
	}
	regfree(&regex);
	parent = mem_zalloc(sizeof(*parent));
	parent->of_node = mem_zalloc(profile->nodes.count * sizeof(*parent->of_node));
	for (size_t i = 1; i < profile->nodes.count; i++) {
		const struct stack_node *node = &profile->nodes.item[i];

		parent->of_node[i] = matches[node->frame.v]
					     ? profile->frames.item[node->frame.v].function
					     : parent->of_node[node->parent.v];
	}
	free(matches);
	*ret = parent;
	return 0;
}

string_id report_parent_of(const struct report_parent *parent, stack_id stack)
{
	return parent->of_node[stack.v];
}

void report_parent_free(struct report_parent *parent)
{
	if (!parent)
		return;
	free(parent->of_node);
	free(parent);
}
