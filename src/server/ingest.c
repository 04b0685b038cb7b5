/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles over HTTP (see ingest.h). */
#include "server/ingest.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/err.h"
#include "server/ingest_kinds.h"
#include "server/reply.h"
#include "server/request.h"
#include "server/unpack_body.h"
#include "store/remote/batch_bytes.h"
#include "store/store.h"

static const struct {
	const char *path;
	ingest_kind *run;
} kinds[] = {
	{ "/ingest", ingest_pyroscope },
	{ "/push.v1.PusherService/Push", ingest_push },
	{ "/api/profiles/writeraw", ingest_parca },
	{ "/profiles/writeraw", ingest_parca },
	{ "/v1/profiles", ingest_coroot },
	{ "/v1development/profiles", ingest_otlp },
	{ BATCH_PATH, ingest_batch },
};

static ingest_kind *find(const char *path)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].path, path) == 0)
			return kinds[i].run;
	return NULL;
}

bool ingest_knows(const char *path)
{
	return find(path) != NULL;
}

/* The body as it was before it was packed for the way. */
static int unpack(struct ingest *ingest, struct buf *room, struct err *err)
{
	if (!*ingest->encoding || strcasecmp(ingest->encoding, "identity") == 0)
		return 0;
	if (strcasecmp(ingest->encoding, "gzip") != 0)
		return err_set(err, -EPROTONOSUPPORT, "Content-Encoding: only gzip is understood");
	if (unpack_gzip(ingest->body, room, err))
		return err->code;
	ingest->body = (struct body_bytes){ (const uint8_t *)room->data, room->len };
	return 0;
}

static int run(struct ingest *ingest, const struct request *request, struct reply *reply,
	       struct err *err)
{
	struct buf room = { .limit = ingest->unpacked_max };
	ingest_kind *kind = find(request->path);
	int code = unpack(ingest, &room, err);

	if (!code && !ingest->body.len)
		code = err_set(err, -EINVAL, "the request is empty");
	if (!code)
		code = kind(ingest, request, reply, err);
	if (!code)
		code = store_sync(ingest->store, err);
	buf_done(&room);
	return code;
}

void ingest_run(struct ingest *ingest, struct reply *reply)
{
	struct request request = { 0 };
	struct err err = { 0 };

	reply->status = 200;
	reply->type = REPLY_TEXT;
	if (request_parse(ingest->target, &request, &err)) {
		reply_err(reply, &err);
		return;
	}
	if (!find(request.path))
		reply_error(reply, 404, "there is no such page");
	else if (run(ingest, &request, reply, &err))
		reply_err(reply, &err);
	request_done(&request);
}
