/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets of DNS (see dns_tap.h): a packet socket, which the kernel wakes for them alone. */
#include "source/dns_tap.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"

#define ROOM   (4 << 20) /* of the socket, in bytes */
#define SECOND 1000000000u

/* UDP from port 53, but for packets that leave: those to this machine come again. Offsets are those
 * of IPv4's and IPv6's headers. */
static const struct sock_filter program[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_PKTTYPE)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PACKET_OUTGOING, 16, 0),
	BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0),
	BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x40, 0, 7),
	BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 9), /* IPv4: protocol, */
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 0, 11),
	BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 6), /* not a later fragment, */
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x1fff, 9, 0),
	BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0), /* port after a header of some length */
	BPF_STMT(BPF_LD | BPF_H | BPF_IND, 0),
	BPF_JUMP(BPF_JMP | BPF_JA, 4, 0, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x60, 0, 5),
	BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 6), /* IPv6: next header, port */
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 0, 3),
	BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 40),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 53, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, 0xffff),
	BPF_STMT(BPF_RET | BPF_K, 0),
};

int dns_tap_open(int *ret, struct err *err)
{
	const struct sock_fprog filter = { sizeof(program) / sizeof(*program),
					   (struct sock_filter *)(uintptr_t)program };
	const int room = ROOM, on = 1;
	struct sockaddr_ll all = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	/* protocol 0: nothing comes before the filter is there */
	AUTO_CLOSE int tap = socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (tap < 0)
		return err_errno(err, "packets of DNS");
	if (setsockopt(tap, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		(void)setsockopt(tap, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)); /* less then */
	if (setsockopt(tap, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) ||
	    setsockopt(tap, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) ||
	    bind(tap, (const struct sockaddr *)&all, sizeof(all)))
		return err_errno(err, "packets of DNS");
	*ret = take_fd(&tap);
	return 0;
}

static uint64_t now_of(clockid_t clock)
{
	struct timespec now = { 0 };

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* The kernel stamps packets by the time of day. */
static uint64_t time_of(struct msghdr *message)
{
	uint64_t monotonic_ns = now_of(CLOCK_MONOTONIC), ago_ns;
	struct timespec stamp;

	for (struct cmsghdr *at = CMSG_FIRSTHDR(message); at; at = CMSG_NXTHDR(message, at)) {
		if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SO_TIMESTAMPNS ||
		    at->cmsg_len < CMSG_LEN(sizeof(stamp)))
			continue;
		memcpy(&stamp, CMSG_DATA(at), sizeof(stamp));
		ago_ns = now_of(CLOCK_REALTIME) -
			 ((uint64_t)stamp.tv_sec * SECOND + (uint64_t)stamp.tv_nsec);
		return ago_ns < monotonic_ns ? monotonic_ns - ago_ns : monotonic_ns;
	}
	return monotonic_ns;
}

size_t dns_tap_read(int tap, void *ret, size_t size, uint64_t *ret_ns)
{
	char control[128];
	struct iovec part = { ret, size };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	ssize_t len;

	do
		len = recvmsg(tap, &message, 0);
	while (len < 0 && errno == EINTR);
	if (len <= 0)
		return 0;
	*ret_ns = time_of(&message);
	return (size_t)len;
}

uint32_t dns_tap_dropped(int tap)
{
	struct tpacket_stats stats = { 0 };
	socklen_t len = sizeof(stats);

	(void)getsockopt(tap, SOL_PACKET, PACKET_STATISTICS, &stats, &len);
	return stats.tp_drops;
}
