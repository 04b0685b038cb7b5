/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that loads what another records (see load_live.h). */
#include "session/load/load_live.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/byte_queue.h"
#include "base/err.h"
#include "base/thread.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/recording.h"

/* What may wait to be read. A recorder that has to wait longer keeps its rings waiting, which count
 * what they lose. */
#define QUEUE_BYTES ((size_t)64 << 20)

struct load_live {
	struct load_options options;
	struct byte_queue *queue;
	pthread_t thread;
	struct profile *profile;
	struct err err;
};

static void *load(void *context)
{
	struct load_live *live = context;
	struct recording *recording = recording_open_queue(live->queue, "the recording");

	(void)recording_load(recording, &live->options, &live->profile, &live->err);
	byte_queue_close(live->queue);
	recording_close(recording);
	return NULL;
}

int load_live_start(const struct load_options *options, struct load_live **ret, struct err *err)
{
	struct load_live *live = mem_zalloc(sizeof(*live));
	int code;

	live->options = *options;
	live->options.live = true;
	live->queue = byte_queue_new(QUEUE_BYTES);
	code = thread_start(&live->thread, "reader", load, live, err);
	if (code) {
		byte_queue_free(live->queue);
		free(live);
		return code;
	}
	*ret = live;
	return 0;
}

struct byte_queue *load_live_queue(const struct load_live *live)
{
	return live->queue;
}

int load_live_finish(struct load_live *live, struct profile **ret, struct err *err)
{
	int code;

	if (!ret)
		byte_queue_close(live->queue); /* what is left need not be read */
	byte_queue_end(live->queue);
	(void)pthread_join(live->thread, NULL);
	code = ret ? live->err.code : 0;
	if (code)
		*err = live->err;
	else if (ret)
		*ret = live->profile;
	else
		profile_free(live->profile);
	byte_queue_free(live->queue);
	free(live);
	return code;
}
