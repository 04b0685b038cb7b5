/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests to block devices under way, and how a finished one becomes an activity. */
#ifndef BPF_ACTIVITY_REQUEST_BPF_H
#define BPF_ACTIVITY_REQUEST_BPF_H

#include "bpf/activity/deliver.bpf.h"

#define REQUEST_OPERATION 0xff /* cmd_flags */
#define OPERATION_WRITE	  1
#define OPERATION_FLUSH	  2
#define OPERATION_DISCARD 3
#define OPERATION_ERASE	  5
#define OPERATION_ZEROES  9
#define OPERATION_OWN	  32 /* and above: commands of drivers */

volatile bool has_io_done; /* by user space, when it is attached */

struct request_state {
	__u64 start_ns, issue_ns;
	__u64 sector;
	__u32 bytes, flags;
	__u32 pid, tid, uid, stack_len;
	char comm[16];
	__u64 stack[ACTIVITY_FRAMES];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 16);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64); /* the address of the request */
	__type(value, struct request_state);
} requests SEC(".maps");

/* Where the last request of a disk ended. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u64);
} disk_ends SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct request_state);
} new_request SEC(".maps");

static __always_inline __u32 device_of(const struct request *request)
{
	struct gendisk *disk = BPF_CORE_READ(request, q, disk);

	return (__u32)BPF_CORE_READ(disk, major) << 20 | (__u32)BPF_CORE_READ(disk, first_minor);
}

static __always_inline struct request_state *meet_request(void *ctx, struct request *request)
{
	const __u32 zero = 0;
	struct request_state *state = bpf_map_lookup_elem(&new_request, &zero);
	__u64 key = (__u64)request, pid_tgid = bpf_get_current_pid_tgid();
	long bytes;

	if (!state || !is_wanted_here())
		return NULL;
	if (rules.device_plus_one && device_of(request) != rules.device_plus_one - 1)
		return NULL;
	__builtin_memset(state, 0, offsetof(struct request_state, stack));
	state->start_ns = bpf_ktime_get_ns();
	state->sector = BPF_CORE_READ(request, __sector);
	state->bytes = BPF_CORE_READ(request, __data_len);
	state->flags = BPF_CORE_READ(request, cmd_flags);
	state->pid = pid_tgid >> 32;
	state->tid = (__u32)pid_tgid;
	state->uid = (__u32)bpf_get_current_uid_gid();
	bpf_get_current_comm(state->comm, sizeof(state->comm));
	if (rules.with_stack) {
		bytes = bpf_get_stack(ctx, state->stack, sizeof(state->stack), 0);
		state->stack_len = bytes > 0 ? (__u32)bytes : 0;
	}
	if (bpf_map_update_elem(&requests, &key, state, BPF_ANY))
		__sync_fetch_and_add(&lost, 1);
	return bpf_map_lookup_elem(&requests, &key);
}

static __always_inline bool is_drivers_own(struct request *request)
{
	return (BPF_CORE_READ(request, cmd_flags) & REQUEST_OPERATION) >= OPERATION_OWN;
}

static __always_inline bool is_flush(struct request *request)
{
	return (BPF_CORE_READ(request, cmd_flags) & REQUEST_OPERATION) == OPERATION_FLUSH;
}

static __always_inline __u32 operation_letter(__u32 flags)
{
	switch (flags & REQUEST_OPERATION) {
	case 0:
		return 'R';
	case OPERATION_FLUSH:
		return 'F';
	case OPERATION_DISCARD:
	case OPERATION_ERASE:
		return 'D';
	default:
		return 'W';
	}
}

/* Whether it begins where the one before ended: 1, 0, or -1 for the first one. */
static __always_inline int follows(__u32 device, const struct request_state *state)
{
	__u64 *known = bpf_map_lookup_elem(&disk_ends, &device);
	__u64 end = state->sector + state->bytes / 512;
	int follows = known ? *known == state->sector : -1;

	if (known)
		*known = end;
	else
		(void)bpf_map_update_elem(&disk_ends, &device, &end, BPF_ANY);
	return follows;
}

static __always_inline void put_request(struct activity *to, const struct request_state *state,
					struct request *request)
{
	struct gendisk *disk = BPF_CORE_READ(request, q, disk);
	__u64 issue_ns = state->issue_ns ? state->issue_ns : state->start_ns;
	__u32 device = device_of(request);
	int sequential = follows(device, state);
	long len;

	to->pid = state->pid;
	to->tid = state->tid;
	to->uid = state->uid;
	__builtin_memcpy(to->comm, state->comm, sizeof(to->comm));
	to->operation = operation_letter(state->flags);
	to->number[BLOCK_DEVICE] = device;
	to->number[BLOCK_SECTOR] = state->sector;
	to->number[BLOCK_BYTES] = state->bytes;
	to->number[BLOCK_FLAGS] = state->flags;
	to->number[BLOCK_QUEUE_NS] = issue_ns - state->start_ns;
	to->number[BLOCK_DEVICE_NS] = to->time_ns - issue_ns;
	to->number[BLOCK_SEQUENTIAL] = sequential == 1;
	to->number[BLOCK_RANDOM] = sequential == 0;
	to->ns = to->time_ns - (rules.with_queue ? state->start_ns : issue_ns);
	if (rules.with_stack) {
		__builtin_memcpy(to->text, state->stack, sizeof(state->stack));
		to->text_len = state->stack_len;
		return;
	}
	len = bpf_probe_read_kernel_str(to->text, 32, &disk->disk_name);
	to->text_len = len > 0 ? (__u32)len - 1 : 0;
}

SUBPROGRAM int end_request(__u64 key)
{
	struct request_state *state = bpf_map_lookup_elem(&requests, &key);
	struct activity *activity;

	if (!state)
		return 0;
	if (!(rules.sums && (state->flags & REQUEST_OPERATION) == OPERATION_FLUSH)) {
		activity = begin_activity(ACTIVITY_BLOCK);
		if (activity) {
			put_request(activity, state, (struct request *)key);
			(void)deliver(activity);
		}
	}
	(void)bpf_map_delete_elem(&requests, &key);
	return 0;
}

#endif
