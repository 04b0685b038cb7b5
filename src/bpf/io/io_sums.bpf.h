/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of requests by stack, thread, file and operation; slow ones also one by one. */
#ifndef BPF_IO_SUMS_BPF_H
#define BPF_IO_SUMS_BPF_H

#include "bpf/activity/path.bpf.h"
#include "bpf/io/io_thread.bpf.h"
#include "bpf/kernel_io.h"

/* Two by turns: one is added to while user space empties the other. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct io_key);
	__type(value, struct io_sum);
} sums SEC(".maps"), odd_sums SEC(".maps");

volatile __u32 odd_turn;
__u64 lost_requests; /* that found no room */

const volatile __u64 slower_ns; /* 0 = no single ones */

struct io_file_key {
	__u64 inode;
	__u32 device, generation;
};

static __always_inline struct io_file_key key_of_file(const struct io_key *key)
{
	return (struct io_file_key){ .inode = key->inode,
				     .device = key->device,
				     .generation = key->generation };
}

/* Names of files with sums. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, struct io_file_key);
	__type(value, struct io_names);
} file_names SEC(".maps");

struct io_slow {
	__u64 end_ns;
	struct io_key key;
	struct io_sum sum;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} slow SEC(".maps");

struct io_making {
	struct io_key key;
	struct io_sum sum;
	struct io_names names;
	struct io_slow slow;
};

/* By CPU. Programs in interrupts use the second one. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct io_making);
} makings SEC(".maps");

static __always_inline struct io_making *making_here(__u32 in_interrupt)
{
	struct io_making *making = bpf_map_lookup_elem(&makings, &in_interrupt);

	if (!making)
		return NULL;
	__builtin_memset(&making->key, 0, sizeof(making->key));
	__builtin_memset(&making->sum, 0, offsetof(struct io_sum, bucket));
	return making;
}

static __always_inline __u64 io_bucket(__u64 ns)
{
	__u64 units = ns >> IO_BUCKET_SHIFT;
	__u32 log2 = log2_of(units);
	__u64 bucket = log2 ? 2 * log2 - 1 + (units >> (log2 - 1) & 1) : 0;

	return bucket < IO_BUCKETS ? bucket : IO_BUCKETS - 1;
}

/* Only its thread adds to a sum, on one CPU at a time, but for what is written back. */
#define ADD(member)                                                       \
	do {                                                              \
		if (!from->member)                                        \
			break;                                            \
		if (shared)                                               \
			__sync_fetch_and_add(&sum->member, from->member); \
		else                                                      \
			sum->member += from->member;                      \
	} while (0)

static __always_inline void add_to(struct io_sum *sum, const struct io_sum *from, bool shared)
{
	__u64 bucket = io_bucket(from->ns);

	ADD(ns);
	ADD(count);
	ADD(bytes);
	ADD(errors);
	ADD(sequential);
	ADD(hits);
	ADD(read_pages);
	ADD(requests);
	ADD(disk_read);
	ADD(disk_written);
	ADD(punted);
	for (__u32 i = 0; i < IO_LAYER_COUNT; i++)
		ADD(layer_ns[i]);
	if (from->disk)
		sum->disk = from->disk;
	if (from->ns > sum->max_ns)
		sum->max_ns = from->ns;
	UNWIND_OPAQUE(bucket);
	__sync_fetch_and_add(&sum->bucket[bucket & (IO_BUCKETS - 1)], 1);
}

static __always_inline void send_slow(struct io_making *making, __u64 now_ns)
{
	making->slow.end_ns = now_ns;
	making->slow.key = making->key;
	bpf_probe_read_kernel(&making->slow.sum, sizeof(making->slow.sum), &making->sum);
	if (bpf_ringbuf_output(&slow, &making->slow, sizeof(making->slow), 0))
		__sync_fetch_and_add(&lost_requests, 1);
}

static __always_inline struct io_sum *find_sum(void *map, struct io_making *making)
{
	static const struct io_sum none;
	struct io_sum *sum = bpf_map_lookup_elem(map, &making->key);

	if (sum)
		return sum;
	(void)bpf_map_update_elem(map, &making->key, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, &making->key);
}

/* Of that place. Before Linux 6.5 a function that is verified by itself cannot use memory that it
 * is given as a key, so it looks the map up. */
SUBPROGRAM int add_request(__u32 in_interrupt, __u64 now_ns)
{
	struct io_making *making = bpf_map_lookup_elem(&makings, &in_interrupt);
	struct io_sum *sum;

	if (!making)
		return 0;
	sum = odd_turn ? find_sum(&odd_sums, making) : find_sum(&sums, making);
	if (sum)
		add_to(sum, &making->sum, making->key.operation == IO_WRITE_BACK);
	else
		__sync_fetch_and_add(&lost_requests, 1);
	if (slower_ns && making->sum.ns >= slower_ns)
		send_slow(making, now_ns);
	return 0;
}

#endif
