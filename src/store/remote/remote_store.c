/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The store of another machine, behind a server of this program: https://HOST[:PORT][/PREFIX]. It
 * only takes samples (batch_bytes.h); questions are asked there. The token is in the environment,
 * CUPEL_PUSH_TOKEN. A batch is acknowledged when the server has it on its disk; while the server is
 * away batches are kept in files (spool.h). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/http_client.h"
#include "store/batch_rows.h"
#include "store/dictionary.h"
#include "store/remote/batch_bytes.h"
#include "store/rows.h"
#include "store/spool.h"
#include "store/store.h"

#define AWAY_NS	    ((uint64_t)5 * 1000000000)
#define MOST_ANSWER ((size_t)64 << 10)
#define TOKEN	    "CUPEL_PUSH_TOKEN"

struct remote {
	struct store base;
	char *location, *url, *token; /* token NULL = none */
	struct http_client *client;
	struct spool spool;
	uint64_t away_ns; /* CLOCK_MONOTONIC: no attempt before that */
	uint64_t next_id; /* of a batch */
};

/* The server will never take it. Other refusals, such as that of a token, can be mended there. */
static bool is_final(int status)
{
	return status == 400 || status == 413 || status == 415;
}

static int check_answer(const struct remote *store, int status, struct buf *answer, struct err *err)
{
	size_t len = answer->data ? strcspn(answer->data, "\r\n") : 0;

	if (status == 200)
		return 0;
	if (answer->data)
		text_tidy(answer->data, answer->len);
	return err_set(err, is_final(status) ? -EREMOTEIO : -EIO, "%s: HTTP %d%s%.*s",
		       store->location, status, len ? ": " : "", (int)(len < 300 ? len : 300),
		       len ? answer->data : "");
}

static int post(void *context, const void *data, size_t len, struct err *err)
{
	struct remote *store = context;
	const struct http_request request = { .url = store->url,
					      .token = store->token,
					      .content_type = BATCH_TYPE,
					      .body = data,
					      .body_len = len };
	struct buf answer = { .limit = MOST_ANSWER };
	int status = 0, code = store->client ? 0 : http_client_new(&store->client, err);

	if (!code) {
		code = http_client_post(store->client, &request, &answer, &status, err);
		if (code)
			code = err_wrap(err, "%s", store->location);
	}
	if (!code)
		code = check_answer(store, status, &answer, err);
	buf_done(&answer);
	return code;
}

/* To the server, or to the spool when it is away. */
static int deliver(struct remote *store, uint64_t id, const struct buf *bytes, struct err *err)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct err away = { 0 };
	int code = -EHOSTUNREACH;

	if (now >= store->away_ns) {
		code = spool_send(&store->spool, &away);
		if (!code)
			code = post(store, bytes->data, bytes->len, &away);
	}
	if (!code)
		return 0;
	if (!store->spool.folder || code == -EREMOTEIO) {
		*err = away;
		return code;
	}
	if (now >= store->away_ns)
		store->away_ns = clock_ns(CLOCK_MONOTONIC) + AWAY_NS;
	return spool_put(&store->spool, id, bytes, err);
}

static int append_day(struct remote *store, const struct store_batch *from, uint32_t day,
		      bool with_lost, struct err *err)
{
	struct dictionary dict = { 0 };
	struct store_rows rows = { 0 };
	struct buf bytes = { 0 };
	uint64_t id = store->next_id++;
	int code = 0;

	dictionary_init(&dict);
	batch_rows_add(from, day, with_lost, &dict, &rows);
	store_rows_merge(&rows, STORE_BUCKET_NS);
	if (rows.rows.count) {
		batch_bytes_write(id ? id : store->next_id++, &dict, &rows, &bytes);
		code = deliver(store, id, &bytes, err);
	}
	buf_done(&bytes);
	vec_done(&rows.rows);
	dictionary_done(&dict);
	return code;
}

