/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests to disks under way. Those for pages that the kernel writes back later belong to the
 * thread that wrote to the file last. */
#ifndef BPF_IO_WRITERS_BPF_H
#define BPF_IO_WRITERS_BPF_H

#include "bpf/io/io_file.bpf.h"

#define DISK_OPERATION 0xff /* request.cmd_flags */
#define DISK_OWN       32   /* and above: commands of drivers */

struct disk_request {
	__u64 start_ns, issue_ns;
	__u64 inode;	   /* of pages that are written back */
	__u32 device, tid; /* of its file system; of the thread that waits, 0 = none */
	__u32 bytes, flags;
	__u64 disk;
	__u32 pid;	  /* of a thread that may not wait for it; 0 = it does */
	__u32 alone;	  /* it does not */
	__u32 generation; /* of the inode */
	__u32 unused;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64); /* the address of the request */
	__type(value, struct disk_request);
} disk_requests SEC(".maps");

/* Who wrote to a file last. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, struct io_file_key);
	__type(value, struct io_key);
} writers SEC(".maps");

static __always_inline __u64 disk_of(const struct request *request)
{
	struct gendisk *disk = BPF_CORE_READ(request, q, disk);

	return (__u64)BPF_CORE_READ(disk, major) << 20 | (__u32)BPF_CORE_READ(disk, first_minor);
}

/* The file that the first page of a request is of. */
static __always_inline void set_written_file(struct disk_request *to, const struct request *request)
{
	struct bio *bio = BPF_CORE_READ(request, bio);
	struct page *page = BPF_CORE_READ(bio, bi_io_vec, bv_page);
	unsigned long head = BPF_CORE_READ(page, compound_head);
	struct address_space *mapping;
	struct inode *inode;

	if (head & 1)
		page = (struct page *)(head - 1);
	mapping = BPF_CORE_READ(page, mapping);
	if (!mapping || (unsigned long)mapping & 3) /* no page of a file */
		return;
	inode = BPF_CORE_READ(mapping, host);
	to->inode = BPF_CORE_READ(inode, i_ino);
	to->generation = BPF_CORE_READ(inode, i_generation);
	to->device = BPF_CORE_READ(inode, i_sb, s_dev);
}

static __always_inline int add_disk_request(struct io_making *making,
					    const struct disk_request *request, __u64 now_ns)
{
	__u64 issue_ns = request->issue_ns ? request->issue_ns : request->start_ns;

	making->sum.count = making->sum.requests = 1;
	making->sum.ns = now_ns - request->start_ns;
	making->sum.layer_ns[IO_LAYER_QUEUE] = issue_ns - request->start_ns;
	making->sum.layer_ns[IO_LAYER_DEVICE] = now_ns - issue_ns;
	making->sum.disk = request->disk;
	return add_request(1, now_ns);
}

/* Of a call that is over, or does not wait: a request by itself. */
static __noinline int add_alone(struct disk_request *request, __u64 now_ns)
{
	struct io_making *making = making_here(1);

	if (!making || !request)
		return 0;
	making->key.operation = IO_DISK;
	making->key.pid = request->pid;
	making->key.tid = request->tid;
	if (request->flags & 1)
		making->sum.disk_written = request->bytes;
	else
		making->sum.disk_read = request->bytes;
	return add_disk_request(making, request, now_ns);
}

/* Charged to the thread that wrote to the file last. */
static __noinline int write_back(struct disk_request *request, __u64 now_ns)
{
	struct io_making *making = making_here(1);
	struct io_file_key file = {};
	struct io_key *writer;

	if (!making || !request)
		return 0;
	file.inode = request->inode;
	file.device = request->device;
	file.generation = request->generation;
	writer = bpf_map_lookup_elem(&writers, &file);
	if (!writer)
		return 0;
	making->key = *writer;
	making->key.operation = IO_WRITE_BACK;
	making->sum.bytes = making->sum.disk_written = request->bytes;
	return add_disk_request(making, request, now_ns);
}

#endif
