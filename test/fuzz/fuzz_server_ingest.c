/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles that clients send: the first byte chooses the protocol and its headers. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "format/otlp/otlp_read.h"
#include "profile/profile.h"
#include "server/ingest.h"
#include "server/reply.h"
#include "store/label_set.h"
#include "store/remote/batch_bytes.h"
#include "store/segment/chunk.h"
#include "store/store.h"

static int look_at(struct store *store, const struct store_batch *batch, struct err *err)
{
	(void)store;
	(void)err;
	for (size_t i = 0; i < batch->profile->samples.count; i++)
		if (batch->profile->samples.item[i].stack.v >= batch->profile->nodes.count)
			__builtin_trap();
	return 0;
}

static int no_sync(struct store *store, struct err *err)
{
	(void)store;
	(void)err;
	return 0;
}

static const struct store_ops looking = { .append = look_at, .sync = no_sync };

static const struct {
	const char *target, *type, *encoding;
} kinds[] = {
	{ "/ingest?name=app{a=b}", "", "" },
	{ "/ingest?name=app", "multipart/form-data; boundary=xx", "" },
	{ "/push.v1.PusherService/Push", "application/proto", "" },
	{ "/push.v1.PusherService/Push", "application/json", "" },
	{ "/api/profiles/writeraw", "application/x-protobuf", "" },
	{ "/api/profiles/writeraw", "application/json", "" },
	{ "/v1/profiles?service.name=a", "", "gzip" },
	{ "/v1development/profiles", "application/x-protobuf", "" },
	{ BATCH_PATH, BATCH_TYPE, "" },
	{ "/v1development/profiles", "application/json", "" },
};

/* Batches, with their hashes put right. */
static void put_right(struct ingest *ingest, uint8_t *copy)
{
	if (strcmp(ingest->target, BATCH_PATH) != 0 || ingest->body.len < 16)
		return;
	memcpy(copy, ingest->body.at, ingest->body.len);
	chunk_repair(copy + 16, ingest->body.len - 16);
	ingest->body.at = copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct store store = { &looking };
	struct otlp_answer said;
	struct reply reply = { 0 };
	size_t kind = size ? data[0] % (sizeof(kinds) / sizeof(kinds[0])) : 0;
	struct ingest ingest = { .target = kinds[kind].target,
				 .type = kinds[kind].type,
				 .encoding = kinds[kind].encoding,
				 .body = { data + (size > 0), size - (size > 0) },
				 .unpacked_max = 1 << 20,
				 .store = &store,
				 .uid = STORE_EVERYBODY,
				 .now_ns = (uint64_t)1764000000 * 1000000000 };

	uint8_t *copy = malloc(size + 1);

	put_right(&ingest, copy);
	otlp_answer_read(data, size, &said);
	ingest_run(&ingest, &reply);
	if (reply.status < 200 || reply.status > 599)
		__builtin_trap();
	reply_done(&reply);
	free(copy);
	return 0;
}
