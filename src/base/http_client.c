/* SPDX-License-Identifier: GPL-2.0-or-later */
/* HTTP by libcurl (see http_client.h). Its numbers are part of its binary interface (curl/curl.h);
 * so neither its headers nor a link to it are needed to build. */
#include "base/http_client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/library.h"

#define DEFAULT_TIMEOUT_S 30
#define CONNECT_TIMEOUT_S 5
#define PROTOCOL_HTTP	  1L
#define PROTOCOL_HTTPS	  2L
#define AUTH_BASIC	  1L
#define ERROR_BYTES	  256

enum curl_option {
	CURL_TIMEOUT = 13,
	CURL_POST = 47,
	CURL_CONNECT_TIMEOUT = 78,
	CURL_NOSIGNAL = 99,
	CURL_HTTP_AUTH = 107,
	CURL_PROTOCOLS = 181,
	CURL_WRITE_DATA = 10001,
	CURL_URL = 10002,
	CURL_ERROR_BUFFER = 10010,
	CURL_POST_FIELDS = 10015,
	CURL_USER_AGENT = 10018,
	CURL_HTTP_HEADER = 10023,
	CURL_CA_FILE = 10065,
	CURL_USERNAME = 10173,
	CURL_PASSWORD = 10174,
	CURL_WRITE_FUNCTION = 20011,
	CURL_POST_FIELD_SIZE = 30120,
};
#define CURL_INFO_RESPONSE_CODE 0x200002

enum curl_code {
	CURL_OK,
	CURL_COULDNT_RESOLVE_PROXY = 5,
	CURL_COULDNT_RESOLVE_HOST = 6,
	CURL_COULDNT_CONNECT = 7,
	CURL_WRITE_ERROR = 23,
	CURL_SSL_CONNECT_ERROR = 35,
	CURL_PEER_FAILED_VERIFICATION = 60,
};

struct curl_slist;

struct curl_functions {
	void *(*curl_easy_init)(void);
	void (*curl_easy_cleanup)(void *handle);
	void (*curl_easy_reset)(void *handle);
	int (*curl_easy_setopt)(void *handle, int option, ...);
	int (*curl_easy_perform)(void *handle);
	int (*curl_easy_getinfo)(void *handle, int info, ...);
	const char *(*curl_easy_strerror)(int code);
	struct curl_slist *(*curl_slist_append)(struct curl_slist *list, const char *text);
	void (*curl_slist_free_all)(struct curl_slist *list);
};

static const struct library_function functions[] = {
	LIBRARY_LOADED(struct curl_functions, curl_easy_init),
	LIBRARY_LOADED(struct curl_functions, curl_easy_cleanup),
	LIBRARY_LOADED(struct curl_functions, curl_easy_reset),
	LIBRARY_LOADED(struct curl_functions, curl_easy_setopt),
	LIBRARY_LOADED(struct curl_functions, curl_easy_perform),
	LIBRARY_LOADED(struct curl_functions, curl_easy_getinfo),
	LIBRARY_LOADED(struct curl_functions, curl_easy_strerror),
	LIBRARY_LOADED(struct curl_functions, curl_slist_append),
	LIBRARY_LOADED(struct curl_functions, curl_slist_free_all),
};

#define LIBRARY(file_)                                                     \
	{                                                                  \
		file_, functions, sizeof(functions) / sizeof(functions[0]) \
	}
static const struct library libraries[] = { LIBRARY("libcurl-gnutls.so.4"),
					    LIBRARY("libcurl.so.4") };

struct http_client {
	struct curl_functions curl;
	void *handle;
};

int http_client_new(struct http_client **ret, struct err *err)
{
	struct http_client *client = mem_zalloc(sizeof(*client));
	struct err first = { 0 };

	if (library_load(&libraries[0], &client->curl, &first) &&
	    library_load(&libraries[1], &client->curl, err)) {
		free(client);
		(void)err_wrap(err, "HTTP");
		return err_hint(err, "apt install libcurl3-gnutls");
	}
	client->handle = client->curl.curl_easy_init();
	if (!client->handle) {
		free(client);
		return err_set(err, -ENOMEM, "HTTP: libcurl does not start");
	}
	*ret = client;
	return 0;
}

void http_client_free(struct http_client *client)
{
	if (!client)
		return;
	client->curl.curl_easy_cleanup(client->handle);
	free(client);
}

/* Anything but the number of bytes ends the transfer. */
static size_t take_bytes(const char *data, size_t one, size_t len, void *context)
{
	(void)one;
	return buf_append(context, data, len) ? 0 : len;
}

