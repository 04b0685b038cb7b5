/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Listening sockets (see listener.h). */
#include "server/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"

#define BACKLOG 128

static int parse_local(const char *text, struct listener *ret, struct err *err)
{
	if (strlen(text) >= sizeof(ret->address.local.sun_path))
		return err_usage(err, "%s: the path is too long for a socket", text);
	ret->kind = LISTENER_LOCAL;
	ret->address.local.sun_family = AF_UNIX;
	memcpy(ret->address.local.sun_path, text, strlen(text) + 1);
	ret->address_len = sizeof(ret->address.local);
	return 0;
}

static bool parse_host(const char *host, uint16_t port, struct listener *ret)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	bool loopback;

	if (inet_pton(AF_INET, strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, &v4.sin_addr) ==
	    1) {
		ret->address.v4 = v4;
		ret->address_len = sizeof(v4);
		loopback = ntohl(v4.sin_addr.s_addr) >> 24 == 127;
	} else if (inet_pton(AF_INET6, host, &v6.sin6_addr) == 1) {
		ret->address.v6 = v6;
		ret->address_len = sizeof(v6);
		loopback = IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
	} else {
		return false;
	}
	ret->kind = loopback ? LISTENER_LOOPBACK : LISTENER_REMOTE;
	return true;
}

int listener_parse(const char *text, struct listener *ret, struct err *err)
{
	bool url = strncmp(text, "http://", 7) == 0; /* as the page's address is shown */
	const char *colon = strrchr(text, ':'), *begin = url ? text + 7 : text, *end;
	struct listener listener = { .fd = -1 };
	unsigned long port;
	char host[64];
	char *rest;

	if (*text == '/') {
		if (parse_local(text, &listener, err))
			return err->code;
		*ret = listener;
		return 0;
	}
	end = colon;
	if (colon && *begin == '[' && colon > begin + 1 && colon[-1] == ']') {
		begin++;
		end--;
	}
	port = colon && colon[1] >= '0' && colon[1] <= '9' ? strtoul(colon + 1, &rest, 10)
							   : UINT32_MAX;
	if (port > UINT16_MAX || (*rest && (!url || strcmp(rest, "/") != 0)) ||
	    (size_t)(end - begin) >= sizeof(host))
		return err_usage(err, "%s: expected /PATH, ADDRESS:PORT or [ADDRESS]:PORT", text);
	(void)snprintf(host, sizeof(host), "%.*s", (int)(end - begin), begin);
	if (!parse_host(host, (uint16_t)port, &listener))
		return err_usage(err, "%s: '%s' is no address of a network interface", text, host);
	*ret = listener;
	return 0;
}

/* A socket of a server that ended without removing it. */
static int make_way(const struct listener *listener, struct err *err)
{
	const char *path = listener->address.local.sun_path;
	AUTO_CLOSE int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct stat st;

	if (lstat(path, &st))
		return 0;
	if (!S_ISSOCK(st.st_mode))
		return err_set(err, -EEXIST, "%s: is a file, not a socket", path);
	if (probe < 0 || !connect(probe, &listener->address.any, listener->address_len))
		return err_set(err, -EADDRINUSE, "%s: another program listens there", path);
	(void)unlink(path);
	return 0;
}

static int set_up(struct listener *listener, int fd)
{
	bool local = listener->kind == LISTENER_LOCAL;
	socklen_t len = sizeof(listener->address);
	const int one = 1;

	if (!local && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)))
		return -errno;
	if (listener->address.any.sa_family == AF_INET6 &&
	    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one)))
		return -errno;
	if (bind(fd, &listener->address.any, listener->address_len) ||
	    (local && chmod(listener->address.local.sun_path, 0666)) || listen(fd, BACKLOG) ||
	    (!local && getsockname(fd, &listener->address.any, &len)))
		return -errno;
	return 0;
}

int listener_open(struct listener *listener, struct err *err)
{
	AUTO_CLOSE int fd = -1;
	char text[160];
	int code;

	listener_text(listener, text, sizeof(text));
	if (listener->kind == LISTENER_LOCAL && make_way(listener, err))
		return err->code;
	fd = socket(listener->address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_errno(err, "%s", text);
	code = set_up(listener, fd);
	if (code)
		return err_set(err, code, "%s: %s", text, strerror(-code));
	listener->fd = take_fd(&fd);
	return 0;
}

void listener_close(struct listener *listener)
{
	if (listener->fd < 0)
		return;
	if (listener->kind == LISTENER_LOCAL)
		(void)unlink(listener->address.local.sun_path);
	(void)close(take_fd(&listener->fd));
}

void listener_text(const struct listener *listener, char *ret, size_t size)
{
	char host[INET6_ADDRSTRLEN] = "";
	const char *scheme = listener->kind == LISTENER_REMOTE ? "https" : "http";

	if (listener->kind == LISTENER_LOCAL) {
		(void)snprintf(ret, size, "%s", listener->address.local.sun_path);
	} else if (listener->address.any.sa_family == AF_INET6) {
		(void)inet_ntop(AF_INET6, &listener->address.v6.sin6_addr, host, sizeof(host));
		(void)snprintf(ret, size, "%s://[%s]:%u/", scheme, host,
			       ntohs(listener->address.v6.sin6_port));
	} else {
		(void)inet_ntop(AF_INET, &listener->address.v4.sin_addr, host, sizeof(host));
		(void)snprintf(ret, size, "%s://%s:%u/", scheme, host,
			       ntohs(listener->address.v4.sin_port));
	}
}
