/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chains of a recording (see load_wait_chains.h). */
#include "session/load/load_wait_chains.h"

#include "profile/profile.h"
#include "profile/waits/wait_chains.h"
#include "session/filter.h"
#include "session/load/load.h"
#include "session/recording.h"

int session_load_wait_chains(const char *path, const struct load_options *options,
			     const struct wait_chains_options *chains,
			     struct wait_chains_loaded *ret, struct err *err)
{
	struct filter_spec spec = { .comms = options->comms,
				    .pids = options->pids,
				    .tids = options->tids,
				    .event = options->event };
	struct load_options load = *options;
	struct wait_chains_loaded loaded;
	int code;

	load.comms = load.pids = load.tids = NULL;
	load.keep |= PROFILE_KEEP_TIME | PROFILE_KEEP_CPU;
	load.merge_threads = false;
	code = session_load(path, &load, &loaded.profile, err);
	if (code)
		return code;
	loaded.wakeups = wait_chains_add(loaded.profile, chains);
	if (loaded.wakeups)
		spec.event = WAIT_CHAINS_EVENT;
	code = filter_profile(&spec, loaded.profile, path, err);
	if (code)
		profile_free(loaded.profile);
	else
		*ret = loaded;
	return code;
}
