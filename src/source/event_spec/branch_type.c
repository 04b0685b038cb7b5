/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of branch filters (see branch_type.h); perf-record(1), option -j. */
#include "source/event_spec/branch_type.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/suggest.h"

static const struct {
	const char *name;
	uint64_t bits;
} filters[] = {
	{ "u", PERF_SAMPLE_BRANCH_USER },
	{ "k", PERF_SAMPLE_BRANCH_KERNEL },
	{ "hv", PERF_SAMPLE_BRANCH_HV },
	{ "any", PERF_SAMPLE_BRANCH_ANY },
	{ "any_call", PERF_SAMPLE_BRANCH_ANY_CALL },
	{ "any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN },
	{ "ind_call", PERF_SAMPLE_BRANCH_IND_CALL },
	{ "abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX },
	{ "in_tx", PERF_SAMPLE_BRANCH_IN_TX },
	{ "no_tx", PERF_SAMPLE_BRANCH_NO_TX },
	{ "cond", PERF_SAMPLE_BRANCH_COND },
	{ "ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP },
	{ "call", PERF_SAMPLE_BRANCH_CALL },
	{ "no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS },
	{ "no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES },
	{ "save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE },
	{ "stack", PERF_SAMPLE_BRANCH_CALL_STACK },
	{ "hw_index", PERF_SAMPLE_BRANCH_HW_INDEX },
	{ "priv", PERF_SAMPLE_BRANCH_PRIV_SAVE },
};

#define FILTERS (sizeof(filters) / sizeof(filters[0]))

static int unknown(const char *name, struct err *err)
{
	struct suggest suggest = { .word = name };
	char text[160];

	for (size_t i = 0; i < FILTERS; i++)
		suggest_offer(&suggest, filters[i].name);
	err_usage(err, "unknown branch filter '%s'", name);
	if (suggest.count)
		return err_hint(err, "did you mean %s?",
				suggest_text(&suggest, text, sizeof(text)));
	return err_hint(err, "expected any, any_call, any_ret, ind_call, ind_jmp, cond, call, "
			     "u, k, hv, in_tx, no_tx, abort_tx, save_type");
}

int branch_type_parse(const char *text, uint64_t *ret, struct err *err)
{
	const uint64_t privilege = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL |
				   PERF_SAMPLE_BRANCH_HV;
	uint64_t bits = 0;

	for (const char *end; *text; text = *end ? end + 1 : end) {
		char name[32];
		size_t i, len;

		end = strchrnul(text, ',');
		len = (size_t)(end - text);
		(void)snprintf(name, sizeof(name), "%.*s", len > 31 ? 31 : (int)len, text);
		for (i = 0; i < FILTERS; i++)
			if (strcmp(name, filters[i].name) == 0)
				break;
		if (i == FILTERS)
			return unknown(name, err);
		bits |= filters[i].bits;
	}
	if (!(bits & ~privilege))
		bits |= PERF_SAMPLE_BRANCH_ANY;
	*ret = bits;
	return 0;
}
