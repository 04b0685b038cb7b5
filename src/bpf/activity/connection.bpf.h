/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TCP connections: sockets, and which thread they belong to. States also change in interrupts,
 * where the running thread is an unrelated one. So a map remembers, by socket, the thread that
 * connects, accepts or closes. */
#ifndef BPF_ACTIVITY_CONNECTION_BPF_H
#define BPF_ACTIVITY_CONNECTION_BPF_H

#include "bpf/activity/deliver.bpf.h"
#include "bpf/activity/socket.bpf.h"

/* include/net/tcp_states.h */
#define STATE_ESTABLISHED 1
#define STATE_SYN_SENT	  2
#define STATE_FIN_WAIT1	  4
#define STATE_CLOSE	  7
#define STATE_LAST_ACK	  9

struct connection {
	__u64 since_ns; /* 0 = it was there before */
	__u32 pid, tid, uid, known;
	char comm[16];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64); /* the address of the socket */
	__type(value, struct connection);
} connections SEC(".maps");

static __always_inline void put_socket(struct activity *to, const struct sock *sock)
{
	to->number[TCP_FAMILY] = BPF_CORE_READ(sock, __sk_common.skc_family);
	to->number[TCP_PORTS] = socket_ports(sock);
	to->number[TCP_STATE_OF] = BPF_CORE_READ(sock, __sk_common.skc_state);
	to->text_len = TCP_ADDRESSES;
	put_addresses(to->text, sock);
}

static __always_inline void put_owner(struct activity *to, const struct connection *from)
{
	to->pid = from->pid;
	to->tid = from->tid;
	to->uid = from->uid;
	__builtin_memcpy(to->comm, from->comm, sizeof(to->comm));
}

/* The running thread is the one that a connection belongs to. */
static __always_inline void own_connection(struct sock *sock)
{
	__u64 key = (__u64)sock, pid_tgid = bpf_get_current_pid_tgid();
	struct connection *known = bpf_map_lookup_elem(&connections, &key);

	if (!known || known->known || !is_of_interest())
		return;
	known->pid = pid_tgid >> 32;
	known->tid = (__u32)pid_tgid;
	known->uid = (__u32)bpf_get_current_uid_gid();
	bpf_get_current_comm(known->comm, sizeof(known->comm));
	known->known = true;
}

static __always_inline void begin_connection(struct sock *sock)
{
	struct connection connection = { .since_ns = bpf_ktime_get_ns() };
	__u64 key = (__u64)sock;

	if (bpf_map_lookup_elem(&connections, &key))
		return;
	(void)bpf_map_update_elem(&connections, &key, &connection, BPF_ANY);
}

static __always_inline void report(struct sock *sock, __u32 kind)
{
	__u64 key = (__u64)sock;
	struct connection *known = bpf_map_lookup_elem(&connections, &key);
	struct activity *activity;

	if (!known || (!known->known && (by_pid || by_tid || comm_wanted[0] || uid_plus_one)))
		return;
	activity = begin_activity(kind);
	if (!activity)
		return;
	put_socket(activity, sock);
	put_owner(activity, known);
	activity->ns = activity->time_ns - known->since_ns;
	activity->number[TCP_RECEIVED] = BPF_CORE_READ((struct tcp_sock *)sock, bytes_received);
	activity->number[TCP_SENT] = BPF_CORE_READ((struct tcp_sock *)sock, bytes_acked);
	(void)deliver(activity);
}

#endif
