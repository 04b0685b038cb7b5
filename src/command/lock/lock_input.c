/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading recordings of locks (see lock_input.h). */
#include "command/lock/lock_input.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "command/command.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/lock/lock_names.h"
#include "session/recording.h"

/* In the order of enum contention_value; an end has no flags. */
static const struct load_values values[] = {
	{ NULL, { "lock_addr", "flags" } },
};

enum contention_order lock_order(unsigned choice, enum contention_order usual)
{
	static const enum contention_order orders[] = { CONTENTION_CONTENDED, CONTENTION_WAIT_TOTAL,
							CONTENTION_WAIT_MAX, CONTENTION_WAIT_MIN,
							CONTENTION_AVG_WAIT };

	return choice >= 1 && choice <= 5 ? orders[choice - 1] : usual;
}

void lock_input_name(struct contention *contention, struct profile *profile)
{
	size_t count = contention->row.count;
	uint64_t *address;
	string_id *name;

	if (contention->by != CONTENTION_BY_LOCK)
		return;
	address = mem_zalloc((count + 1) * sizeof(*address));
	name = mem_zalloc((count + 1) * sizeof(*name));
	for (size_t i = 0; i < count; i++)
		address[i] = contention->row.item[i].address;
	lock_names_kernel(profile->strings, address, count, name);
	for (size_t i = 0; i < count; i++)
		contention->row.item[i].name = name[i];
	free(address);
	free(name);
}

int lock_input_read(struct lock_input *input, const struct option_words *words,
		    struct contention *contention, struct profile **ret, struct err *err)
{
	const struct contention_filter *filter = &input->filter;
	const struct load_options load = {
		.symbol = input->symbol,
		.keep = PROFILE_KEEP_TIME | PROFILE_KEEP_CPU | PROFILE_KEEP_ADDR |
			PROFILE_ADDR_IS_VALUES,
		.detail = RESOLVE_ADDRESSES,
		.values = values,
		.time = input->time,
		.pids = input->pids,
		.tids = input->tids,
		.cpus = input->cpus,
	};
	int code = command_take_input(words, input->path, &input->path, err);

	if (!code)
		code = session_load(input->path, &load, ret, err);
	if (code)
		return code;
	contention_fill(contention, *ret, filter, (unsigned)input->skip);
	lock_input_name(contention, *ret);
	if (contention->row.count || contention->bad || filter->types || filter->locks ||
	    filter->functions)
		return 0;
	code = err_set(err, -ENODATA, "%s: no contention of the kernel's locks",
		       input->path ? input->path : "perf.data");
	return err_hint(err, "record it with: cupel lock record -- PROGRAM");
}
