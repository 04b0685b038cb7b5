/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the server listens: /PATH (a unix socket), ADDRESS:PORT or [ADDRESS]:PORT. */
#ifndef SERVER_LISTENER_H
#define SERVER_LISTENER_H

#include <netinet/in.h>
#include <sys/un.h>

struct err;

enum listener_kind {
	LISTENER_LOCAL,	   /* a unix socket */
	LISTENER_LOOPBACK, /* only this machine */
	LISTENER_REMOTE,   /* others as well */
};

struct listener {
	int fd; /* listens */
	enum listener_kind kind;
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
		struct sockaddr_un local;
	} address;
	socklen_t address_len;
};

/* Understands the text; does not open anything. Errors are the user's. */
int listener_parse(const char *text, struct listener *ret, struct err *err);
/* Port 0 becomes one that is free. A unix socket that nobody listens on any more is replaced. */
int listener_open(struct listener *listener, struct err *err);
void listener_close(struct listener *listener);
/* "http://127.0.0.1:4170/" for people to open, or the path. */
void listener_text(const struct listener *listener, char *ret, size_t size);

#endif
