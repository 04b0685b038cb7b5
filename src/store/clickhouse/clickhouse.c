/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Location, opening and closing (see clickhouse.h). */
#include "store/clickhouse/clickhouse.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/http_client.h"

#define SCHEME	      "clickhouse://"
#define PORT	      8123u
#define TLS_PORT      8443u
#define MOST_LOCATION 2000

/* The parts of a location; they point into `text`. */
struct parts {
	char text[MOST_LOCATION + 1];
	char *user, *password, *host, *options;
	const char *database;
	bool tls;
};

static bool is_name(const char *text)
{
	size_t len = strlen(text);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	return len > 0 && len <= 64 && !isdigit((unsigned char)text[0]);
}

/* Ends the text before c; what follows, or NULL. */
static char *split(char *text, char c)
{
	char *at = strchr(text, c);

	if (at)
		*at++ = '\0';
	return at;
}

static bool take_options(struct clickhouse *store, struct parts *parts)
{
	for (char *at = parts->options, *next; at && *at; at = next) {
		next = split(at, '&');
		if (strcmp(at, "tls=yes") == 0)
			parts->tls = true;
		else if (strcmp(at, "upkeep=yes") == 0)
			store->upkeep = true;
		else if (strcmp(at, "tls=no") != 0 && strcmp(at, "upkeep=no") != 0)
			return false;
	}
	return true;
}

static bool is_host(const char *text)
{
	return *text &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			    ".-_:[]") == strlen(text);
}

static bool divide(struct clickhouse *store, const char *location, struct parts *ret)
{
	char *at;

	*ret = (struct parts){ 0 };
	if (strlen(location) > MOST_LOCATION)
		return false;
	(void)snprintf(ret->text, sizeof(ret->text), "%s", location + strlen(SCHEME));
	ret->options = split(ret->text, '?');
	ret->host = ret->text;
	at = strrchr(ret->text, '@');
	if (at) {
		*at = '\0';
		ret->user = ret->text;
		ret->host = at + 1;
		ret->password = split(ret->user, ':');
	}
	ret->database = split(ret->host, '/');
	if (!ret->database || !*ret->database)
		ret->database = "cupel";
	return is_host(ret->host) && is_name(ret->database) && take_options(store, ret);
}

static bool has_port(const char *host)
{
	const char *bracket = strrchr(host, ']'), *colon = strrchr(host, ':');

	return colon && (!bracket || colon > bracket);
}

static void keep_parts(struct clickhouse *store, const struct parts *parts)
{
	const char *password = parts->password ? parts->password
					       : getenv("CUPEL_CLICKHOUSE_PASSWORD");
	struct buf text = { 0 };

	(void)buf_printf(&text, "%s://%s", parts->tls ? "https" : "http", parts->host);
	if (!has_port(parts->host))
		(void)buf_printf(&text, ":%u", parts->tls ? TLS_PORT : PORT);
	(void)buf_puts(&text, "/");
	store->url = text.data;
	text = (struct buf){ 0 };
	(void)buf_printf(&text, SCHEME "%s/%s", parts->host, parts->database);
	store->shown = text.data;
	store->database = mem_strdup(parts->database);
	if (parts->user && *parts->user) {
		store->user = mem_strdup(parts->user);
		store->password = mem_strdup(password ? password : "");
	}
}

static void clickhouse_close(struct store *base)
{
	struct clickhouse *store = (struct clickhouse *)base;

	http_client_free(store->client);
	map_done(&store->sent);
	free(store->shown);
	free(store->url);
	free(store->user);
	free(store->password);
	free(store->database);
	free(store->spool.folder);
	free(store);
}

/* Nothing is asked yet: with a spool the server may be away. */
static int clickhouse_open(const struct store_options *options, struct store **ret, struct err *err)
{
	struct clickhouse *store = mem_zalloc(sizeof(*store));
	struct parts parts;

	if (!divide(store, options->location, &parts) ||
	    getrandom(&store->next_id, sizeof(store->next_id), 0) !=
		    (ssize_t)sizeof(store->next_id)) {
		free(store);
		return err_usage(err,
				 "invalid location of a ClickHouse store: expected " SCHEME
				 "[USER[:PASSWORD]@]HOST[:PORT][/DATABASE][?tls=yes&upkeep=yes]");
	}
	store->write = options->write;
	store->spool = (struct spool){ .suffix = ".batch",
				       .most_bytes = SPOOL_MAX_BYTES,
				       .send = clickhouse_batch_send,
				       .context = store };
	if (options->write && options->spool)
		store->spool.folder = mem_strdup(options->spool);
	keep_parts(store, &parts);
	*ret = &store->base;
	return 0;
}

/* The server acknowledged, or the spool's files are synchronised. */
static int clickhouse_sync(struct store *base, struct err *err)
{
	(void)base;
	(void)err;
	return 0;
}

const struct store_ops store_clickhouse = {
	.scheme = "clickhouse",
	.open = clickhouse_open,
	.append = clickhouse_append,
	.sync = clickhouse_sync,
	.query = clickhouse_query,
	.timeline = clickhouse_timeline,
	.series = clickhouse_series,
	.maintain = clickhouse_maintain,
	.close = clickhouse_close,
};
