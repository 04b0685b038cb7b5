/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The server (see server.h): everything that is about libmicrohttpd, and nothing else. */
#include "server/server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "server/exchange.h"
#include "server/microhttpd.h"
#include "server/reply.h"
#include "server/request.h"
#include "server/tls.h"
#include "store/store.h"

#define IDLE_S	     60 /* a connection without traffic */
#define UPLOAD_NS    ((uint64_t)120 * 1000000000u)
#define ANSWER_NS    ((uint64_t)60 * 1000000000u)
#define HEADER_BYTES ((size_t)48 << 10)
#define STACK_BYTES  ((size_t)512 << 10)
#define PER_ADDRESS  64 /* connections of one remote address */
#define PEM_MAX	     ((size_t)1 << 20)

/* With TLS 1.2 and 1.3 only. */
#define TLS_PRIORITIES "SECURE192:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

static const char policy[] = "default-src 'none'; script-src 'self'; style-src 'self'; "
			     "img-src 'self' data:; connect-src 'self'; frame-src 'self'; "
			     "frame-ancestors 'self'; base-uri 'none'; form-action 'none'";

struct server;

/* One address that is listened on. */
struct entrance {
	struct server *server;
	struct listener listener;
	struct MHD_Daemon *daemon;
};

struct server {
	const struct server_options *options;
	struct microhttpd mhd;
	struct exchange_server shared;
	char tokens[4096];
	struct buf cert, key;
	struct entrance *entrance;
	size_t count;
};

/* A request that is arriving; MHD holds it for us. */
struct arrival {
	char *target;
	const struct route *route; /* NULL until its headers were looked at */
	struct caller caller;
	struct buf body;
	uint64_t begun_ns;
};

static void *begin_arrival(void *context, const char *uri, struct MHD_Connection *connection)
{
	struct arrival *arrival = mem_zalloc(sizeof(*arrival));

	(void)context;
	(void)connection;
	arrival->target = mem_strdup(uri);
	arrival->begun_ns = clock_ns(CLOCK_MONOTONIC);
	return arrival;
}

static void end_arrival(void *context, struct MHD_Connection *connection, void **state,
			enum MHD_RequestTerminationCode why)
{
	struct arrival *arrival = *state;

	(void)context;
	(void)connection;
	(void)why;
	if (!arrival)
		return;
	free(arrival->target);
	buf_done(&arrival->body);
	free(arrival);
	*state = NULL;
}