static void set_up(const struct http_client *client, const struct http_request *request)
{
	const struct curl_functions *curl = &client->curl;
	void *handle = client->handle;
	unsigned timeout = request->timeout_s ? request->timeout_s : DEFAULT_TIMEOUT_S;
	const char *authorities = getenv("SSL_CERT_FILE"); /* as OpenSSL and curl itself */

	curl->curl_easy_reset(handle);
	(void)curl->curl_easy_setopt(handle, CURL_URL, request->url);
	(void)curl->curl_easy_setopt(handle, CURL_PROTOCOLS, PROTOCOL_HTTP | PROTOCOL_HTTPS);
	(void)curl->curl_easy_setopt(handle, CURL_NOSIGNAL, 1L);
	(void)curl->curl_easy_setopt(handle, CURL_CONNECT_TIMEOUT, (long)CONNECT_TIMEOUT_S);
	(void)curl->curl_easy_setopt(handle, CURL_TIMEOUT, (long)timeout);
	(void)curl->curl_easy_setopt(handle, CURL_USER_AGENT, "cupel");
	(void)curl->curl_easy_setopt(handle, CURL_POST, 1L);
	(void)curl->curl_easy_setopt(handle, CURL_POST_FIELDS, request->body ? request->body : "");
	(void)curl->curl_easy_setopt(handle, CURL_POST_FIELD_SIZE,
				     (long long)(request->body ? request->body_len : 0));
	(void)curl->curl_easy_setopt(handle, CURL_WRITE_FUNCTION, take_bytes);
	if (authorities && *authorities)
		(void)curl->curl_easy_setopt(handle, CURL_CA_FILE, authorities);
	if (!request->user)
		return;
	(void)curl->curl_easy_setopt(handle, CURL_HTTP_AUTH, AUTH_BASIC);
	(void)curl->curl_easy_setopt(handle, CURL_USERNAME, request->user);
	(void)curl->curl_easy_setopt(handle, CURL_PASSWORD,
				     request->password ? request->password : "");
}

static struct curl_slist *headers_of(const struct http_client *client,
				     const struct http_request *request)
{
	struct curl_slist *list = NULL;
	struct buf line = { 0 };

	(void)buf_printf(&line, "Content-Type: %s",
			 request->content_type ? request->content_type
					       : "application/octet-stream");
	list = client->curl.curl_slist_append(list, line.data);
	list = client->curl.curl_slist_append(list, "Expect:"); /* no round trip of its own */
	if (request->token) {
		buf_clear(&line);
		(void)buf_printf(&line, "Authorization: Bearer %s", request->token);
		list = client->curl.curl_slist_append(list, line.data);
	}
	if (request->key) {
		buf_clear(&line);
		(void)buf_printf(&line, "X-API-Key: %s", request->key);
		list = client->curl.curl_slist_append(list, line.data);
	}
	buf_done(&line);
	return list;
}

/* The URL may hold a password. */
static int fail(const struct http_client *client, int code, const char *detail, struct err *err)
{
	const char *reason = *detail ? detail : client->curl.curl_easy_strerror(code);

	switch (code) {
	case CURL_COULDNT_RESOLVE_PROXY:
	case CURL_COULDNT_RESOLVE_HOST:
	case CURL_COULDNT_CONNECT:
	case CURL_SSL_CONNECT_ERROR:
	case CURL_PEER_FAILED_VERIFICATION:
		return err_set(err, -EHOSTUNREACH, "%s", reason);
	case CURL_WRITE_ERROR:
		return err_set(err, -E2BIG, "the server's answer is too long");
	default:
		return err_set(err, -EIO, "%s", reason);
	}
}

int http_client_post(struct http_client *client, const struct http_request *request,
		     struct buf *ret, int *ret_status, struct err *err)
{
	struct curl_slist *headers = headers_of(client, request);
	char detail[ERROR_BYTES] = "";
	long status = 0;
	int code;

	set_up(client, request);
	(void)client->curl.curl_easy_setopt(client->handle, CURL_HTTP_HEADER, headers);
	(void)client->curl.curl_easy_setopt(client->handle, CURL_ERROR_BUFFER, detail);
	(void)client->curl.curl_easy_setopt(client->handle, CURL_WRITE_DATA, ret);
	code = client->curl.curl_easy_perform(client->handle);
	(void)client->curl.curl_easy_getinfo(client->handle, CURL_INFO_RESPONSE_CODE, &status);
	client->curl.curl_easy_reset(client->handle);
	client->curl.curl_slist_free_all(headers);
	if (code != CURL_OK)
		return fail(client, code, detail, err);
	*ret_status = (int)status;
	return 0;
}
