/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Headers of TCP packets. */
#ifndef BPF_ACTIVITY_PACKET_BPF_H
#define BPF_ACTIVITY_PACKET_BPF_H

#include "bpf/activity/connection.bpf.h"

#define ETHERTYPE_IP   0x0008 /* as in the packet */
#define ETHERTYPE_IPV6 0xdd86

/* Headers of a packet: the network's and TCP's. */
struct packet {
	__u8 network[40];
	__u8 tcp[20];
};

/* False: it is not TCP's. */
static __always_inline bool read_packet(const struct sk_buff *skb, struct packet *ret)
{
	unsigned char *head = BPF_CORE_READ(skb, head);
	__u16 network = BPF_CORE_READ(skb, network_header);
	__u16 transport = BPF_CORE_READ(skb, transport_header);
	__u16 protocol = BPF_CORE_READ(skb, protocol);
	bool ip = protocol == ETHERTYPE_IP;

	if ((!ip && protocol != ETHERTYPE_IPV6) ||
	    bpf_probe_read_kernel(ret->network, sizeof(ret->network), head + network))
		return false;
	if (ret->network[ip ? 9 : 6] != PROTOCOL_TCP)
		return false;
	if (transport == 0xffff || transport <= network)
		transport = network + (ip ? (ret->network[0] & 15) * 4 : 40);
	return !bpf_probe_read_kernel(ret->tcp, sizeof(ret->tcp), head + transport);
}

/* The packet's source is shown as the local side. */
static __always_inline void put_packet(struct activity *to, const struct packet *packet)
{
	bool ip = packet->network[0] >> 4 == 4;

	to->number[TCP_FAMILY] = ip ? FAMILY_INET : FAMILY_INET6;
	to->number[TCP_PORTS] = (__u64)packet->tcp[0] << 24 | (__u64)packet->tcp[1] << 16 |
				(__u64)packet->tcp[2] << 8 | packet->tcp[3];
	to->number[TCP_FLAGS] = packet->tcp[13];
	__builtin_memset(to->text, 0, TCP_ADDRESSES);
	if (ip) {
		__builtin_memcpy(to->text, packet->network + 12, 4);
		__builtin_memcpy(to->text + 16, packet->network + 16, 4);
	} else {
		__builtin_memcpy(to->text, packet->network + 8, 32);
	}
	to->text_len = TCP_ADDRESSES;
}

#endif