static const char *header(const struct server *server, struct MHD_Connection *connection,
			  const char *name)
{
	return server->mhd.MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static const char *text_header(const struct server *server, struct MHD_Connection *connection,
			       const char *name)
{
	const char *value = header(server, connection, name);

	return value ? value : "";
}

static void add_headers(const struct server *server, struct MHD_Response *response,
			const struct reply *reply)
{
	const char *const pairs[][2] = {
		{ "Content-Type", reply->type },
		{ "Content-Security-Policy", policy },
		{ "X-Content-Type-Options", "nosniff" },
		{ "Referrer-Policy", "no-referrer" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
		{ "Cache-Control", reply->tag ? "private, no-cache" : "no-store" },
	};
	char text[160];

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		(void)server->mhd.MHD_add_response_header(response, pairs[i][0], pairs[i][1]);
	if (reply->tag) {
		(void)snprintf(text, sizeof(text), "\"%s\"", reply->tag);
		(void)server->mhd.MHD_add_response_header(response, "ETag", text);
	}
	if (*reply->download) {
		(void)snprintf(text, sizeof(text), "attachment; filename=\"%s\"", reply->download);
		(void)server->mhd.MHD_add_response_header(response, "Content-Disposition", text);
	}
	if (reply->status == 401)
		(void)server->mhd.MHD_add_response_header(
			response, "WWW-Authenticate",
			"Basic realm=\"cupel: any name, a token as password\"");
}

/* Sends the reply and frees it. */
static enum MHD_Result send_reply(const struct server *server, struct MHD_Connection *connection,
				  struct reply *reply)
{
	const char *kept = header(server, connection, "If-None-Match");
	struct MHD_Response *response;
	enum MHD_Result result;

	if (reply->tag && kept && strstr(kept, reply->tag)) {
		buf_clear(&reply->body);
		reply->status = 304;
	}
	response = server->mhd.MHD_create_response_from_buffer(
		reply->body.len, reply->body.data ? reply->body.data : (void *)(uintptr_t) "",
		MHD_RESPMEM_MUST_COPY);
	reply_done(reply);
	if (!response)
		return MHD_NO;
	add_headers(server, response, reply);
	result = server->mhd.MHD_queue_response(connection, reply->status, response);
	server->mhd.MHD_destroy_response(response);
	return result;
}

static enum MHD_Result refuse(const struct server *server, struct MHD_Connection *connection,
			      unsigned status, const char *why)
{
	struct reply reply = { 0 };

	reply_error(&reply, status, why);
	return send_reply(server, connection, &reply);
}

static struct admission_claim claim_of(const struct entrance *entrance,
				       struct MHD_Connection *connection, const char *method)
{
	const struct server *server = entrance->server;
	const union MHD_ConnectionInfo *info =
		server->mhd.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return (struct admission_claim){
		.kind = entrance->listener.kind,
		.socket = info ? info->connect_fd : -1,
		.method = method,
		.host = header(server, connection, "Host"),
		.authorization = header(server, connection, "Authorization"),
		.api_key = header(server, connection, "X-API-Key"),
		.origin = header(server, connection, "Origin"),
		.fetch_site = header(server, connection, "Sec-Fetch-Site"),
		.fetch_mode = header(server, connection, "Sec-Fetch-Mode"),
	};
}

/* The headers are there. Refuses, or lets the body come. */
static enum MHD_Result look_at(const struct entrance *entrance, struct MHD_Connection *connection,
			       const char *method, struct arrival *arrival)
{
	const struct server *server = entrance->server;
	const struct admission_claim claim = claim_of(entrance, connection, method);
	const char *length = header(server, connection, "Content-Length"), *why;
	unsigned status;
	const struct route *route = exchange_route(method, arrival->target, &status);

	if (strlen(arrival->target) > REQUEST_TARGET_MAX)
		return refuse(server, connection, 414, "the address is too long");
	/* what there is, only those learn who may ask */
	status = admission_check(&server->shared.rules, &claim, route ? route->rights : 0,
				 &arrival->caller, &why);
	if (status)
		return refuse(server, connection, status, why);
	if (!route) {
		(void)exchange_route(method, arrival->target, &status);
		return refuse(server, connection, status,
			      status == 405 ? "this method is not for that page"
					    : "there is no such page");
	}
	if (length && strtoull(length, NULL, 10) > server->options->request_bytes)
		return refuse(server, connection, 413, "this is larger than --request-size");
	arrival->body.limit = server->options->request_bytes;
	arrival->route = route;
	return MHD_YES;
}

static enum MHD_Result handle(MICROHTTPD_REQUEST)
{
	struct entrance *entrance = context;
	const struct server *server = entrance->server;
	struct arrival *arrival = *state;
	struct reply reply = { .type = REPLY_TEXT };
	struct exchange_sent sent;

	(void)url;
	(void)version;
	if (!arrival)
		return MHD_NO;
	if (!arrival->route)
		return look_at(entrance, connection, method, arrival);
	if (*data_len) {
		if (buf_append(&arrival->body, data, *data_len) ||
		    clock_ns(CLOCK_MONOTONIC) - arrival->begun_ns > UPLOAD_NS)
			return MHD_NO;
		*data_len = 0;
		return MHD_YES;
	}
	sent = (struct exchange_sent){ .target = arrival->target,
				       .type = text_header(server, connection, "Content-Type"),
				       .encoding =
					       text_header(server, connection, "Content-Encoding"),
				       .body = &arrival->body };
	arrival->route->answer(&server->shared, &arrival->caller, &sent, &reply);
	return send_reply(server, connection, &reply);
}

/* What is wrong with clients is not for the log. */
static void drop_message(void *context, const char *fmt, va_list args)
{
	(void)context;
	(void)fmt;
	(void)args;
}

static int start(struct entrance *entrance, struct err *err)
{
	struct server *server = entrance->server;
	bool remote = entrance->listener.kind == LISTENER_REMOTE;
	unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION |
			 MHD_USE_POLL | (remote ? MHD_USE_TLS : 0u);
	struct MHD_OptionItem options[16] = {
		{ MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)drop_message, NULL },
		{ MHD_OPTION_LISTEN_SOCKET, entrance->listener.fd, NULL },
		{ MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)begin_arrival, NULL },
		{ MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)end_arrival, NULL },
		{ MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S, NULL },
		{ MHD_OPTION_CONNECTION_LIMIT, (intptr_t)server->options->connections, NULL },
		{ MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)HEADER_BYTES, NULL },
		{ MHD_OPTION_THREAD_STACK_SIZE, (intptr_t)STACK_BYTES, NULL },
		{ MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL },
	};
	size_t count = 9;

	if (remote) {
		options[count++] = (struct MHD_OptionItem){ MHD_OPTION_PER_IP_CONNECTION_LIMIT,
							    PER_ADDRESS, NULL };
		options[count++] =
			(struct MHD_OptionItem){ MHD_OPTION_HTTPS_MEM_CERT, 0, server->cert.data };
		options[count++] =
			(struct MHD_OptionItem){ MHD_OPTION_HTTPS_MEM_KEY, 0, server->key.data };
		options[count++] = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_PRIORITIES, 0,
							    (void *)(uintptr_t)TLS_PRIORITIES };
	}
	options[count] = (struct MHD_OptionItem){ MHD_OPTION_END, 0, NULL };
	entrance->daemon = server->mhd.MHD_start_daemon(flags, 0, NULL, NULL, handle, entrance,
							MHD_OPTION_ARRAY, options, MHD_OPTION_END);
	if (entrance->daemon)
		return 0;
	return err_set(err, -EIO, "the web server does not start%s",
		       remote ? ": certificate and key of --tls-cert and --tls-key do not fit"
			      : "");
}

