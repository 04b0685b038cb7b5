/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the protocols have in common: labels, and profiles into the store (see ingest_kinds.h). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "format/format.h"
#include "format/input.h"
#include "profile/profile.h"
#include "server/ingest_kinds.h"
#include "server/unpack_body.h"
#include "store/label_set.h"
#include "store/store.h"

#define HEAD_MAX  ((size_t)64 << 10)
#define DAY_NS	  ((uint64_t)86400 * 1000000000u)
#define HOUR_NS	  ((uint64_t)3600 * 1000000000u)
#define OLDEST_NS (30 * DAY_NS) /* clocks of senders are not to be trusted without limit */

void ingest_label(struct label_set *labels, const char *name, const char *value)
{
	static const char *const same[][2] = {
		{ "service_name", "service" },	  { "service.name", "service" },
		{ "host_name", "host" },	  { "host.name", "host" },
		{ "hostname", "host" },		  { "container.id", "container" },
		{ "container_id", "container" },  { "service.version", "version" },
		{ "service_version", "version" }, { "__name__", "profile" },
	};
	char made[LABEL_NAME_MAX + 1];
	size_t len = 0;

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		if (strcmp(same[i][0], name) == 0)
			name = same[i][1];
	if (strncmp(name, "__", 2) == 0)
		return; /* for the other system itself */
	for (; name[len] && len < LABEL_NAME_MAX; len++)
		made[len] = strchr("/-: ", name[len]) ? '_' : name[len];
	made[len] = '\0';
	if (*label_set_get(labels, made))
		return; /* the first one counts */
	(void)label_set_put(labels, made, value);
}

int ingest_profile(struct ingest *ingest, const struct profile *profile,
		   const struct label_set *labels, uint64_t at_ns, struct err *err)
{
	struct label_set own = { 0 };
	struct store_batch batch = { .profile = profile, .labels = &own, .id = ingest->id };
	char uid[16];
	int code;

	label_set_put_all(&own, labels);
	if (ingest->uid != STORE_EVERYBODY) {
		(void)snprintf(uid, sizeof(uid), "%u", ingest->uid);
		(void)label_set_put(&own, "uid", uid);
	}
	if (!(profile->keep & PROFILE_KEEP_TIME))
		batch.clock_ns = (int64_t)at_ns;
	ingest->id = hash_u64(ingest->id); /* of the next one; 0 stays 0 */
	code = store_append(ingest->store, &batch, err);
	if (!code)
		ingest->samples += profile_sample_count(profile);
	label_set_done(&own);
	return code;
}

static bool is_plausible(const struct ingest *ingest, uint64_t time_ns)
{
	return time_ns > ingest->now_ns - OLDEST_NS && time_ns < ingest->now_ns + HOUR_NS;
}

static int read_profile(struct ingest *ingest, struct body_bytes data,
			const struct label_set *labels, uint64_t at_ns, struct err *err)
{
	const struct format_ops *format =
		format_sniff(data.at, data.len < HEAD_MAX ? data.len : HEAD_MAX);
	struct profile *profile;
	struct input *input;
	int code;

	if (!format || format->events || !format->read)
		return err_set(err, -EINVAL, "the data are no profile that can be received");
	if (!at_ns && format->end_ns)
		at_ns = format->end_ns(data.at, data.len);
	if (!is_plausible(ingest, at_ns))
		at_ns = ingest->now_ns;
	input = input_memory(data.at, data.len);
	profile = profile_new(0);
	code = format_read(format, input, NULL, profile, err);
	if (!code && profile->samples.count)
		code = ingest_profile(ingest, profile, labels, at_ns, err);
	profile_free(profile);
	input_close(input);
	return code;
}

int ingest_bytes(struct ingest *ingest, struct body_bytes data, const struct label_set *labels,
		 uint64_t at_ns, struct err *err)
{
	struct buf room = { .limit = ingest->unpacked_max };
	int code = 0;

	if (unpack_is_gzip(data)) {
		code = unpack_gzip(data, &room, err);
		data = (struct body_bytes){ (const uint8_t *)room.data, room.len };
	}
	if (!code)
		code = read_profile(ingest, data, labels, at_ns, err);
	buf_done(&room);
	return code;
}
