/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which user of this machine is at the other end of a connection: of a unix socket, or of a TCP
 * connection over the loopback interface, which the kernel's table of sockets has (sock_diag(7)).
 */
#ifndef SERVER_PEER_H
#define SERVER_PEER_H

#include <stdbool.h>
#include <stdint.h>

/* False: it is not known. */
bool peer_uid(int socket, uint32_t *ret);

#endif