static int read_pem(const char *path, struct buf *ret, struct err *err)
{
	ret->limit = PEM_MAX;
	return fd_read_file(path, ret, err);
}

/* Other machines need a key, and clients with tokens. */
static int prepare_remote(struct server *server, const char *text, struct err *err)
{
	const struct server_options *o = server->options;
	struct tokens tokens;
	bool any;

	if (!o->tls_cert || !o->tls_key)
		return err_usage(err, "%s is not loopback: it needs --tls-cert and --tls-key",
				 text);
	if (!tls_is_there() || server->mhd.MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES) {
		(void)err_set(err, -ENOSYS, "%s is not loopback, and a static program has no TLS",
			      text);
		return err_hint(err, "put a proxy with TLS in front of it, or use a program that "
				     "is not static");
	}
	if (tokens_read(server->tokens, &tokens, err))
		return err->code;
	any = tokens.token.count;
	tokens_done(&tokens);
	if (!any) {
		(void)err_set(err, -EACCES, "%s is not loopback: it needs tokens, and %s has none",
			      text, server->tokens);
		return err_hint(err, "make one with: cupel serve token add NAME --right read");
	}
	if (server->cert.len)
		return 0;
	return read_pem(o->tls_cert, &server->cert, err) || read_pem(o->tls_key, &server->key, err)
		       ? err->code
		       : 0;
}

static int open_entrances(struct server *server, struct err *err)
{
	static const char *const usual[] = { SERVER_LISTEN_DEFAULT };
	const struct server_options *o = server->options;
	const char *const *listen = o->listen_count ? o->listen : usual;
	size_t count = o->listen_count ? o->listen_count : 1;

	server->entrance = mem_zalloc(count * sizeof(*server->entrance));
	for (size_t i = 0; i < count; i++) {
		struct entrance *entrance = &server->entrance[i];

		if (listener_parse(listen[i], &entrance->listener, err))
			return err->code;
		entrance->server = server;
		server->count++;
		if (entrance->listener.kind == LISTENER_REMOTE &&
		    prepare_remote(server, listen[i], err))
			return err->code;
		if (listener_open(&entrance->listener, err))
			return err->code;
	}
	return 0;
}

static int start_all(struct server *server, struct err *err)
{
	char line[256], text[160];

	if (workers_open(&server->options->answers, &server->shared.workers, err) ||
	    writer_open(&server->options->received, &server->shared.writer, err))
		return err->code;
	for (size_t i = 0; i < server->count; i++) {
		if (start(&server->entrance[i], err))
			return err->code;
		listener_text(&server->entrance[i].listener, text, sizeof(text));
		(void)snprintf(line, sizeof(line), "listening on %s", text);
		server->options->say(line);
	}
	return 0;
}

void server_options_default(struct server_options *ret)
{
	*ret = (struct server_options){
		.connections = 512,
		.request_bytes = (uint64_t)64 << 20,
		.answers = { 4, (uint64_t)1 << 30, ANSWER_NS },
		.received = { .memory_bytes = (uint64_t)1 << 30, .time_ns = ANSWER_NS },
	};
}

int server_open(const struct server_options *options, struct server **ret, struct err *err)
{
	struct server *server = mem_zalloc(sizeof(*server));

	server->options = options;
	if (options->tokens)
		(void)snprintf(server->tokens, sizeof(server->tokens), "%s", options->tokens);
	else
		(void)snprintf(server->tokens, sizeof(server->tokens), "%s/tokens",
			       store_is_folder(options->store) ? options->store : STORE_DEFAULT);
	server->shared.store = options->store;
	server->shared.rules = (struct admission_rules){ .tokens_path = server->tokens,
							 .hosts = options->hosts,
							 .host_count = options->host_count,
							 .owner = geteuid() };
	if (microhttpd_load(&server->mhd, err) || open_entrances(server, err) ||
	    start_all(server, err)) {
		server_close(server);
		return err->code;
	}
	*ret = server;
	return 0;
}

const int *server_end_fd(const struct server *server, enum server_part part)
{
	return part == SERVER_ANSWERS ? workers_end_fd(server->shared.workers)
				      : writer_end_fd(server->shared.writer);
}

void server_close(struct server *server)
{
	if (!server)
		return;
	for (size_t i = 0; i < server->count; i++) {
		struct entrance *entrance = &server->entrance[i];

		if (entrance->daemon) { /* closes the socket, too */
			server->mhd.MHD_stop_daemon(entrance->daemon);
			if (entrance->listener.kind == LISTENER_LOCAL)
				(void)unlink(entrance->listener.address.local.sun_path);
			entrance->listener.fd = -1;
		}
		listener_close(&entrance->listener);
	}
	workers_close(server->shared.workers);
	writer_close(server->shared.writer);
	buf_done(&server->cert);
	buf_done(&server->key);
	free(server->entrance);
	free(server);
}
