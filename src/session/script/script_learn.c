/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths of a recording, before its events are printed (see script_learn.h). */
#include "session/script/script_learn.h"

#include <stddef.h>

#include "profile/redact.h"
#include "session/recording.h"
#include "session/replay.h"

struct learner {
	struct replay_handler handler;
	struct redaction *redaction;
};

static int skip_sample(struct replay_handler *handler, const struct replay_sample *sample,
		       struct err *err)
{
	(void)handler;
	(void)sample;
	(void)err;
	return 0;
}

static int see(struct replay_handler *handler, const struct event *event,
	       const struct thread *thread, struct err *err)
{
	(void)thread;
	(void)err;
	if (event->type == EVENT_MMAP)
		redaction_add_path(((struct learner *)handler)->redaction, event->mmap.path);
	return 0;
}

int script_learn(struct recording *base, struct redaction *redaction, struct err *err)
{
	const struct replay_options options = { .no_symbols = true, .no_frames = true };
	struct learner learner = { .handler = { .sample = skip_sample, .other = see },
				   .redaction = redaction };
	struct recording *recording;
	int code = recording_again(base, &recording, err);

	if (code)
		return code;
	code = recording_replay(recording, &options, &learner.handler, err);
	recording_close(recording);
	return code;
}
