/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TCP connections by their changes of state, retransmits, drops and bytes. */
#ifndef BPF_ACTIVITY_TCP_BPF_H
#define BPF_ACTIVITY_TCP_BPF_H

#include "bpf/activity/connection.bpf.h"
#include "bpf/activity/packet.bpf.h"

SEC("raw_tp/inet_sock_set_state")
int on_tcp_state(struct bpf_raw_tracepoint_args *ctx)
{
	struct sock *sock = (struct sock *)ctx->args[0];
	int before = (int)ctx->args[1], state = (int)ctx->args[2];
	__u64 key = ctx->args[0];
	bool connects = rules.kinds >> ACTIVITY_CONNECT & 1;

	if (!is_tcp(sock))
		return 0;
	if (state == STATE_SYN_SENT || state == STATE_ESTABLISHED)
		begin_connection(sock);
	if (state == STATE_SYN_SENT || state == STATE_LAST_ACK || state == STATE_FIN_WAIT1)
		own_connection(sock);
	if (connects && state == STATE_SYN_SENT && !rules.answered)
		report(sock, ACTIVITY_CONNECT);
	if (connects && before == STATE_SYN_SENT && rules.answered)
		report(sock, ACTIVITY_CONNECT);
	if (state != STATE_CLOSE)
		return 0;
	if (rules.kinds >> ACTIVITY_LIFE & 1)
		report(sock, ACTIVITY_LIFE);
	(void)bpf_map_delete_elem(&connections, &key);
	return 0;
}

SEC("raw_tp/tcp_retransmit_skb")
int on_retransmit(struct bpf_raw_tracepoint_args *ctx)
{
	struct sock *sock = (struct sock *)ctx->args[0];
	struct activity *activity = begin_activity(ACTIVITY_RETRANSMIT);

	if (!activity)
		return 0;
	put_thread(activity);
	put_socket(activity, sock);
	activity->operation = 'R';
	activity->number[TCP_SEQUENCE] = BPF_CORE_READ((struct tcp_sock *)sock, snd_nxt);
	return deliver(activity);
}

static __always_inline int count_bytes(struct sock *sock, int bytes, enum activity_tcp which)
{
	struct activity *activity;

	if (bytes <= 0 || !is_tcp(sock) || !is_of_interest())
		return 0;
	activity = begin_activity(ACTIVITY_TCP_BYTES);
	if (!activity)
		return 0;
	put_thread(activity);
	put_socket(activity, sock);
	activity->number[which] = (__u32)bytes;
	return deliver(activity);
}

SEC("raw_tp/sock_send_length")
int on_send(struct bpf_raw_tracepoint_args *ctx)
{
	return count_bytes((struct sock *)ctx->args[0], (int)ctx->args[1], TCP_SENT);
}

SEC("raw_tp/sock_recv_length")
int on_receive(struct bpf_raw_tracepoint_args *ctx)
{
#define MSG_PEEK 2
	return ctx->args[2] & MSG_PEEK
		       ? 0
		       : count_bytes((struct sock *)ctx->args[0], (int)ctx->args[1], TCP_RECEIVED);
}

SEC("raw_tp/kfree_skb")
int on_drop(struct bpf_raw_tracepoint_args *ctx)
{
	const struct sk_buff *skb = (const struct sk_buff *)ctx->args[0];
	struct activity *activity;
	struct packet packet;
	long bytes;

	if (!read_packet(skb, &packet))
		return 0;
	activity = begin_activity(ACTIVITY_DROP);
	if (!activity)
		return 0;
	put_thread(activity);
	put_packet(activity, &packet);
	activity->number[TCP_SEQUENCE] = ctx->args[1];
	activity->number[TCP_REASON] = (__u32)ctx->args[2];
	bytes = bpf_get_stack(ctx, activity->text + TCP_ADDRESSES, ACTIVITY_FRAMES * 8, 0);
	if (bytes > 0)
		activity->text_len += (__u32)bytes;
	return deliver(activity);
}

#endif
