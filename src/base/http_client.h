/* SPDX-License-Identifier: GPL-2.0-or-later */
/* HTTP requests to servers that the user named, by libcurl, which is loaded at the first request.
 * Redirections are not followed, proxies are those of the environment, certificates of https are
 * checked, against the authorities in SSL_CERT_FILE if the environment has it. A client keeps its
 * connection; one thread at a time. */
#ifndef BASE_HTTP_CLIENT_H
#define BASE_HTTP_CLIENT_H

#include <stddef.h>

struct buf;
struct err;
struct http_client;

struct http_request {
	const char *url;
	const char *user, *password; /* NULL = none */
	const char *token;	     /* for Authorization: Bearer; NULL = none */
	const char *key;	     /* for X-API-Key; NULL = none */
	const char *content_type;    /* NULL = application/octet-stream */
	const void *body;	     /* of a POST; NULL = it is empty */
	size_t body_len;
	unsigned timeout_s; /* over all; 0 = 30 */
};

/* -ENOSYS: the library is not installed. */
int http_client_new(struct http_client **ret, struct err *err);
void http_client_free(struct http_client *client); /* NULL is fine */
/* Posts and appends the answer to *ret, of which the limit counts (-E2BIG). 0: the server answered,
 * with *ret_status, whatever it is. -EHOSTUNREACH: nothing was sent. -EIO: an answer is missing,
 * the request may have been done. */
int http_client_post(struct http_client *client, const struct http_request *request,
		     struct buf *ret, int *ret_status, struct err *err);

#endif
