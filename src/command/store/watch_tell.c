/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings to files and servers (see watch_tell.h). */
#include "command/store/watch_tell.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/http_client.h"

#define MOST_ANSWER ((size_t)64 << 10)
#define TOKEN_NAME  "CUPEL_WATCH_TOKEN"

static int append(const char *path, const char *text, struct err *err)
{
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	int code = fd < 0 ? -errno : fd_write_all(fd, text, strlen(text));

	if (!code && fsync(fd) && errno != EINVAL) /* a pipe has no disk */
		code = -errno;
	return code ? err_set(err, code, "%s: %s", path, strerror(-code)) : 0;
}

/* {"cupel":1,"text":…,"findings":[…]}: chats take the text. */
static void make_body(const struct watch_round *round, struct buf *ret)
{
	const char *at = round->json;

	(void)buf_puts(ret, "{\"cupel\":1,\"text\":");
	(void)buf_put_json(ret, round->text);
	(void)buf_puts(ret, ",\"findings\":[");
	while (*at) {
		size_t len = strcspn(at, "\n");

		(void)buf_append(ret, at, len);
		at += len + (at[len] == '\n');
		(void)buf_puts(ret, *at ? "," : "");
	}
	(void)buf_puts(ret, "]}\n");
}

static int post(const char *url, const struct watch_round *round, struct err *err)
{
	struct buf body = { 0 }, answer = { .limit = MOST_ANSWER };
	struct http_request request = { .url = url,
					.token = getenv(TOKEN_NAME),
					.content_type = "application/json" };
	struct http_client *client;
	int status = 0, code = http_client_new(&client, err);

	if (code)
		return code;
	make_body(round, &body);
	request.body = body.data;
	request.body_len = body.len;
	code = http_client_post(client, &request, &answer, &status, err);
	if (code == -E2BIG) /* a long answer is one */
		code = 0;
	if (!code && (status < 200 || status > 299))
		code = err_set(err, -EPROTO, "%s: the server answered with status %d", url, status);
	buf_done(&body);
	buf_done(&answer);
	http_client_free(client);
	return code;
}

int watch_tell(const struct watch_tell *where, const struct watch_round *round, struct err *err)
{
	int code = 0;

	if (!*round->json)
		return 0;
	if (where->post)
		code = post(where->post, round, err);
	if (!code && where->append)
		code = append(where->append, round->json, err);
	if (!code && where->state)
		code = append(where->state, round->known, err);
	return code;
}
