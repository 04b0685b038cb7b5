/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages between processes of the server (see message.h). */
#include "server/message.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/fd.h"
#include "server/reply.h"

#define REPLY_MAX ((uint64_t)1 << 30)

struct told {
	uint32_t status, type; /* the type's length */
	char download[64];
	uint64_t body;
};

bool message_take_text(int socket, size_t len, size_t max, char **ret)
{
	if (len > max)
		return false;
	*ret = mem_zalloc(len + 1);
	return fd_read_full(socket, *ret, len) == (ssize_t)len;
}

bool message_tell(int socket, const struct reply *reply)
{
	struct told told = { .status = reply->status,
			     .type = (uint32_t)strlen(reply->type),
			     .body = reply->body.len };

	memcpy(told.download, reply->download, sizeof(told.download));
	return !fd_write_all(socket, &told, sizeof(told)) &&
	       !fd_write_all(socket, reply->type, told.type) &&
	       (!reply->body.len || !fd_write_all(socket, reply->body.data, reply->body.len));
}

static int receive(int socket, void *data, size_t len, uint64_t until_ns)
{
	for (size_t at = 0; at < len;) {
		struct pollfd fd = { .fd = socket, .events = POLLIN };
		uint64_t now = clock_ns(CLOCK_MONOTONIC);
		ssize_t got;

		if (now >= until_ns)
			return -ETIMEDOUT;
		if (poll(&fd, 1, (int)((until_ns - now) / 1000000) + 1) <= 0)
			continue;
		got = recv(socket, (char *)data + at, len - at, MSG_DONTWAIT);
		if (!got || (got < 0 && errno != EAGAIN && errno != EINTR))
			return -EPIPE;
		at += got > 0 ? (size_t)got : 0;
	}
	return 0;
}

/* Types are constants here as well. */
static const char *type_of(const char *text)
{
	static const char *const types[] = { REPLY_HTML, REPLY_JSON, REPLY_BYTES, REPLY_CONNECT,
					     REPLY_PROTOBUF };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(types[i], text) == 0)
			return types[i];
	return REPLY_TEXT;
}

int message_hear(int socket, uint64_t until_ns, struct reply *reply)
{
	struct told told;
	char type[64] = "";
	int code = receive(socket, &told, sizeof(told), until_ns);

	if (code)
		return code;
	if (told.type >= sizeof(type) || told.body > REPLY_MAX || told.status < 200 ||
	    told.status > 599)
		return -EPIPE;
	code = receive(socket, type, told.type, until_ns);
	if (code || buf_extend(&reply->body, told.body))
		return code ? code : -EPIPE;
	reply->status = told.status;
	reply->type = type_of(type);
	told.download[sizeof(told.download) - 1] = '\0';
	memcpy(reply->download, told.download, sizeof(reply->download));
	return receive(socket, reply->body.data, told.body, until_ns);
}

int message_send(int socket, const void *data, size_t len)
{
	for (size_t at = 0; at < len;) {
		ssize_t sent = send(socket, (const char *)data + at, len - at, MSG_NOSIGNAL);

		if (sent < 0 && errno != EINTR)
			return -EPIPE;
		at += sent > 0 ? (size_t)sent : 0;
	}
	return 0;
}
