/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests of io_submit, one by one: from that call to the one that collects their results, as the
 * kernel has no event when such a request completes. Layouts: linux/aio_abi.h. */
#ifndef BPF_IO_AIO_BPF_H
#define BPF_IO_AIO_BPF_H

#include "bpf/io/io_file.bpf.h"

#define AIO_AT_ONCE 32 /* of a call; more are counted as lost */

struct aio_request {
	__u64 data;
	__u32 key, flags;
	__u16 operation, priority;
	__u32 fd;
};

struct aio_result {
	__u64 data, request;
	__s64 result, more;
};

struct aio_key {
	__u64 request; /* its address in the process */
	__u64 pid;
};

struct aio_open {
	__u64 since_ns;
	struct io_key key;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct aio_key);
	__type(value, struct aio_open);
} aio_requests SEC(".maps");

SUBPROGRAM int begin_aio(const struct aio_open *like, __u64 at)
{
	struct io_making *making = making_here(0);
	struct aio_request request;
	struct aio_open open;
	struct aio_key key = { 0 };
	struct file *file;

	if (!making || !like || bpf_probe_read_user(&request, sizeof(request), (const void *)at))
		return 0;
	making->key = like->key;
	making->key.operation = IO_AIO;
	file = open_file(bpf_get_current_task_btf(), request.fd);
	if (file)
		(void)set_file(making, file);
	open.since_ns = like->since_ns;
	open.key = making->key;
	key.request = at;
	key.pid = like->key.pid;
	if (bpf_map_update_elem(&aio_requests, &key, &open, BPF_ANY))
		__sync_fetch_and_add(&lost_requests, 1);
	return 0;
}

SUBPROGRAM int end_aio(const struct aio_result *result, __u32 pid, __u64 now_ns)
{
	struct io_making *making = making_here(0);
	struct aio_key key = { 0 };
	struct aio_open *open;

	if (!making || !result)
		return 0;
	key.request = result->request;
	key.pid = pid;
	open = bpf_map_lookup_elem(&aio_requests, &key);
	if (!open)
		return 0;
	making->key = open->key;
	making->sum.count = 1;
	making->sum.ns = now_ns > open->since_ns ? now_ns - open->since_ns : 0;
	making->sum.layer_ns[IO_LAYER_FLIGHT] = making->sum.ns;
	making->sum.errors = result->result < 0;
	if (result->result > 0)
		making->sum.bytes = (__u64)result->result;
	(void)bpf_map_delete_elem(&aio_requests, &key);
	(void)add_request(0, now_ns);
	return 0;
}

/* io_submit has taken so many. */
SUBPROGRAM int begin_aios(struct io_call *call, struct io_key *key, __s64 count)
{
	struct aio_open like;
	__u64 at;

	if (!call || !key)
		return 0;
	like.since_ns = call->since_ns;
	like.key = *key;
	for (int i = 0; i < AIO_AT_ONCE; i++) {
		if (i >= count ||
		    bpf_probe_read_user(&at, sizeof(at), (const void *)(call->arg[2] + 8 * i)))
			break;
		(void)begin_aio(&like, at);
	}
	if (count > AIO_AT_ONCE)
		__sync_fetch_and_add(&lost_requests, count - AIO_AT_ONCE);
	return 0;
}

/* io_getevents has written the results of so many. */
SUBPROGRAM int end_aios(struct io_call *call, __u32 pid, __s64 count, __u64 now_ns)
{
	struct aio_result result;

	if (!call)
		return 0;
	for (int i = 0; i < AIO_AT_ONCE; i++) {
		if (i >= count ||
		    bpf_probe_read_user(&result, sizeof(result),
					(const void *)(call->arg[3] + sizeof(result) * i)))
			break;
		(void)end_aio(&result, pid, now_ns);
	}
	if (count > AIO_AT_ONCE)
		__sync_fetch_and_add(&lost_requests, count - AIO_AT_ONCE);
	return 0;
}

#endif
