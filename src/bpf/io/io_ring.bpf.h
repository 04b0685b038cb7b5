/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests of io_uring, from their submission to their completion, also those of worker threads.
 * Before including this, define `enabled`. */
#ifndef BPF_IO_RING_BPF_H
#define BPF_IO_RING_BPF_H

#include "bpf/io/io_file.bpf.h"
#include "bpf/io/io_sums.bpf.h"
#include "bpf/lock/lock_stack.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct io_cqe {
	int res;
};

struct io_kiocb {
	struct file *file;
	unsigned char opcode;
	struct io_cqe cqe; /* since Linux 5.19 */
};

#pragma clang attribute pop

/* Operations that read, write, sync, open or connect, by bits: others wait for events, or are about
 * other requests (linux/io_uring.h). */
#define RING_BYTES_MOVED                                                                       \
	(1ull << 1 | 1ull << 2 | 1ull << 4 | 1ull << 5 | 1ull << 9 | 1ull << 10 | 1ull << 22 | \
	 1ull << 23 | 1ull << 26 | 1ull << 27 | 1ull << 30 | 1ull << 33 | 1ull << 47 | 1ull << 48)
#define RING_OTHERS \
	(1ull << 3 | 1ull << 8 | 1ull << 13 | 1ull << 16 | 1ull << 17 | 1ull << 18 | 1ull << 28)

struct ring_request {
	__u64 since_ns;
	struct io_key key; /* without the file, which is found on the way */
	__u64 punted;
};

/* By the address of the kernel's request. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64);
	__type(value, struct ring_request);
} ring_requests SEC(".maps");

/* Since Linux 5.19, where io_uring is configured. */
static __always_inline bool has_rings(void)
{
	return bpf_core_field_exists(((struct io_kiocb *)0)->cqe);
}

static __always_inline bool has_ring_bit(__u64 bits, __u64 opcode)
{
	return opcode < 64 && bits >> opcode & 1;
}

/* args: the request. */
SEC("raw_tp/io_uring_submit_req")
int on_ring_submit(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *thread = thread_of(task);
	struct ring_request request = { 0 };
	__u64 at = ctx->args[0];
	struct lock_stand *stand;

	if (!has_rings() || !thread || !enabled ||
	    !has_ring_bit(RING_BYTES_MOVED | RING_OTHERS,
			  BPF_CORE_READ((struct io_kiocb *)at, opcode)))
		return 0;
	request.since_ns = lock_now();
	request.key.pid = (__u32)task->tgid;
	request.key.tid = (__u32)task->pid;
	request.key.operation = IO_RING;
	stand = stand_here(thread);
	(void)take_place(ctx, stand, LOCK_STACK_USER, request.since_ns);
	request.key.stack = stand->stack.name;
	request.key.flags = stand->stack.raw ? IO_RAW_STACK : 0;
	if (bpf_map_update_elem(&ring_requests, &at, &request, BPF_ANY))
		__sync_fetch_and_add(&lost_requests, 1);
	return 0;
}

/* args: the request, and more. A worker thread takes it over, because it may sleep. */
SEC("raw_tp/io_uring_queue_async_work")
int on_ring_punt(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 at = ctx->args[0];
	struct ring_request *request = bpf_map_lookup_elem(&ring_requests, &at);

	if (request)
		request->punted = 1;
	return 0;
}

/* args: the ring, the request, and more, which changes. One that completes often, as one that
 * accepts connections may, ends the first time. */
SEC("raw_tp/io_uring_complete")
int on_ring_complete(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 at = ctx->args[1], now_ns = lock_now();
	struct ring_request *request = bpf_map_lookup_elem(&ring_requests, &at);
	struct io_kiocb *kernel = (struct io_kiocb *)at;
	struct io_making *making = making_here(0);
	struct file *file;
	int result;

	if (!has_rings() || !request || !making)
		return 0;
	making->key = request->key;
	making->sum.count = 1;
	making->sum.ns = now_ns > request->since_ns ? now_ns - request->since_ns : 0;
	making->sum.layer_ns[IO_LAYER_FLIGHT] = making->sum.ns;
	making->sum.punted = request->punted;
	(void)bpf_map_delete_elem(&ring_requests, &at);
	result = BPF_CORE_READ(kernel, cqe.res);
	making->sum.errors = result < 0;
	if (result > 0 && has_ring_bit(RING_BYTES_MOVED, BPF_CORE_READ(kernel, opcode)))
		making->sum.bytes = (__u64)result;
	file = BPF_CORE_READ(kernel, file);
	if (file)
		(void)set_file(making, file);
	if (enabled)
		(void)add_request(0, now_ns);
	return 0;
}

#endif
