/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binaries by build id (see build_ids.h). */
#include "session/build_ids.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/map.h"
#include "event/event.h"
#include "format/perf_data/perf_data.h"
#include "proc/module.h"
#include "session/recording.h"
#include "session/replay.h"

/* A header may name a binary twice, and so may mappings of two namespaces. */
struct build_ids {
	struct replay_handler handler;
	const struct build_id_visit *visit;
	struct map seen;    /* hash of id and path → 1 */
	struct map modules; /* id → 1 */
};

static int offer(struct build_ids *ids, const struct build_id *id, const char *path)
{
	uint64_t key = hash_bytes(path, strlen(path)) ^ hash_u64(hash_bytes(id->bytes, id->len));
	bool added;

	*map_add(&ids->seen, key, &added) = 1;
	return added ? ids->visit->each(ids->visit->context, id, path) : 0;
}

static int offer_header(void *context, const struct event *event)
{
	return offer(context, &event->build_id.id, event->build_id.path);
}

static int offer_hit(struct replay_handler *handler, const struct replay_sample *sample,
		     struct err *err)
{
	struct build_ids *ids = (struct build_ids *)handler;
	const struct module *module = sample->ip.module;
	bool added;
	int code;

	*map_add(&ids->modules, module->id.v, &added) = 1;
	if (!added || module->kind == MODULE_UNKNOWN)
		return 0;
	code = offer(ids, &module->build_id, module->path);
	return code ? err_set(err, code, "%s", strerror(-code)) : 0;
}

int build_ids_of(struct recording *recording, bool hits, const struct build_id_visit *visit,
		 struct err *err)
{
	const struct replay_options options = { .no_symbols = true };
	struct build_ids ids = { .handler = { .sample = offer_hit }, .visit = visit };
	struct perf_data *data;
	const uint8_t *bytes;
	size_t len;
	int code = recording_data(recording, &data, err);

	if (!code && !hits && perf_data_feature(data, PERF_FEATURE_BUILD_ID, &bytes, &len)) {
		code = perf_data_build_ids(data, offer_header, &ids);
		if (code)
			(void)err_set(err, code, "%s", strerror(-code));
	} else if (!code) {
		code = recording_replay(recording, &options, &ids.handler, err);
	}
	map_done(&ids.seen);
	map_done(&ids.modules);
	return code;
}