static int remote_append(struct store *base, const struct store_batch *batch, struct err *err)
{
	AUTO_FREE uint32_t *days = NULL;
	size_t count = 0;
	int code = batch_rows_days(batch, &days, &count, err);

	for (size_t i = 0; i < count && !code; i++)
		code = append_day((struct remote *)base, batch, days[i], i + 1 == count, err);
	return code;
}

/* The server acknowledged, or the spool's files are synchronised. */
static int remote_sync(struct store *base, struct err *err)
{
	(void)base;
	(void)err;
	return 0;
}

static int refuse(const struct store *base, struct err *err)
{
	(void)err_set(err, -EOPNOTSUPP, "%s: a server that takes samples; it does not answer here",
		      ((const struct remote *)base)->location);
	return err_hint(err, "open its page in a browser, or ask its store on its machine");
}

static int remote_query(struct store *base, const struct store_query *query, struct profile *ret,
			struct err *err)
{
	(void)query;
	(void)ret;
	return refuse(base, err);
}

static int remote_timeline(struct store *base, const struct store_query *query,
			   struct store_timeline *ret, struct err *err)
{
	(void)query;
	(void)ret;
	return refuse(base, err);
}

static int remote_series(struct store *base, const struct store_query *query,
			 struct store_series_list *ret, struct err *err)
{
	(void)query;
	(void)ret;
	return refuse(base, err);
}

/* The server keeps its store in order; what waits for it is sent, and told. */
static int remote_maintain(struct store *base, const struct store_limits *limits, uint64_t now_ns,
			   struct err *err)
{
	struct remote *store = (struct remote *)base;
	struct err away = { 0 };

	(void)limits;
	(void)now_ns;
	(void)spool_send(&store->spool, &away);
	return spool_tell(&store->spool, store->location, &away, err);
}

static void remote_close(struct store *base)
{
	struct remote *store = (struct remote *)base;

	http_client_free(store->client);
	free(store->location);
	free(store->url);
	free(store->token);
	free(store->spool.folder);
	free(store);
}

static bool is_address(const char *location)
{
	const char *host = strstr(location, "://") + 3;

	return *host && *host != '/' && !strpbrk(host, "@?# \t\r\n\"'<>\\");
}

/* Nothing is sent yet: with a spool the server may be away. */
static int remote_open(const struct store_options *options, struct store **ret, struct err *err)
{
	struct remote *store;
	size_t len = strlen(options->location);
	const char *token = getenv(TOKEN);
	struct buf url = { 0 };

	if (!is_address(options->location))
		return err_usage(err, "invalid address of a server: expected "
				      "https://HOST[:PORT][/PREFIX], and a token in " TOKEN);
	store = mem_zalloc(sizeof(*store));
	if (getrandom(&store->next_id, sizeof(store->next_id), 0) !=
	    (ssize_t)sizeof(store->next_id)) {
		free(store);
		return err_errno(err, "random numbers");
	}
	while (len && options->location[len - 1] == '/')
		len--;
	(void)buf_printf(&url, "%.*s%s", (int)len, options->location, BATCH_PATH);
	store->url = url.data;
	store->location = mem_strdup(options->location);
	store->token = token && *token ? mem_strdup(token) : NULL;
	store->spool = (struct spool){
		.suffix = ".cupel", .most_bytes = SPOOL_MAX_BYTES, .send = post, .context = store
	};
	if (options->write && options->spool)
		store->spool.folder = mem_strdup(options->spool);
	*ret = &store->base;
	return 0;
}

#define REMOTE_OPS(scheme_)                                                                  \
	{                                                                                    \
		.scheme = scheme_, .open = remote_open, .append = remote_append,             \
		.sync = remote_sync, .query = remote_query, .timeline = remote_timeline,     \
		.series = remote_series, .maintain = remote_maintain, .close = remote_close, \
	}

const struct store_ops store_remote_http = REMOTE_OPS("http"),
		       store_remote_https = REMOTE_OPS("https");
