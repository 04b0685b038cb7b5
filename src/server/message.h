/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the server and its processes write to each other: a request is a header of the caller's and
 * texts, a reply is always the same. The server does not trust what it reads. */
#ifndef SERVER_MESSAGE_H
#define SERVER_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reply;

/* The server's side; 0, -EPIPE, or -ETIMEDOUT at a moment of CLOCK_MONOTONIC. */
int message_send(int socket, const void *data, size_t len);
int message_hear(int socket, uint64_t until_ns, struct reply *reply);

/* The process's side. False: the server is gone, or wants more than the limit. */
bool message_take_text(int socket, size_t len, size_t max, char **ret); /* with a NUL behind it */
bool message_tell(int socket, const struct reply *reply);

#endif
