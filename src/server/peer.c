/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Users of connections (see peer.h). */
#include "server/peer.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"

/* A socket's end as the kernel's table has it: port and address, both in network order. */
static bool put_end(const struct sockaddr_storage *from, __be16 *port, __be32 address[4])
{
	const struct sockaddr_in *v4 = (const void *)from;
	const struct sockaddr_in6 *v6 = (const void *)from;

	if (from->ss_family == AF_INET) {
		*port = v4->sin_port;
		address[0] = v4->sin_addr.s_addr;
		return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
	}
	*port = v6->sin6_port;
	memcpy(address, &v6->sin6_addr, sizeof(v6->sin6_addr));
	return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

struct question {
	struct nlmsghdr header;
	struct inet_diag_req_v2 request;
};

/* The socket of the other end is looked for from its own side. */
static bool make_question(int socket, struct question *ret)
{
	struct sockaddr_storage here, there;
	socklen_t here_len = sizeof(here), there_len = sizeof(there);
	struct inet_diag_sockid *id = &ret->request.id;

	if (getsockname(socket, (struct sockaddr *)&here, &here_len) ||
	    getpeername(socket, (struct sockaddr *)&there, &there_len) ||
	    here.ss_family != there.ss_family ||
	    (here.ss_family != AF_INET && here.ss_family != AF_INET6))
		return false;
	*ret = (struct question){
		.header = { .nlmsg_len = sizeof(*ret),
			    .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			    .nlmsg_flags = NLM_F_REQUEST },
		.request = { .sdiag_family = (uint8_t)here.ss_family,
			     .sdiag_protocol = IPPROTO_TCP,
			     .idiag_states = UINT32_MAX },
	};
	id->idiag_cookie[0] = id->idiag_cookie[1] = INET_DIAG_NOCOOKIE;
	return put_end(&there, &id->idiag_sport, id->idiag_src) &&
	       put_end(&here, &id->idiag_dport, id->idiag_dst);
}

static bool ask(const struct question *question, uint32_t *ret)
{
	const struct timeval second = { .tv_sec = 1 };
	AUTO_CLOSE int netlink = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	struct {
		struct nlmsghdr header;
		struct inet_diag_msg message;
		char more[1024];
	} told;
	ssize_t len;

	if (netlink < 0 || setsockopt(netlink, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second)) ||
	    send(netlink, question, sizeof(*question), 0) != (ssize_t)sizeof(*question))
		return false;
	len = recv(netlink, &told, sizeof(told), 0);
	if (len < (ssize_t)(sizeof(told.header) + sizeof(told.message)) ||
	    told.header.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
	    told.message.id.idiag_sport != question->request.id.idiag_sport ||
	    told.message.id.idiag_dport != question->request.id.idiag_dport)
		return false;
	*ret = told.message.idiag_uid;
	return true;
}

bool peer_uid(int socket, uint32_t *ret)
{
	struct question question;
	struct ucred user;
	socklen_t len = sizeof(int);
	int family = AF_UNSPEC;

	if (getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &family, &len))
		return false;
	if (family != AF_UNIX)
		return make_question(socket, &question) && ask(&question, ret);
	len = sizeof(user);
	if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &user, &len))
		return false;
	*ret = user.uid;
	return true;
}
