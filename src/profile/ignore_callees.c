/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cuts stacks off at functions (see ignore_callees.h). */
#include "profile/ignore_callees.h"

#include <errno.h>
#include <regex.h>

#include "base/arena.h"
#include "base/err.h"
#include "profile/profile.h"

int profile_ignore_callees(struct profile *profile, const char *pattern, struct err *err)
{
	stack_id *end; /* of each stack: where it is cut off */
	regex_t regex;
	int code = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);

	if (code) {
		char why[128];

		(void)regerror(code, &regex, why, sizeof(why)); /* truncation is fine */
		return err_set(err, -EINVAL, "%s: %s", pattern, why);
	}
	end = mem_alloc(profile->nodes.count * sizeof(*end));
	end[0] = STACK_EMPTY;
	for (size_t i = 1; i < profile->nodes.count; i++) {
		const struct stack_node *node = &profile->nodes.item[i];
		const char *name =
			profile_string(profile, profile->frames.item[node->frame.v].function);

		/* parents come before their children */
		end[i] = end[node->parent.v];
		if (end[i].v == STACK_EMPTY.v && regexec(&regex, name, 0, NULL, 0) == 0)
			end[i].v = (uint32_t)i;
	}
	regfree(&regex);
	for (size_t i = 0; i < profile->samples.count; i++) {
		struct profile_sample *s = &profile->samples.item[i];

		if (end[s->stack.v].v != STACK_EMPTY.v)
			s->stack = end[s->stack.v];
	}
	free(end);
	return 0;
}
