/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests to disks, and the calls that wait for them. */
#ifndef BPF_IO_DISK_BPF_H
#define BPF_IO_DISK_BPF_H

#include "bpf/io/io_writers.bpf.h"

volatile bool has_io_done; /* by user space, when it is attached */

static __always_inline void begin_disk_wait(struct io_call *call, __u32 tid)
{
	struct disk_wait none = {};

	if (call->of_disk)
		return;
	call->of_disk = true;
	(void)bpf_map_update_elem(&disk_waits, &tid, &none, BPF_ANY);
}

static __noinline int meet_request(struct request *request)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct io_call *call = call_of_task(task);
	struct disk_request new = { .start_ns = lock_now() };
	__u64 key = (__u64)request;

	new.flags = BPF_CORE_READ(request, cmd_flags);
	if ((new.flags &DISK_OPERATION) >= DISK_OWN)
		return 0;
	new.bytes = BPF_CORE_READ(request, __data_len);
	new.disk = disk_of(request);
	if (call && call->open) {
		new.tid = (__u32)task->pid;
		new.alone = call->role.operation_plus_one == IO_SUBMIT + 1;
		if (new.alone || call->role.operation_plus_one == IO_ENTER + 1)
			new.pid = (__u32)task->tgid;
		if (!new.alone)
			begin_disk_wait(call, new.tid);
	} else if (task->flags & PF_KTHREAD && new.flags & 1) {
		set_written_file(&new, request);
	}
	if (new.tid || new.inode)
		(void)bpf_map_update_elem(&disk_requests, &key, &new, BPF_ANY);
	return 0;
}

SEC("raw_tp/block_bio_queue")
int on_bio(struct bpf_raw_tracepoint_args *ctx)
{
	struct io_call *call = call_of_task(bpf_get_current_task_btf());
	struct bio *bio = (struct bio *)ctx->args[0];

	if (call && call->open && !call->bio_disk)
		call->bio_disk = BPF_CORE_READ(bio, bi_bdev, bd_dev);
	return 0;
}

SEC("raw_tp/block_io_start")
int on_io_start(struct bpf_raw_tracepoint_args *ctx)
{
	return meet_request((struct request *)ctx->args[0]);
}

SEC("raw_tp/block_rq_insert")
int on_request_insert(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 key = ctx->args[0];

	return has_io_done || bpf_map_lookup_elem(&disk_requests, &key)
		       ? 0
		       : meet_request((struct request *)ctx->args[0]);
}

SEC("raw_tp/block_rq_issue")
int on_request_issue(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 key = ctx->args[0];
	struct disk_request *request = bpf_map_lookup_elem(&disk_requests, &key);

	if (!request && !has_io_done) {
		(void)meet_request((struct request *)ctx->args[0]);
		request = bpf_map_lookup_elem(&disk_requests, &key);
	}
	if (!request || request->issue_ns)
		return 0;
	request->issue_ns = lock_now();
	request->bytes = BPF_CORE_READ((struct request *)ctx->args[0], __data_len);
	return 0;
}

/* The part of the wait until now that it explains. */
static __always_inline void cover(struct disk_wait *wait, const struct disk_request *request,
				  __u64 now_ns)
{
	__u64 from_ns = wait->covered_ns, issue_ns = request->issue_ns;

	if (!wait->waits || from_ns >= now_ns)
		return;
	if (!issue_ns)
		issue_ns = request->start_ns;
	if (request->start_ns > from_ns)
		from_ns = request->start_ns;
	if (issue_ns > from_ns) {
		wait->queue_ns += issue_ns - from_ns;
		from_ns = issue_ns;
	}
	if (now_ns > from_ns)
		wait->device_ns += now_ns - from_ns;
	wait->covered_ns = now_ns;
}

static __noinline int end_disk_request(__u64 key)
{
	struct disk_request *request = bpf_map_lookup_elem(&disk_requests, &key);
	struct disk_wait *wait;
	__u64 now_ns;
	__u32 tid;

	if (!request)
		return 0;
	now_ns = lock_now();
	tid = request->tid;
	wait = tid && !request->alone ? bpf_map_lookup_elem(&disk_waits, &tid) : NULL;
	if (wait) {
		cover(wait, request, now_ns);
		__sync_fetch_and_add(&wait->requests, 1);
		if (request->flags & 1)
			__sync_fetch_and_add(&wait->written_bytes, request->bytes);
		else
			__sync_fetch_and_add(&wait->read_bytes, request->bytes);
		wait->disk = request->disk;
	}
	if (!tid)
		(void)write_back(request, now_ns);
	else if (!wait && request->pid)
		(void)add_alone(request, now_ns);
	(void)bpf_map_delete_elem(&disk_requests, &key);
	return 0;
}

SEC("raw_tp/block_io_done")
int on_io_done(struct bpf_raw_tracepoint_args *ctx)
{
	return end_disk_request(ctx->args[0]);
}

SEC("raw_tp/block_rq_complete")
int on_request_complete(struct bpf_raw_tracepoint_args *ctx)
{
	struct request *request = (struct request *)ctx->args[0];

	if (has_io_done || (__u32)ctx->args[2] < BPF_CORE_READ(request, __data_len))
		return 0;
	return end_disk_request(ctx->args[0]);
}

#endif
