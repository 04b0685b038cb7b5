/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binaries by build id (see build_ids.h). */
#include "session/build_ids.h"

#include <stdbool.h>
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
	enum build_id_set set;
	const struct replay *replay; /* NULL = no sample yet */
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

static int offer_module(struct build_ids *ids, const struct module *module, struct err *err)
{
	bool added;
	int code;

	*map_add(&ids->modules, module->id.v, &added) = 1;
	if (!added || module->kind == MODULE_UNKNOWN)
		return 0;
	code = offer(ids, &module->build_id, module->path);
	return code ? err_set(err, code, "%s", strerror(-code)) : 0;
}

static int on_sample(struct replay_handler *handler, const struct replay_sample *sample,
		     struct err *err)
{
	struct build_ids *ids = (struct build_ids *)handler;
	int code = 0;

	ids->replay = sample->replay;
	if (ids->set != BUILD_IDS_MAPPED)
		code = offer_module(ids, sample->ip.module, err);
	for (size_t i = 0; !code && i < sample->count && ids->set == BUILD_IDS_STACKS; i++)
		code = offer_module(ids, sample->frame[i].module, err);
	return code;
}

static int on_end(struct replay_handler *handler, struct err *err)
{
	struct build_ids *ids = (struct build_ids *)handler;
	const struct module_table *all = ids->replay ? replay_modules(ids->replay) : NULL;
	int code = 0;

	if (ids->set != BUILD_IDS_MAPPED || !all)
		return 0;
	for (size_t i = 0; i < module_table_count(all) && !code; i++)
		code = offer_module(ids, module_table_get(all, (module_id){ (uint32_t)i }), err);
	return code;
}

int build_ids_of(struct recording *recording, enum build_id_set set,
		 const struct build_id_visit *visit, struct err *err)
{
	const struct replay_options options = { .no_symbols = true,
						.no_frames = set == BUILD_IDS_MAPPED };
	struct build_ids ids = { .handler = { .sample = on_sample, .end = on_end },
				 .visit = visit,
				 .set = set };
	struct perf_data *data;
	const uint8_t *bytes;
	size_t len;
	int code = recording_data(recording, &data, err);

	if (!code && set == BUILD_IDS_LISTED &&
	    perf_data_feature(data, PERF_FEATURE_BUILD_ID, &bytes, &len)) {
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
