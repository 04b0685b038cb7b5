/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses which waits -e off-cpu records, and which as single samples (see off_cpu_options.h). */
#include "command/record/off_cpu_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "profile/ledger/ledger.h"
#include "source/options.h"

#define MAX_DIGITS 12

int off_cpu_set_thresh(void *field, const char *value, bool negated, struct err *err)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "", 1000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 }, { "s", 1000000000 }
	};
	struct recording_off_cpu *choice = field;
	size_t digits = strspn(value, "0123456789");

	(void)negated;
	for (size_t i = 0; digits && digits <= MAX_DIGITS && i < sizeof(units) / sizeof(*units);
	     i++)
		if (strcmp(value + digits, units[i].name) == 0) {
			choice->thresh_ns = strtoull(value, NULL, 10) * units[i].ns;
			choice->thresh_given = true;
			return 0;
		}
	return err_set(err, -EINVAL,
		       "invalid value '%s': expected milliseconds, or a time such as 500us", value);
}

/* The accounts of a state, or the one of a reason. 0 = no such. */
static uint32_t accounts_of(const char *word, size_t len)
{
	uint32_t found = 0;

	for (unsigned i = LEDGER_RUNNING + 1; i < LEDGER_ACCOUNTS; i++) {
		const char *reason = ledger_reason_name(i);
		const char *state = ledger_state_name(ledger_state_of(i));

		if ((strlen(reason) == len && strncmp(reason, word, len) == 0) ||
		    (strlen(state) == len && strncmp(state, word, len) == 0))
			found |= 1u << i;
	}
	return found;
}

static int suggest_reasons(struct err *err)
{
	struct buf names = { 0 };

	for (int i = LEDGER_RUNNING + 1; i < LEDGER_ACCOUNTS; i++)
		(void)buf_printf(&names, "%s%s", names.len ? ", " : "",
				 ledger_reason_name((enum ledger_account)i));
	(void)err_hint(err, "states: blocked, idle, runnable; reasons: %s", names.data);
	buf_done(&names);
	return err->code;
}

int off_cpu_set_states(void *field, const char *value, bool negated, struct err *err)
{
	struct recording_off_cpu *choice = field;
	uint32_t accounts = 0;

	(void)negated;
	for (const char *word = value;; word++) {
		size_t len = strcspn(word, ",");
		uint32_t more = accounts_of(word, len);

		if (!more) {
			(void)err_set(err, -EINVAL, "'%.*s': unknown wait state or reason",
				      (int)len, word);
			return suggest_reasons(err);
		}
		accounts |= more;
		word += len;
		if (!*word)
			break;
	}
	choice->accounts = accounts;
	return 0;
}
