/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chains of a recording (see load_wait_chains.h). */
#include "session/load/load_wait_chains.h"

#include "profile/profile.h"
#include "profile/waits/wait_chains.h"
#include "session/filter.h"
#include "session/load/load.h"
#include "session/recording.h"

void wait_chains_load_options(const struct load_options *options, struct load_options *ret)
{
	*ret = *options;
	ret->comms = ret->pids = ret->tids = NULL;
	ret->keep |= PROFILE_KEEP_TIME | PROFILE_KEEP_CPU;
	ret->merge_threads = false;
}

int wait_chains_finish(struct wait_chains_loaded *loaded, const struct load_options *options,
		       const struct wait_chains_options *chains, const char *name, struct err *err)
{
	struct filter_spec spec = { .comms = options->comms,
				    .pids = options->pids,
				    .tids = options->tids,
				    .event = options->event };
	int code;

	loaded->wakeups = wait_chains_add(loaded->profile, chains);
	if (loaded->wakeups)
		spec.event = WAIT_CHAINS_EVENT;
	code = filter_profile(&spec, loaded->profile, name, err);
	if (code)
		profile_free(loaded->profile);
	return code;
}

int session_load_wait_chains(const char *path, const struct load_options *options,
			     const struct wait_chains_options *chains,
			     struct wait_chains_loaded *ret, struct err *err)
{
	struct load_options load;
	int code;

	wait_chains_load_options(options, &load);
	code = session_load(path, &load, &ret->profile, err);
	return code ? code : wait_chains_finish(ret, options, chains, path, err);
}
