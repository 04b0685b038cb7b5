/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests to block devices, from their first sight to their end. Since Linux 6.5 the kernel
 * reports each when it is made, in the thread that wants it, and when it is over (block_io_start
 * and _done); before, it is first seen when a scheduler gets it or the device. */
#ifndef BPF_ACTIVITY_BLOCK_BPF_H
#define BPF_ACTIVITY_BLOCK_BPF_H

#include "bpf/activity/request.bpf.h"

SEC("raw_tp/block_io_start")
int on_io_start(struct bpf_raw_tracepoint_args *ctx)
{
	(void)meet_request(ctx, (struct request *)ctx->args[0]);
	return 0;
}

SEC("raw_tp/block_rq_insert")
int on_request_insert(struct bpf_raw_tracepoint_args *ctx)
{
	struct request *request = (struct request *)ctx->args[0];
	__u64 key = ctx->args[0];

	if (!has_io_done && !is_drivers_own(request) && !bpf_map_lookup_elem(&requests, &key))
		(void)meet_request(ctx, request);
	return 0;
}

SEC("raw_tp/block_rq_issue")
int on_request_issue(struct bpf_raw_tracepoint_args *ctx)
{
	struct request *request = (struct request *)ctx->args[0];
	__u64 key = ctx->args[0];
	struct request_state *state = bpf_map_lookup_elem(&requests, &key);

	if (!state && !is_drivers_own(request) && (!has_io_done || is_flush(request)))
		state = meet_request(ctx, request);
	if (!state || state->issue_ns)
		return 0;
	state->issue_ns = bpf_ktime_get_ns();
	state->bytes = BPF_CORE_READ(request, __data_len); /* others may have been merged into it */
	state->sector = BPF_CORE_READ(request, __sector);
	return 0;
}

SEC("raw_tp/block_io_done")
int on_io_done(struct bpf_raw_tracepoint_args *ctx)
{
	return end_request(ctx->args[0]);
}

/* Of parts, too: it is over when nothing is left. */
SEC("raw_tp/block_rq_complete")
int on_request_complete(struct bpf_raw_tracepoint_args *ctx)
{
	struct request *request = (struct request *)ctx->args[0];

	if (has_io_done && !is_flush(request))
		return 0;
	if ((__u32)ctx->args[2] < BPF_CORE_READ(request, __data_len))
		return 0;
	return end_request(ctx->args[0]);
}

#endif
