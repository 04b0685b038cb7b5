/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests and replies (see exchange.h). */
#include "server/exchange.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "server/answer.h"
#include "server/asset.h"
#include "server/ingest.h"
#include "server/question.h"
#include "server/reply.h"
#include "server/worker.h"
#include "server/writer.h"
#include "store/store.h"

/* The store of a client's tenant. */
static void put_location(const struct exchange_server *server, const struct caller *caller,
			 char *ret, size_t size)
{
	if (*caller->tenant)
		store_tenant_location(server->store, caller->tenant, ret, size);
	else
		(void)snprintf(ret, size, "%s", server->store);
}

static void send_asset(const struct exchange_server *server, const struct caller *caller,
		       const struct exchange_sent *sent, struct reply *reply)
{
	char path[64];
	const struct asset *asset;

	(void)server;
	(void)caller;
	(void)snprintf(path, sizeof(path), "%.*s", (int)strcspn(sent->target, "?"), sent->target);
	asset = asset_find(path);
	reply->status = 200;
	reply->type = asset->type;
	reply->tag = asset->tag;
	(void)buf_puts(&reply->body, asset->text);
}

static void send_answer(const struct exchange_server *server, const struct caller *caller,
			const struct exchange_sent *sent, struct reply *reply)
{
	char location[4096];
	const struct question_place place = { location, caller->viewer, clock_ns(CLOCK_REALTIME) };

	put_location(server, caller, location, sizeof(location));
	workers_answer(server->workers, sent->target, &place, reply);
}

/* What the page tells its reader about the view. */
static void send_about(const struct exchange_server *server, const struct caller *caller,
		       const struct exchange_sent *sent, struct reply *reply)
{
	struct buf *out = &reply->body;

	(void)sent;
	reply->status = 200;
	reply->type = REPLY_JSON;
	(void)buf_puts(out, "{\"cupel\":1,\"version\":\"" CUPEL_VERSION "\",\"store\":");
	(void)buf_put_json(out, server->store);
	(void)buf_puts(out, ",\"by\":");
	(void)buf_put_json(out, caller->by);
	(void)buf_puts(out, ",\"name\":");
	(void)buf_put_json(out, caller->name);
	(void)buf_puts(out, ",\"tenant\":");
	(void)buf_put_json(out, caller->tenant);
	(void)buf_printf(out, ",\"sees_all\":%s,\"now_ns\":%llu}\n",
			 caller->viewer == STORE_EVERYBODY ? "true" : "false",
			 (unsigned long long)clock_ns(CLOCK_REALTIME));
}

/* Users other than root and the server's own send what is theirs. */
static void send_received(const struct exchange_server *server, const struct caller *caller,
			  const struct exchange_sent *sent, struct reply *reply)
{
	char location[4096];
	const struct writer_request request = { .location = location,
						.target = sent->target,
						.type = sent->type,
						.encoding = sent->encoding,
						.uid = caller->viewer,
						.now_ns = clock_ns(CLOCK_REALTIME),
						.body = sent->body->data,
						.len = sent->body->len };

	put_location(server, caller, location, sizeof(location));
	writer_send(server->writer, &request, reply);
}

static const struct route route_ingest = { "POST", RIGHT_INGEST, send_received };
static const struct route route_asset = { "GET", RIGHT_READ, send_asset };
static const struct route route_answer = { "GET", RIGHT_READ, send_answer };
static const struct route route_about = { "GET", RIGHT_READ, send_about };

static const struct route *find(const char *path)
{
	if (asset_find(path))
		return &route_asset;
	if (answer_knows(path))
		return &route_answer;
	if (ingest_knows(path))
		return &route_ingest;
	return strcmp(path, "/api/about") == 0 ? &route_about : NULL;
}

const struct route *exchange_route(const char *method, const char *target, unsigned *ret_status)
{
	char path[128];
	const struct route *route = NULL;

	if (strcspn(target, "?") < sizeof(path)) {
		(void)snprintf(path, sizeof(path), "%.*s", (int)strcspn(target, "?"), target);
		route = find(path);
	}
	*ret_status = route ? 405 : 404;
	return route && strcmp(route->method, method) == 0 ? route : NULL;
}
