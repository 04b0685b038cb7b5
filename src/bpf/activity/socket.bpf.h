/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sockets of TCP: addresses and ports. */
#ifndef BPF_ACTIVITY_SOCKET_BPF_H
#define BPF_ACTIVITY_SOCKET_BPF_H

#include <stdbool.h>

#include "bpf/kernel.h"

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>

#define SOCKET_ADDRESSES 32 /* bytes of both */
#define PROTOCOL_TCP	 6
#define FAMILY_INET	 2
#define FAMILY_INET6	 10

static __always_inline bool is_tcp(const struct sock *sock)
{
	__u16 family = BPF_CORE_READ(sock, __sk_common.skc_family);

	return (family == FAMILY_INET || family == FAMILY_INET6) &&
	       BPF_CORE_READ(sock, sk_protocol) == PROTOCOL_TCP;
}

/* local << 16 | remote */
static __always_inline __u32 socket_ports(const struct sock *sock)
{
	__u16 remote = BPF_CORE_READ(sock, __sk_common.skc_dport);
	__u16 local = BPF_CORE_READ((struct inet_sock *)sock, inet_sport);

	return (__u32)__builtin_bswap16(local) << 16 | __builtin_bswap16(remote);
}

/* Local and remote, 16 bytes each. */
static __always_inline void put_addresses(char *to, const struct sock *sock)
{
	__builtin_memset(to, 0, SOCKET_ADDRESSES);
	if (BPF_CORE_READ(sock, __sk_common.skc_family) == FAMILY_INET) {
		*(__u32 *)to = BPF_CORE_READ(sock, __sk_common.skc_rcv_saddr);
		*(__u32 *)(to + 16) = BPF_CORE_READ(sock, __sk_common.skc_daddr);
		return;
	}
	BPF_CORE_READ_INTO((struct in6_address *)to, sock, __sk_common.skc_v6_rcv_saddr);
	BPF_CORE_READ_INTO((struct in6_address *)(to + 16), sock, __sk_common.skc_v6_daddr);
}

#endif
