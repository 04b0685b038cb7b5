/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recording and loading (see record_profile.h). */
#include "session/record_profile.h"

#include <stddef.h>

#include "base/err.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/load/load_live.h"
#include "session/recording.h"

int record_profile(struct recording_options *record, const struct load_options *load, char **argv,
		   struct recorded *ret, struct err *err)
{
	struct recording_result *result = &ret->result;
	struct load_live *live = NULL;
	int code;

	*ret = (struct recorded){ 0 };
	code = record->output ? 0 : load_live_start(load, &live, err);
	if (!code && live)
		record->output_queue = load_live_queue(live);
	if (!code)
		code = session_record(record, argv, result, err);
	if (live) {
		struct err late = { 0 };
		bool any = !code && result->samples;
		int loaded = load_live_finish(live, any ? &ret->profile : NULL, code ? &late : err);

		code = code ? code : loaded;
		record->output_queue = NULL;
	} else if (!code && result->samples) {
		code = session_load(record->output, load, &ret->profile, err);
	}
	if (!code && !ret->profile)
		ret->profile = profile_new(load->keep);
	if (ret->profile) {
		ret->profile->meta.lost_samples = result->lost_samples;
		ret->profile->meta.lost_events = result->lost_records;
	}
	return code;
}

void recorded_done(struct recorded *recorded)
{
	recording_result_done(&recorded->result);
	profile_free(recorded->profile);
}
