/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which block device a thread waited for. A wait for a disk ends while a bio completes, and with
 * it, from the inside out, those of the devices stacked upon it: first that of the disk, then that
 * of the device mapper on it, then that of the RAID on that. The innermost one that was on its way
 * for most of the wait is where the time went. Not attached where block devices are not traced. */
#ifndef BPF_BLOCK_DEVICE_BPF_H
#define BPF_BLOCK_DEVICE_BPF_H

#include "bpf/kernel.h"
#include "bpf/wait/interrupts.bpf.h"

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>

#define STACKED_DEVICES 4 /* are distinguished */

/* When each bio under way was handed to its device. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, __u64); /* its address */
	__type(value, __u64);
} bios SEC(".maps");

struct completed_bio {
	__u64 queued_ns; /* 0 = not known */
	__u32 device;
	__u32 is_request;
};

/* What completes on this CPU, innermost first, since it turned to what it does now. */
struct completing {
	__u32 turn, count;
	struct completed_bio bio[STACKED_DEVICES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct completing);
} completing SEC(".maps");

static __always_inline struct completing *completing_here(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&completing, &zero);
}

SEC("raw_tp/block_bio_queue")
int on_bio_queue(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 bio = ctx->args[0], now_ns = bpf_ktime_get_ns();

	(void)bpf_map_update_elem(&bios, &bio, &now_ns, BPF_ANY);
	return 0;
}

/* Whether a bio can contain the one that completed before it: a device upon that one's, or the
 * larger bio that one was split from. A request may have many bios, and is followed by theirs. */
static __always_inline bool contains(const struct completed_bio *outer,
				     const struct completed_bio *inner)
{
	return inner->is_request || !outer->queued_ns || !inner->queued_ns ||
	       outer->queued_ns <= inner->queued_ns;
}

/* How many of those that completed are still inside of this one. */
static __always_inline __u32 inside_of(const struct completing *here,
				       const struct completed_bio *bio)
{
	const struct completed_bio *last = NULL;
	__u32 inside = 0;

	for (__u32 i = 0; i < STACKED_DEVICES; i++) {
		if (i >= here->count || here->bio[i].device == bio->device)
			break;
		last = &here->bio[i];
		inside = i + 1;
	}
	return last && !contains(bio, last) ? 0 : inside;
}

/* A request begins anew: what it is made of completes next. */
static __always_inline void push_completed(__u64 key, struct bio *bio, bool is_request)
{
	__u64 *queued_ns = bpf_map_lookup_elem(&bios, &key);
	const struct interrupts *turn = interrupts_here();
	struct completing *here = completing_here();
	struct completed_bio done = { .is_request = is_request };
	__u32 index;

	if (queued_ns) {
		done.queued_ns = *queued_ns;
		(void)bpf_map_delete_elem(&bios, &key);
	}
	if (!here || !turn)
		return;
	done.device = BPF_CORE_READ(bio, bi_bdev, bd_dev);
	if (here->turn != turn->turn || is_request)
		here->count = 0;
	here->turn = turn->turn;
	index = inside_of(here, &done);
	/* In one register from the check to the use: the verifier loses the bound of a copy. */
	__asm__ volatile("" : "+r"(index));
	if (index >= STACKED_DEVICES)
		return;
	here->bio[index] = done;
	here->count = index + 1;
}

/* Bios of devices that do without requests, such as those stacked upon others. */
SEC("raw_tp/block_bio_complete")
int on_bio_complete(struct bpf_raw_tracepoint_args *ctx)
{
	push_completed(ctx->args[1], (struct bio *)ctx->args[1], false);
	return 0;
}

SEC("raw_tp/block_rq_complete")
int on_request_complete(struct bpf_raw_tracepoint_args *ctx)
{
	struct bio *bio = BPF_CORE_READ((struct request *)ctx->args[0], bio);

	if (bio)
		push_completed((__u64)bio, bio, true);
	return 0;
}

/* The device that a wait of ns was for, which ends now; 0 = nothing completes here. When none was
 * at it for half of the wait, the bio was held back before it came to the first of them. */
static __always_inline __u32 device_waited_for(__u64 now_ns, __u64 ns)
{
	const struct interrupts *turn = interrupts_here();
	const struct completing *here = completing_here();
	__u32 device = 0;
	bool found = false;

	if (!here || !turn || here->turn != turn->turn)
		return 0;
	for (__u32 i = 0; i < STACKED_DEVICES; i++) {
		const struct completed_bio *bio = &here->bio[i];

		if (i >= here->count || found)
			break;
		device = bio->device;
		found = bio->queued_ns && (now_ns - bio->queued_ns) * 2 >= ns;
	}
	return device;
}

#endif
