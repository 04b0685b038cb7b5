/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests to ClickHouse's HTTP interface (see clickhouse.h). Statements are in the URL, so that
 * the body can be rows, or a table of ids ("external data", in multipart/form-data). */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/http_client.h"
#include "store/clickhouse/clickhouse.h"

#define MOST_ANSWER ((size_t)1 << 30)
#define TIMEOUT_S   120
#define BOUNDARY    "cupel-7d3f1b9a5c2e4f60"

static void put_escaped(struct buf *url, const char *text)
{
	static const char digits[] = "0123456789ABCDEF";

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) {
			(void)buf_putc(url, (char)c);
		} else {
			(void)buf_putc(url, '%');
			(void)buf_putc(url, digits[c >> 4]);
			(void)buf_putc(url, digits[c & 15]);
		}
	}
}

/* The first line of what the server says, without what it repeats. */
static int refuse(const struct clickhouse *store, int status, struct buf *answer, struct err *err)
{
	size_t len = answer->data ? strcspn(answer->data, "\r\n") : 0;

	if (answer->data)
		text_tidy(answer->data, answer->len);
	return err_set(err, -EREMOTEIO, "%s: HTTP %d%s%.*s", store->shown, status, len ? ": " : "",
		       (int)(len < 300 ? len : 300), len ? answer->data : "");
}

static int post(struct clickhouse *store, struct http_request *request, struct buf *ret,
		struct err *err)
{
	struct buf own = { .limit = MOST_ANSWER };
	int status = 0, code;

	request->user = store->user;
	request->password = store->password;
	request->timeout_s = TIMEOUT_S;
	code = store->client ? 0 : http_client_new(&store->client, err);
	if (!code) {
		code = http_client_post(store->client, request, &own, &status, err);
		if (code)
			code = err_wrap(err, "%s", store->shown);
	}
	if (!code && status != 200)
		code = refuse(store, status, &own, err);
	if (!code && ret) {
		buf_done(ret);
		*ret = own;
	} else {
		buf_done(&own);
	}
	return code;
}

int clickhouse_do(struct clickhouse *store, const char *sql, const struct buf *rows,
		  struct buf *ret, struct err *err)
{
	struct buf url = { 0 };
	struct http_request request = { 0 };
	int code;

	(void)buf_printf(&url, "%s?query=", store->url);
	put_escaped(&url, sql);
	request.url = url.data;
	if (rows) {
		request.body = rows->data;
		request.body_len = rows->len;
	}
	code = post(store, &request, ret, err);
	buf_done(&url);
	return code;
}

static void put_ids(struct buf *body, const struct clickhouse_ids *ids)
{
	(void)buf_puts(body, "--" BOUNDARY "\r\nContent-Disposition: form-data; name=\"ids\"; "
			     "filename=\"ids\"\r\nContent-Type: application/octet-stream\r\n\r\n");
	for (size_t i = 0; i < ids->count; i++) {
		uint64_t little = htole64(ids->id[i]);

		(void)buf_append(body, &little, sizeof(little));
	}
	(void)buf_puts(body, "\r\n--" BOUNDARY "--\r\n");
}

int clickhouse_ask(struct clickhouse *store, const char *sql, const struct clickhouse_ids *ids,
		   struct buf *ret, struct err *err)
{
	struct buf url = { 0 }, body = { 0 };
	struct http_request request = { 0 };
	int code;

	if (!ids)
		return clickhouse_do(store, sql, NULL, ret, err);
	(void)buf_printf(&url,
			 "%s?ids_structure=id%%20UInt64&ids_format=RowBinary&query=", store->url);
	put_escaped(&url, sql);
	put_ids(&body, ids);
	request.url = url.data;
	request.content_type = "multipart/form-data; boundary=" BOUNDARY;
	request.body = body.data;
	request.body_len = body.len;
	code = post(store, &request, ret, err);
	buf_done(&url);
	buf_done(&body);
	return code;
}

int clickhouse_number(struct clickhouse *store, const char *sql, uint64_t *ret, struct err *err)
{
	struct buf answer = { 0 };
	int code = clickhouse_do(store, sql, NULL, &answer, err);

	*ret = answer.data ? strtoull(answer.data, NULL, 10) : 0;
	buf_done(&answer);
	return code;
}
